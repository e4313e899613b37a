-- What settlements move: the steps of a settlement, and interchange fees.

-- FEE: the interchange fee of a transfer, posted with it, with an id made of the transfer's.
alter domain entry_kind drop constraint entry_kind_check;
alter domain entry_kind add constraint entry_kind_known
  check (value in ('TRANSFER', 'FUNDS_IN', 'FUNDS_OUT', 'SETTLEMENT', 'FEE', 'OPENING'));

alter table entries drop constraint posted_in_one_window_or_gross;
alter table entries add constraint posted_in_one_window_or_gross check (
  (window_id is not null) = (outcome = 'POSTED' and (kind = 'FEE'
    or kind = 'TRANSFER' and settles is distinct from 'GROSS_IMMEDIATE')));

create index entries_fees on entries (window_id, id) where kind = 'FEE';

-- Of a SETTLEMENT account: what its participant owes out of settlements that are committed and pays by
-- funds out that are still to be recorded. Funds out that are reserved already count against it.
alter table accounts add column unpaid balance not null default 0;

create table interchange_fees (
  -- Empty: of currencies that have no fee of their own.
  currency text collate "C" primary key,
  -- The settlement model that the fees are netted under.
  model_id integer not null check (model_id > 0),
  -- Ten-thousandths of a percent.
  percentage balance not null check (percentage between 1 and 1000000)
);
