-- Reminders: what waits for its time, and what could not be delivered at its time.
create table reminders (
  reminder_id text collate "C" primary key check (length(reminder_id) between 1 and 128),
  owner text not null,
  -- One of the two: a moment, or a cron expression in UTC.
  once_at timestamptz(3),
  cron text,
  payload text not null check (length(payload) <= 16384),
  task_type text not null check (task_type in ('EVENT', 'HTTP_POST')),
  url text,
  recovery text not null check (recovery in ('RETRY', 'RESCHEDULE', 'ABORT', 'ABANDON')),
  state text not null default 'WAITING' check (state in ('WAITING', 'FAILED')),
  due_at timestamptz(3) not null, -- The time that it fires for next, or failed for.
  -- When it is tried next: its time, or later when attempts have failed.
  next_attempt_at timestamptz(3) not null,
  attempts integer not null default 0,
  last_error text,
  -- Until then the process that has the lease may be delivering it, and no other one does.
  leased_until timestamptz(3) not null default '-infinity',
  created_at timestamptz(3) not null,
  constraint once_or_again check (num_nulls(once_at, cron) = 1),
  constraint url_where_posted check ((task_type = 'HTTP_POST') = (url is not null))
);
create index reminders_due on reminders (task_type, next_attempt_at) where state = 'WAITING';

-- What happened to reminders, by month. RETRIED: an operator had a failed one delivered again.
create table reminder_history (
  month date not null,
  at timestamptz(3) not null,
  reminder_id text collate "C" not null,
  owner text not null,
  what text not null check (what in ('CREATED', 'DELETED', 'FIRED', 'FAILED', 'RETRIED')),
  due_at timestamptz(3), -- Of FIRED and FAILED: the time that it was for.
  attempts integer not null,
  detail text
) partition by range (month);
create index reminder_history_of on reminder_history (reminder_id, at);
comment on table reminder_history is 'archived by month';
