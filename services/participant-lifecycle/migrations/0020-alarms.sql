-- What has been told of a position that comes near its limit, so that it is told once and not with every
-- transfer. It lies beside the limit because the ledger reads that row anyway: a batch in which nothing is
-- near its limit pays nothing for it. Null: nothing stands.
alter table limits add column alarms json;
