-- What is unpaid is ordered by batches, not by time: a clock may be set back, the numbers of the batches
-- grow with each commit.

-- Of a SETTLEMENT account: the batch in which the first of `unpaid` arose. `unpaid_since` is for releases
-- that do not know this column, and is written no more.
alter table accounts add column unpaid_batch bigint;

update accounts set unpaid_batch = coalesce((
  select min(entries.batch) from entries join journal on journal.entry_id = entries.id
  where journal.at = accounts.unpaid_since and journal.step = 'MOVE' and entries.kind = 'SETTLEMENT'
), 0)
where unpaid > 0 and unpaid_since is not null;

-- What each entry of a settlement added to `unpaid`: with the funds out in the journal it comes to what
-- is unpaid now.
create table unpaid_debts (
  entry_id text collate "C" not null primary key,
  account_id integer not null,
  -- The first debt includes the funds out that were held when it arose.
  added amount not null,
  batch bigint not null,
  -- Where the debt was brought forward: the batch in which it arose; funds out that were held before do
  -- not pay it. Null: in its own batch.
  since bigint
);

create index unpaid_debts_account on unpaid_debts (account_id, batch);

insert into unpaid_debts (entry_id, account_id, added, batch, since)
select 'brought-forward-' || id, id, unpaid, (select max(batch) from accounts), unpaid_batch
from accounts where unpaid > 0;
