-- Bulk transfers. An item is a transfer like any other and names its bulk; the bulk holds the order of
-- its items and counts them down, in the transactions that move them.

alter table transfers add column bulk_id text collate "C";

create table bulk_transfers (
  id text collate "C" primary key check (length(id) between 1 and 64),
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Of the partitions that hold its messages.
  month date not null,
  bulk_quote_id text collate "C" not null,
  payer_fsp text collate "C" not null,
  payee_fsp text collate "C" not null,
  expires_at timestamptz(3) not null,
  payer_version text not null,
  prepare_event_id uuid not null,
  received_at timestamptz(3) not null,
  -- In the order of the request.
  transfer_ids text[] not null check (cardinality(transfer_ids) between 1 and 1000),
  -- Not said yet by the ledger whether they are reserved.
  undecided_count integer not null,
  -- Not final.
  open_count integer not null,
  committed_count integer not null default 0,
  state text not null
    check (state in ('RECEIVED', 'PENDING', 'ACCEPTED', 'PROCESSING', 'COMPLETED', 'REJECTED')),
  -- Positions, from 0, of the items that the payee FSP was not asked for; null while it was not asked.
  left_out integer[],
  -- The payee FSP's message after which no other is taken.
  answer_event_id uuid,
  answer_hash bytea check (octet_length(answer_hash) = 32),
  answer_refuses boolean,
  -- errorInformation of its PUT …/error, JSON.
  answer_error text,
  payee_version text,
  -- Of the end: why nothing could be reserved, where that is the same for all items.
  reason text,
  completed_at timestamptz(3),
  constraint counts_fit check (
    undecided_count between 0 and open_count and committed_count >= 0
    and open_count + committed_count <= cardinality(transfer_ids)),
  constraint answer_is_whole check (
    num_nulls(answer_event_id, answer_hash, answer_refuses, payee_version) in (0, 4)),
  constraint asked_once_decided check (left_out is null or undecided_count = 0),
  constraint ends_when_final check (
    (completed_at is not null) = (state in ('COMPLETED', 'REJECTED'))),
  constraint final_with_all_items check (completed_at is null or open_count = 0),
  constraint reason_of_rejected check (reason is null or state = 'REJECTED'),
  constraint rejected_without_payment check (state <> 'REJECTED' or committed_count = 0)
) with (fillfactor = 70);

-- None of these columns changes.
create index bulk_transfers_by_time on bulk_transfers (received_at, id);
create index bulk_transfers_of_payer on bulk_transfers (payer_fsp, received_at, id);
create index bulk_transfers_of_payee on bulk_transfers (payee_fsp, received_at, id);
create index bulk_transfers_open on bulk_transfers (expires_at) where completed_at is null;

-- What FSPs sent, as received: the request and the messages of the payee FSP that were taken.
create table bulk_messages (
  month date not null,
  bulk_id text collate "C" not null,
  kind text not null check (kind in ('PREPARE', 'FULFIL', 'REJECT')),
  event_id uuid not null,
  body bytea not null,
  -- JSON of the header names and values.
  headers bytea,
  -- When the hub had the last byte of the message.
  received_at timestamptz(3) not null,
  primary key (bulk_id, event_id, month)
) partition by range (month);

comment on table bulk_messages is 'archived by month';
