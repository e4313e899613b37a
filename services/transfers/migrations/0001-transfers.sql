-- The life of transfers. One row per id for ever; bodies and delivery reports by month.

create table transfers (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Of the partitions that hold its messages.
  month date not null,
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C" not null,
  -- Ten-thousandths.
  amount numeric(40, 0) not null check (amount > 0),
  currency text collate "C" not null,
  expires_at timestamptz(3) not null,
  condition text collate "C" not null,
  -- Null when no active settlement model served the currency.
  settlement_model_id integer,
  settles text check (settles in ('NET', 'GROSS_IMMEDIATE', 'GROSS_DEFERRED')),
  payer_version text not null,
  prepare_event_id uuid not null,
  received_at timestamptz(3) not null,
  state text not null check (state in ('RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED')),
  -- When the sweeper looks at it next.
  sweep_at timestamptz(3),
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  -- errorInformation, JSON.
  error text,
  fulfilment text,
  -- As the payee FSP wrote it, else when the hub ended the transfer.
  completed_timestamp text,
  outcome_event_id uuid,
  outcome_hash bytea check (octet_length(outcome_hash) = 32),
  payee_version text,
  window_id integer,
  completed_at timestamptz(3),
  constraint model_is_whole check (num_nulls(settlement_model_id, settles) in (0, 2)),
  constraint swept_until_final check ((sweep_at is not null) = (state in ('RECEIVED', 'RESERVED'))),
  constraint ends_when_final check (
    (num_nulls(completed_timestamp, completed_at) = 0) = (state in ('COMMITTED', 'ABORTED'))),
  constraint committed_for_a_fulfilment check (
    (state = 'COMMITTED') = (num_nulls(fulfilment, outcome_hash) = 0 and reason is null)),
  constraint aborted_for_a_reason check ((state = 'ABORTED') = (num_nulls(reason, error) = 0))
) with (fillfactor = 70);

-- Not on the state: so a row that is reserved changes no indexed column.
create index transfers_to_sweep on transfers (sweep_at) where sweep_at is not null;

-- What FSPs sent, as received: the request and the message that ended the transfer.
create table messages (
  month date not null,
  transfer_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  -- JSON of the header names and values.
  headers bytea,
  primary key (transfer_id, kind, month)
) partition by range (month);

-- How callbacks reached their FSPs.
create table deliveries (
  month date not null,
  notification_id text collate "C" not null,
  transfer_id text collate "C" not null,
  -- The event that reported it.
  report text not null,
  leg_role text not null check (leg_role in ('PAYER', 'PAYEE', 'REQUESTER')),
  destination_fsp text collate "C" not null,
  status text not null check (status in ('SUCCESS', 'FAILED')),
  http_status integer,
  attempts integer not null,
  duration_ms integer not null,
  last_error text,
  reported_at timestamptz(3) not null,
  primary key (notification_id, month)
) partition by range (month);

create index deliveries_of_transfer on deliveries (transfer_id);
