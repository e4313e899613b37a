-- Funds out that were held when something was left unpaid are for something else: they are counted into
-- `unpaid`, and leave it with their end. Those held later are told from them by this time; null: nothing
-- is unpaid, or it arose before the time was kept.
alter table accounts add column unpaid_since timestamptz(3);
