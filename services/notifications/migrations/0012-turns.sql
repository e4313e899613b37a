-- Whose turn it is: the oldest that is PARKED of each entity and FSP. Only these are looked through for
-- what is due, however many wait behind them.
alter table undelivered add column at_turn boolean not null default false;

update undelivered u set at_turn = true
where state = 'PARKED' and not exists (
  select from undelivered older
  where older.fsp_id = u.fsp_id and older.entity_id = u.entity_id and older.state = 'PARKED'
    and older.n < u.n
);

drop index undelivered_due;
create index undelivered_due on undelivered (fsp_id, next_attempt_at)
  where state = 'PARKED' and at_turn;
drop index undelivered_order;
create index undelivered_order on undelivered (fsp_id, entity_id, state, n);
