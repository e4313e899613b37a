-- The operator sees at a bulk quote the bulk transfers that name it.

create index bulk_transfers_of_bulk_quote on bulk_transfers (bulk_quote_id, received_at, id);
