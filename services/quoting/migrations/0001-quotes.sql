-- The life of quotes. One row per id for ever; what FSPs sent, and delivery reports, by month.

create table quotes (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Of the partitions that hold its messages.
  month date not null,
  transaction_id text collate "C" not null,
  payer_fsp text collate "C" not null,
  -- Null when it was refused before anybody knew whom to ask.
  payee_fsp text collate "C",
  amount_type text not null check (amount_type in ('SEND', 'RECEIVE')),
  -- Ten-thousandths.
  amount numeric(40, 0) not null check (amount >= 0),
  currency text collate "C" not null,
  -- Until then an answer counts.
  expires_at timestamptz(3) not null,
  payer_version text not null,
  request_event_id uuid not null,
  created_at timestamptz(3) not null,
  state text not null check (state in ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  -- errorInformation, JSON.
  error text,
  rule_id text,
  outcome_event_id uuid,
  outcome_hash bytea check (octet_length(outcome_hash) = 32),
  -- Ten-thousandths, in the currency of the request.
  transfer_amount numeric(40, 0) check (transfer_amount >= 0),
  -- Until then the payer FSP may rely on the answer.
  valid_until timestamptz(3),
  completed_at timestamptz(3),
  constraint ends_when_final check ((completed_at is null) = (state = 'PENDING')),
  constraint asked_of_somebody check (payee_fsp is not null or state = 'REJECTED'),
  constraint accepted_for_an_answer check (
    (state = 'ACCEPTED') = (num_nulls(transfer_amount, valid_until) = 0)),
  constraint rejected_for_a_reason check ((state = 'REJECTED') = (num_nulls(reason, error) = 0)),
  constraint outcome_is_whole check (num_nulls(outcome_event_id, outcome_hash) in (0, 2)),
  constraint outcome_of_an_answer check (state <> 'ACCEPTED' or outcome_hash is not null)
);

create index quotes_to_sweep on quotes (expires_at) where state = 'PENDING';

-- What FSPs sent, as received: the request and the message that ended the quote.
create table messages (
  month date not null,
  quote_id text collate "C" not null,
  kind text not null check (kind in ('REQUEST', 'RESPONSE', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  -- JSON of the header names and values.
  headers bytea,
  primary key (quote_id, kind, month)
) partition by range (month);

-- How callbacks reached their FSPs.
create table deliveries (
  month date not null,
  notification_id text collate "C" not null,
  quote_id text collate "C" not null,
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

create index deliveries_of_quote on deliveries (quote_id);
