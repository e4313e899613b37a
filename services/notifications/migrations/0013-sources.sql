-- Whose message it is: sources take turns in what is tried again. What was parked before counts as one
-- source.
alter table undelivered add column source text collate "C" not null default '';

drop index undelivered_due;
create index undelivered_due on undelivered (fsp_id, source, next_attempt_at)
  where state = 'PARKED' and at_turn;
