-- A message of the payee FSP about one of these transfers is a dead letter. They do not expire before an
-- operator has had it replayed or discarded: the payee FSP may have been told 200 in time.

create table held_back (
  transfer_id text collate "C" not null,
  -- Of the dead letter, by which it is replayed or discarded.
  letter_id text collate "C" not null,
  event text not null,
  reason text not null,
  held_at timestamptz(3) not null default clock_timestamp(),
  primary key (transfer_id, letter_id)
);
