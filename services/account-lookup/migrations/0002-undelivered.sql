-- Questions that went to several FSPs and could not be delivered to one of them: whoever asked is told
-- once there is none left that could answer. A question that reached all of them has no row.

create table undelivered (
  -- The id of the event that the question came as.
  question_id uuid not null,
  fsp_id text collate "C" not null check (length(fsp_id) between 1 and 32),
  failed_at timestamptz(3) not null,
  primary key (question_id, fsp_id)
);

create index undelivered_at on undelivered (failed_at);
