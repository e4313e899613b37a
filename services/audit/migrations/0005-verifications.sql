-- Scheduled verifications of the whole log: one for each due time of the reminder.
create table verifications (
  -- The event that asked for it; the e-mail's id derives from it.
  event_id text collate "C" primary key,
  asked_at timestamptz(3) not null,
  finished_at timestamptz(3),
  checked bigint,
  faults text[],
  check ((finished_at is null) = (checked is null)),
  check ((finished_at is null) = (faults is null))
);

create index verifications_unfinished on verifications (asked_at) where finished_at is null;
