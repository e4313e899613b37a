-- The life of transfers and bulk transfers: one row per id for ever. What FSPs sent, and delivery reports,
-- by month.

create table transfers (
  id text collate "C" primary key check (length(id) between 1 and 64),
  bulk_id text collate "C", -- The bulk whose item it is.
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  month date not null, -- Of the partitions that hold its messages.
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C" not null,
  amount numeric(40, 0) not null check (amount > 0), -- Ten-thousandths.
  currency text collate "C" not null,
  expires_at timestamptz(3) not null,
  condition text collate "C" not null,
  settlement_model_id integer, -- Null when no active settlement model served the currency.
  settles text check (settles in
    ('NET', 'GROSS_IMMEDIATE', 'GROSS_IMMEDIATE_MULTILATERAL', 'GROSS_DEFERRED')),
  payer_version text not null,
  prepare_event_id uuid not null,
  received_at timestamptz(3) not null,
  state text not null check (state in ('RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED')),
  sweep_at timestamptz(3), -- When the sweeper looks at it next.
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  error text, -- errorInformation, JSON.
  fulfilment text,
  -- What the payee FSP added to its result for an item of a bulk: its extensionList, JSON.
  extension_list text,
  completed_timestamp text, -- As the payee FSP wrote it, else when the hub ended the transfer.
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
  constraint aborted_for_a_reason check ((state = 'ABORTED') = (num_nulls(reason, error) = 0)),
  constraint extensions_of_ended_items check (
    extension_list is null or (bulk_id is not null and state in ('COMMITTED', 'ABORTED')))
) with (fillfactor = 70);
-- No indexed column changes when a transfer is reserved or committed: the indexes of the sweeper and of
-- refusals are not on the state, which does.
create index transfers_to_sweep on transfers (sweep_at) where sweep_at is not null;
create index transfers_by_time on transfers (received_at, id);
create index transfers_of_payer on transfers (payer_fsp, received_at, id);
create index transfers_of_payee on transfers (payee_fsp, received_at, id);
create index transfers_refused on transfers (received_at, id) where reason is not null;
-- The condition leads from a quote to its transfer. With the time, since a payee FSP may use one condition
-- for many transfers.
create index transfers_by_condition on transfers (condition, received_at);

-- What FSPs sent, as received: the request and the message that ended the transfer.
create table messages (
  month date not null,
  transfer_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  headers bytea, -- JSON of the header names and values.
  -- When the hub had the last byte of the message; the ledger holds that against the expiry.
  received_at timestamptz(3),
  primary key (transfer_id, kind, month)
) partition by range (month);
comment on table messages is 'archived by month';

-- Messages about a transfer that changed nothing: another content, too late, from a stranger.
create table refused_messages (
  month date not null,
  event_id uuid not null,
  transfer_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  fsp_id text collate "C" not null,
  received_at timestamptz(3) not null,
  reason text not null,
  state text, -- What the transfer was then; null when there was none.
  primary key (event_id, month)
) partition by range (month);
create index refused_messages_of_transfer on refused_messages (transfer_id);
comment on table refused_messages is 'archived by month';

-- How callbacks reached their FSPs.
create table deliveries (
  month date not null,
  notification_id text collate "C" not null,
  transfer_id text collate "C" not null,
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
create index deliveries_of_transfer on deliveries (transfer_id);
comment on table deliveries is 'archived by month';

-- A message of the payee FSP about one of these transfers is a dead letter. They do not expire before an
-- operator has had it replayed or discarded: the payee FSP may have been answered 200 in time.
create table held_back (
  transfer_id text collate "C" not null,
  letter_id text collate "C" not null, -- Of the dead letter, by which it is replayed or discarded.
  event text not null,
  reason text not null,
  held_at timestamptz(3) not null default clock_timestamp(),
  primary key (transfer_id, letter_id)
);

-- An item of a bulk is a transfer like any other and names its bulk; the bulk holds the order of its items
-- and counts them down, in the transactions that move them.
create table bulk_transfers (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  month date not null, -- Of the partitions that hold its messages.
  bulk_quote_id text collate "C" not null,
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C" not null,
  expires_at timestamptz(3) not null,
  payer_version text not null,
  prepare_event_id uuid not null,
  received_at timestamptz(3) not null,
  -- In the order of the request.
  transfer_ids text[] not null check (cardinality(transfer_ids) between 1 and 1000),
  -- Of which the ledger has not answered yet whether they are reserved.
  undecided_count integer not null,
  open_count integer not null, -- Not final.
  committed_count integer not null default 0,
  state text not null
    check (state in ('RECEIVED', 'PENDING', 'ACCEPTED', 'PROCESSING', 'COMPLETED', 'REJECTED')),
  -- Positions, from 0, of the items that the request to the payee FSP leaves out; null before it.
  left_out integer[],
  -- An answer of the payee FSP has arrived and is being read: until then no item of the bulk expires.
  answer_awaited_until timestamptz(3),
  -- The payee FSP's message after which no other one counts.
  answer_event_id uuid,
  answer_hash bytea check (octet_length(answer_hash) = 32),
  answer_refuses boolean,
  answer_error text, -- errorInformation of its PUT …/error, JSON.
  payee_version text,
  reason text, -- Of the end: why nothing could be reserved, where that is the same for all items.
  completed_at timestamptz(3),
  constraint counts_fit check (undecided_count between 0 and open_count and committed_count >= 0
    and open_count + committed_count <= cardinality(transfer_ids)),
  constraint answer_is_whole check (
    num_nulls(answer_event_id, answer_hash, answer_refuses, payee_version) in (0, 4)),
  constraint asked_once_decided check (left_out is null or undecided_count = 0),
  constraint ends_when_final check ((completed_at is not null) = (state in ('COMPLETED', 'REJECTED'))),
  constraint final_with_all_items check (completed_at is null or open_count = 0),
  constraint reason_of_rejected check (reason is null or state = 'REJECTED'),
  constraint rejected_without_payment check (state <> 'REJECTED' or committed_count = 0)
) with (fillfactor = 70);
-- None of these columns changes.
create index bulk_transfers_by_time on bulk_transfers (received_at, id);
create index bulk_transfers_of_payer on bulk_transfers (payer_fsp, received_at, id);
create index bulk_transfers_of_payee on bulk_transfers (payee_fsp, received_at, id);
-- The operator sees at a bulk quote the bulk transfers that name it.
create index bulk_transfers_of_bulk_quote on bulk_transfers (bulk_quote_id, received_at, id);
create index bulk_transfers_open on bulk_transfers (expires_at) where completed_at is null;

-- What FSPs sent, as received: the request and the messages of the payee FSP that counted.
create table bulk_messages (
  month date not null,
  bulk_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  headers bytea, -- JSON of the header names and values.
  received_at timestamptz(3) not null, -- When the hub had the last byte of the message.
  primary key (bulk_id, event_id, month)
) partition by range (month);
-- Not compressed, which takes PostgreSQL longer than to write it.
alter table bulk_messages alter column body set storage external;
comment on table bulk_messages is 'archived by month';

-- Why a month must stay. The rows of `transfers` are never archived: an id that comes again is answered
-- from them.
create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its transfers are not final' from transfers
  where sweep_at is not null and month = of_month having count(*) > 0
);
