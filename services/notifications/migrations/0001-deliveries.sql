-- One line for each notification that has come to its end. `month` is that of the moment at which it
-- was first taken; a redelivery is looked for in this month and the last.
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
  reported_at timestamptz(3) not null,
  primary key (notification_id, month)
) partition by range (month);

create sequence undelivered_n;

-- What is not delivered yet (PARKED) or never was (DEAD), with its bytes. `n` is the order in which
-- notifications of one entity leave for one FSP.
create table undelivered (
  notification_id uuid not null,
  month date not null,
  n bigint not null default nextval('undelivered_n'),
  state text not null check (state in ('PARKED', 'DEAD')),
  fsp_id text collate "C" not null,
  entity_id text collate "C" not null,
  -- The request as it was heard, with all its headers; json keeps what jsonb refuses (\u0000).
  request json not null,
  body bytea not null,
  deadline timestamptz(3) not null,
  taken_at timestamptz(3) not null,
  attempts integer not null,
  next_attempt_at timestamptz(3) not null,
  -- An attempt is under way until then at the latest; nobody else begins one before.
  busy_until timestamptz(3) not null,
  http_status integer,
  last_error text,
  primary key (notification_id, month)
) partition by range (month);

-- Plans are made while these tables are empty and live on while they fill, so each question has one
-- index that alone fits it: only the question for what is due can use a partial index on PARKED.
create index undelivered_due on undelivered (fsp_id, next_attempt_at) where state = 'PARKED';
create index undelivered_order on undelivered (fsp_id, entity_id, n);
create index undelivered_deadline on undelivered (state, deadline);
create index undelivered_dead on undelivered (n) where state = 'DEAD';
