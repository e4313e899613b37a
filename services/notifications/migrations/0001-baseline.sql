-- Callbacks to FSPs: what is still to be delivered, and what became of the rest.

-- One line for each notification that has come to its end. `month` is that of the moment at which its
-- delivery first began; a redelivery is looked for in this month and the last.
create table deliveries (
  notification_id uuid not null,
  month date not null,
  fsp_id text collate "C" not null,
  entity_id text collate "C" not null,
  leg_role text not null,
  cause text not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  attempts integer not null,
  http_status integer,
  duration_ms integer not null,
  last_error text,
  -- Attempt by attempt, JSON: [{"began_ms", "duration_ms", "httpStatus", "error"}], the first and the
  -- last of many. Null where there was one attempt alone: the line then says all of it.
  tries text,
  reported_at timestamptz(3) not null,
  primary key (notification_id, month)
) partition by range (month);
comment on table deliveries is 'archived by month';

create sequence undelivered_n;

-- What is not delivered yet (PARKED) or never was (DEAD), with its bytes. It is not archived by month, so
-- that it can be sent anew.
create table undelivered (
  notification_id uuid not null,
  month date not null,
  -- The order in which notifications of one entity leave for one FSP.
  n bigint not null default nextval('undelivered_n'),
  state text not null check (state in ('PARKED', 'DEAD')),
  -- It is the oldest that is PARKED of its entity and FSP. Only these are looked through for what is due,
  -- however many wait behind them.
  at_turn boolean not null default false,
  fsp_id text collate "C" not null,
  entity_id text collate "C" not null,
  -- Whose message it is: sources take turns in what is tried again.
  source text collate "C" not null,
  -- The request as the event had it, with all its headers; json keeps what jsonb refuses (\u0000).
  request json not null,
  body bytea not null,
  deadline timestamptz(3) not null,
  taken_at timestamptz(3) not null,
  attempts integer not null,
  next_attempt_at timestamptz(3) not null,
  -- An attempt is under way until then at the latest; no other one begins before.
  busy_until timestamptz(3) not null,
  http_status integer,
  last_error text,
  tries text, -- As in `deliveries`.
  primary key (notification_id, month)
) partition by range (month);
-- Plans are made while these tables are empty and live on while they fill, so each question has one
-- index that alone fits it: only the question for what is due can use a partial index on PARKED.
create index undelivered_due on undelivered (fsp_id, source, next_attempt_at)
  where state = 'PARKED' and at_turn;
create index undelivered_order on undelivered (fsp_id, entity_id, state, n);
create index undelivered_deadline on undelivered (state, deadline);
create index undelivered_dead on undelivered (n) where state = 'DEAD';

-- Why a month of `deliveries` must stay.
create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its callbacks are not delivered yet' from undelivered
  where state = 'PARKED' and month = of_month having count(*) > 0
);

-- What a key stands for, for ever: the first notification with it decides.
create table idempotency_keys (
  key text collate "C" primary key,
  content text collate "C" not null
);

-- FSPs whose circuit is open in any process: the hub sends them trials only.
create table unreachable_fsps (
  fsp_id text collate "C" primary key,
  since timestamptz not null,
  last_error text not null
);
