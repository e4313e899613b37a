-- The batches of the ledger are numbered in the order of their commits, for one writer makes them one
-- after the other. So a comparison that reads for minutes knows what its beginning had seen from what
-- came later, and holds no snapshot, which would keep every old balance from being cleared away.

create sequence batches;

-- The batch that wrote the row last. Money never moves without accounts, so the largest number among
-- the accounts is that of the last batch that moved any.
alter table accounts add column batch bigint not null default 0;
alter table entries add column batch bigint not null default 0;
alter table journal add column batch bigint not null default 0;
