-- The tables of notifications, as its migrations leave them. `npm run docs` writes this file.
-- Its schema also has the tables of libs/keys.

CREATE SEQUENCE undelivered_n;

-- Why a month of `deliveries` must stay.
CREATE FUNCTION archive_refusal(of_month date)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT (count(*) || ' of its callbacks are not delivered yet'::text) FROM undelivered WHERE ((undelivered.state = 'PARKED'::text) AND (undelivered.month = archive_refusal.of_month)) HAVING (count(*) > 0));

-- One line for each notification that has come to its end. `month` is that of the moment at which its
-- delivery first began; a redelivery is looked for in this month and the last.
CREATE TABLE deliveries (
  notification_id uuid NOT NULL,
  month date NOT NULL,
  fsp_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  leg_role text NOT NULL,
  cause text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  http_status integer,
  duration_ms integer NOT NULL,
  last_error text,
  -- Attempt by attempt, JSON: [{"began_ms", "duration_ms", "httpStatus", "error"}], the first and the
  -- last of many. Null where there was one attempt alone: the line then says all of it.
  tries text,
  reported_at timestamptz(3) NOT NULL,
  CONSTRAINT deliveries_pkey PRIMARY KEY (notification_id, month),
  CONSTRAINT deliveries_status_check CHECK (status IN ('SUCCESS', 'FAILED'))
) PARTITION BY RANGE (month);
COMMENT ON TABLE deliveries IS 'archived by month';

-- What a key stands for, for ever: the first notification with it decides.
CREATE TABLE idempotency_keys (
  key text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key)
);

-- What is not delivered yet (PARKED) or never was (DEAD), with its bytes. It is not archived by month, so
-- that it can be sent anew.
CREATE TABLE undelivered (
  notification_id uuid NOT NULL,
  month date NOT NULL,
  -- The order in which notifications of one entity leave for one FSP.
  n bigint NOT NULL DEFAULT nextval('undelivered_n'::regclass),
  state text NOT NULL,
  -- It is the oldest that is PARKED of its entity and FSP. Only these are looked through for what is due,
  -- however many wait behind them.
  at_turn boolean NOT NULL DEFAULT false,
  fsp_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  -- Whose message it is: sources take turns in what is tried again.
  source text COLLATE "C" NOT NULL,
  -- The request as the event had it, with all its headers; json keeps what jsonb refuses (\u0000).
  request json NOT NULL,
  body bytea NOT NULL,
  deadline timestamptz(3) NOT NULL,
  taken_at timestamptz(3) NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamptz(3) NOT NULL,
  -- An attempt is under way until then at the latest; no other one begins before.
  busy_until timestamptz(3) NOT NULL,
  http_status integer,
  last_error text,
  -- As in `deliveries`.
  tries text,
  CONSTRAINT undelivered_pkey PRIMARY KEY (notification_id, month),
  CONSTRAINT undelivered_state_check CHECK (state IN ('PARKED', 'DEAD'))
) PARTITION BY RANGE (month);
CREATE INDEX undelivered_dead ON undelivered (n) WHERE state = 'DEAD';
CREATE INDEX undelivered_deadline ON undelivered (state, deadline);
-- Plans are made while these tables are empty and live on while they fill, so each question has one
-- index that alone fits it: only the question for what is due can use a partial index on PARKED.
CREATE INDEX undelivered_due ON undelivered (fsp_id, source, next_attempt_at) WHERE state = 'PARKED' AND at_turn;
CREATE INDEX undelivered_order ON undelivered (fsp_id, entity_id, state, n);

-- FSPs whose circuit is open in any process: the hub sends them trials only.
CREATE TABLE unreachable_fsps (
  fsp_id text COLLATE "C" NOT NULL,
  since timestamptz NOT NULL,
  last_error text NOT NULL,
  CONSTRAINT unreachable_fsps_pkey PRIMARY KEY (fsp_id)
);
