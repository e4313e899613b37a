-- Bulk quotes: one row per id for ever; their items and what FSPs sent, by month.

create table bulk_quotes (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Of the partitions that hold its items and messages.
  month date not null,
  payer_fsp text collate "C" not null,
  -- Null when it was refused before anybody knew whom to ask.
  payee_fsp text collate "C",
  items integer not null check (items between 1 and 1000),
  -- Of these the payee FSP was not asked.
  items_refused integer not null check (items_refused between 0 and items),
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
  outcome_event_id uuid,
  outcome_hash bytea check (octet_length(outcome_hash) = 32),
  -- Until then the payer FSP may rely on the answer.
  valid_until timestamptz(3),
  completed_at timestamptz(3),
  constraint ends_when_final check ((completed_at is null) = (state = 'PENDING')),
  constraint asked_of_somebody check (payee_fsp is not null or state = 'REJECTED'),
  constraint accepted_for_an_answer check (
    (state = 'ACCEPTED') = (valid_until is not null)
    and (state <> 'ACCEPTED' or outcome_hash is not null)),
  constraint rejected_for_a_reason check ((state = 'REJECTED') = (num_nulls(reason, error) = 0)),
  constraint outcome_is_whole check (num_nulls(outcome_event_id, outcome_hash) in (0, 2))
);

create index bulk_quotes_to_sweep on bulk_quotes (expires_at) where state = 'PENDING';

create table bulk_quote_items (
  month date not null,
  bulk_quote_id text collate "C" not null,
  -- In the order of the request, from 0.
  position integer not null check (position between 0 and 999),
  quote_id text collate "C" not null,
  transaction_id text collate "C" not null,
  amount_type text not null check (amount_type in ('SEND', 'RECEIVE')),
  -- Ten-thousandths.
  amount numeric(40, 0) not null check (amount >= 0),
  currency text collate "C" not null,
  -- errorInformation, JSON: why the hub refused it; null where it did not.
  error text,
  primary key (bulk_quote_id, position, month)
) partition by range (month);

-- For the story of a payment that is an item of a bulk.
create index bulk_quote_items_by_quote on bulk_quote_items (quote_id);

-- What FSPs sent, as received; and what the hub told the payer FSP where that was not the payee FSP's
-- own message (ANSWER).
create table bulk_messages (
  month date not null,
  bulk_quote_id text collate "C" not null,
  kind text not null check (kind in ('REQUEST', 'RESPONSE', 'REJECT', 'ANSWER')),
  event_id uuid not null,
  body bytea not null,
  -- JSON of the header names and values; null in a message of the hub.
  headers bytea,
  -- The header FSPIOP-Encryption of a message of the hub.
  encryption text,
  primary key (bulk_quote_id, kind, month)
) partition by range (month);

comment on table bulk_quote_items is 'archived by month';
comment on table bulk_messages is 'archived by month';

create or replace function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its quotes are pending' from (
    select month from quotes where state = 'PENDING' and month = of_month
    union all
    select month from bulk_quotes where state = 'PENDING' and month = of_month
  ) pending having count(*) > 0
);
