-- The life of quotes and bulk quotes: one row per id for ever. What FSPs sent, and delivery reports, by
-- month. And the rules of the scheme, with what the velocity rules need to know of committed transfers.

create table quotes (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  month date not null, -- Of the partitions that hold its messages.
  transaction_id text collate "C" not null,
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C", -- Null when it was refused before its payee FSP was known.
  amount_type text not null check (amount_type in ('SEND', 'RECEIVE')),
  amount numeric(40, 0) not null check (amount >= 0), -- Ten-thousandths.
  currency text collate "C" not null,
  expires_at timestamptz(3) not null, -- Until then an answer counts.
  payer_version text not null,
  request_event_id uuid not null,
  -- The transaction request that came before it, of a payee's FSP or of a PISP.
  transaction_request_id text collate "C",
  condition text collate "C", -- Leads from a transfer to the quote.
  created_at timestamptz(3) not null,
  state text not null check (state in ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  error text, -- errorInformation, JSON.
  rule_id text,
  outcome_event_id uuid,
  outcome_hash bytea check (octet_length(outcome_hash) = 32),
  -- Ten-thousandths, in the currency of the request.
  transfer_amount numeric(40, 0) check (transfer_amount >= 0),
  valid_until timestamptz(3), -- Until then the payer FSP may rely on the answer.
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
-- Both hold nothing of quotes without a transaction request.
create index quotes_of_transaction_request on quotes (transaction_request_id)
  where transaction_request_id is not null;
create index quotes_by_condition on quotes (condition) where transaction_request_id is not null;

-- What FSPs sent, as received: the request and the message that ended the quote.
create table messages (
  month date not null,
  quote_id text collate "C" not null,
  kind text not null check (kind in ('REQUEST', 'RESPONSE', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  headers bytea, -- JSON of the header names and values.
  primary key (quote_id, kind, month)
) partition by range (month);
comment on table messages is 'archived by month';

-- How callbacks reached their FSPs.
create table deliveries (
  month date not null,
  notification_id text collate "C" not null,
  quote_id text collate "C" not null,
  report text not null, -- The event that reported it.
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
comment on table deliveries is 'archived by month';

create table bulk_quotes (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  month date not null, -- Of the partitions that hold its items and messages.
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C", -- Null when it was refused before its payee FSP was known.
  items integer not null check (items between 1 and 1000),
  -- Those that were not sent to the payee FSP.
  items_refused integer not null check (items_refused between 0 and items),
  expires_at timestamptz(3) not null, -- Until then an answer counts.
  payer_version text not null,
  request_event_id uuid not null,
  created_at timestamptz(3) not null,
  state text not null check (state in ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  error text, -- errorInformation, JSON.
  outcome_event_id uuid,
  outcome_hash bytea check (octet_length(outcome_hash) = 32),
  valid_until timestamptz(3), -- Until then the payer FSP may rely on the answer.
  completed_at timestamptz(3),
  constraint ends_when_final check ((completed_at is null) = (state = 'PENDING')),
  constraint asked_of_somebody check (payee_fsp is not null or state = 'REJECTED'),
  constraint accepted_for_an_answer check ((state = 'ACCEPTED') = (valid_until is not null)
    and (state <> 'ACCEPTED' or outcome_hash is not null)),
  constraint rejected_for_a_reason check ((state = 'REJECTED') = (num_nulls(reason, error) = 0)),
  constraint outcome_is_whole check (num_nulls(outcome_event_id, outcome_hash) in (0, 2))
);
create index bulk_quotes_to_sweep on bulk_quotes (expires_at) where state = 'PENDING';
-- For the operator: by their time, and those of an FSP.
create index bulk_quotes_by_time on bulk_quotes (created_at, id);
create index bulk_quotes_of_payer on bulk_quotes (payer_fsp, created_at, id);
create index bulk_quotes_of_payee on bulk_quotes (payee_fsp, created_at, id);

create table bulk_quote_items (
  month date not null,
  bulk_quote_id text collate "C" not null,
  -- In the order of the request, from 0.
  position integer not null check (position between 0 and 999),
  quote_id text collate "C" not null,
  transaction_id text collate "C" not null,
  amount_type text not null check (amount_type in ('SEND', 'RECEIVE')),
  amount numeric(40, 0) not null check (amount >= 0), -- Ten-thousandths.
  currency text collate "C" not null,
  error text, -- errorInformation, JSON: why the hub refused it; null where it did not.
  primary key (bulk_quote_id, position, month)
) partition by range (month);
-- For the story of a payment that is an item of a bulk.
create index bulk_quote_items_by_quote on bulk_quote_items (quote_id);
comment on table bulk_quote_items is 'archived by month';

-- What FSPs sent, as received; and what the hub sent the payer FSP where that was not the payee FSP's
-- own message (ANSWER).
create table bulk_messages (
  month date not null,
  bulk_quote_id text collate "C" not null,
  kind text not null check (kind in ('REQUEST', 'RESPONSE', 'REJECT', 'ANSWER')),
  event_id uuid not null,
  body bytea not null,
  headers bytea, -- JSON of the header names and values; null in a message of the hub.
  encryption text, -- The header FSPIOP-Encryption of a message of the hub.
  primary key (bulk_quote_id, kind, month)
) partition by range (month);
-- Not compressed, which takes PostgreSQL longer than to write it.
alter table bulk_messages alter column body set storage external;
comment on table bulk_messages is 'archived by month';

-- Why a month must stay. The rows of `quotes` and `bulk_quotes` are never archived: an id that comes again
-- is answered from them.
create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its quotes are pending' from (
    select month from quotes where state = 'PENDING' and month = of_month
    union all
    select month from bulk_quotes where state = 'PENDING' and month = of_month
  ) pending having count(*) > 0
);

-- Each iteration is the whole set; none is ever changed or deleted.
create table scheme_rules (
  iteration integer primary key check (iteration >= 1),
  rules text not null, -- JSON, as the operator sees it.
  changed_at timestamptz(3) not null,
  changed_by text not null
);

-- What a payer FSP has paid, by minute.
create table velocity (
  payer_fsp text collate "C" not null,
  currency text collate "C" not null,
  minute timestamptz(0) not null,
  transfers bigint not null check (transfers > 0),
  amount numeric(40, 0) not null check (amount >= 0), -- Ten-thousandths.
  primary key (payer_fsp, currency, minute)
);
create index velocity_by_minute on velocity (minute);

-- The transfers in it, so that none counts twice.
create table counted_transfers (
  month date not null,
  transfer_id text collate "C" not null,
  primary key (transfer_id, month)
) partition by range (month);

-- The role that serves owns no table: it drops months through this function, and of this table alone.
create function drop_counted_months(before_month date) returns void
language plpgsql security definer set search_path from current as $$
declare
  old regclass;
begin
  perform set_config('lock_timeout', '1000', true);
  for old in
    select inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'counted_transfers'::regclass
      and c.relname::text collate "C" < 'counted_transfers_' || to_char(before_month, 'YYYY_MM')
  loop
    execute format('drop table %s', old);
  end loop;
end
$$;
