-- The tables of scheduler, as its migrations leave them. `npm run docs` writes this file.

-- What happened to reminders, by month. RETRIED: an operator had a failed one delivered again.
CREATE TABLE reminder_history (
  month date NOT NULL,
  at timestamptz(3) NOT NULL,
  reminder_id text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  what text NOT NULL,
  -- Of FIRED and FAILED: the time that it was for.
  due_at timestamptz(3),
  attempts integer NOT NULL,
  detail text,
  CONSTRAINT reminder_history_what_check CHECK (what IN ('CREATED', 'DELETED', 'FIRED', 'FAILED', 'RETRIED'))
) PARTITION BY RANGE (month);
CREATE INDEX reminder_history_of ON reminder_history (reminder_id, at);
COMMENT ON TABLE reminder_history IS 'archived by month';

-- Reminders: what waits for its time, and what could not be delivered at its time.
CREATE TABLE reminders (
  reminder_id text COLLATE "C" NOT NULL,
  owner text NOT NULL,
  -- One of the two: a moment, or a cron expression in UTC.
  once_at timestamptz(3),
  cron text,
  payload text NOT NULL,
  task_type text NOT NULL,
  url text,
  recovery text NOT NULL,
  state text NOT NULL DEFAULT 'WAITING',
  -- The time that it fires for next, or failed for.
  due_at timestamptz(3) NOT NULL,
  -- When it is tried next: its time, or later when attempts have failed.
  next_attempt_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  -- Until then the process that has the lease may be delivering it, and no other one does.
  leased_until timestamptz(3) NOT NULL DEFAULT '-infinity'::timestamptz,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT reminders_pkey PRIMARY KEY (reminder_id),
  CONSTRAINT once_or_again CHECK (num_nulls(once_at, cron) = 1),
  CONSTRAINT reminders_payload_check CHECK (length(payload) <= 16384),
  CONSTRAINT reminders_recovery_check CHECK (recovery IN ('RETRY', 'RESCHEDULE', 'ABORT', 'ABANDON')),
  CONSTRAINT reminders_reminder_id_check CHECK (length(reminder_id) >= 1 AND length(reminder_id) <= 128),
  CONSTRAINT reminders_state_check CHECK (state IN ('WAITING', 'FAILED')),
  CONSTRAINT reminders_task_type_check CHECK (task_type IN ('EVENT', 'HTTP_POST')),
  CONSTRAINT url_where_posted CHECK ((task_type = 'HTTP_POST') = (url IS NOT NULL))
);
CREATE INDEX reminders_due ON reminders (task_type, next_attempt_at) WHERE state = 'WAITING';
