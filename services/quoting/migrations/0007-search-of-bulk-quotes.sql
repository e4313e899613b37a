-- For the operator: bulk quotes by their time, and those of an FSP.

create index bulk_quotes_by_time on bulk_quotes (created_at, id);
create index bulk_quotes_of_payer on bulk_quotes (payer_fsp, created_at, id);
create index bulk_quotes_of_payee on bulk_quotes (payee_fsp, created_at, id);
