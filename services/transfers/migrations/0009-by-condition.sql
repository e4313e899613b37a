-- The condition leads from a quote to its transfer. With the time, since a payee FSP may use one condition
-- for many transfers.

create index transfers_by_condition on transfers (condition, received_at);
