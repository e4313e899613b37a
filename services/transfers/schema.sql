-- The tables of transfers, as its migrations leave them. `npm run docs` writes this file.
-- Its schema also has the tables of libs/keys.

-- Why a month must stay. The rows of `transfers` are never archived: an id that comes again is answered
-- from them.
CREATE FUNCTION archive_refusal(of_month date)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT (count(*) || ' of its transfers are not final'::text) FROM transfers WHERE ((transfers.sweep_at IS NOT NULL) AND (transfers.month = archive_refusal.of_month)) HAVING (count(*) > 0));

-- What FSPs sent, as received: the request and the messages of the payee FSP that counted.
CREATE TABLE bulk_messages (
  month date NOT NULL,
  bulk_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  event_id uuid NOT NULL,
  body bytea STORAGE EXTERNAL NOT NULL,
  -- JSON of the header names and values.
  headers bytea,
  -- When the hub had the last byte of the message.
  received_at timestamptz(3) NOT NULL,
  CONSTRAINT bulk_messages_pkey PRIMARY KEY (bulk_id, event_id, month),
  CONSTRAINT bulk_messages_kind_check CHECK (kind IN ('PREPARE', 'FULFIL', 'REJECT'))
) PARTITION BY RANGE (month);
COMMENT ON TABLE bulk_messages IS 'archived by month';

-- An item of a bulk is a transfer like any other and names its bulk; the bulk holds the order of its items
-- and counts them down, in the transactions that move them.
CREATE TABLE bulk_transfers (
  id text COLLATE "C" NOT NULL,
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  -- Of the partitions that hold its messages.
  month date NOT NULL,
  bulk_quote_id text COLLATE "C" NOT NULL,
  payer_fsp text COLLATE "C" NOT NULL,
  payee_fsp text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  payer_version text NOT NULL,
  prepare_event_id uuid NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- In the order of the request.
  transfer_ids text[] NOT NULL,
  -- Of which the ledger has not answered yet whether they are reserved.
  undecided_count integer NOT NULL,
  -- Not final.
  open_count integer NOT NULL,
  committed_count integer NOT NULL DEFAULT 0,
  state text NOT NULL,
  -- Positions, from 0, of the items that the request to the payee FSP leaves out; null before it.
  left_out integer[],
  -- An answer of the payee FSP has arrived and is being read: until then no item of the bulk expires.
  answer_awaited_until timestamptz(3),
  -- The payee FSP's message after which no other one counts.
  answer_event_id uuid,
  answer_hash bytea,
  answer_refuses boolean,
  -- errorInformation of its PUT …/error, JSON.
  answer_error text,
  payee_version text,
  -- Of the end: why nothing could be reserved, where that is the same for all items.
  reason text,
  completed_at timestamptz(3),
  CONSTRAINT bulk_transfers_pkey PRIMARY KEY (id),
  CONSTRAINT answer_is_whole CHECK (num_nulls(answer_event_id, answer_hash, answer_refuses, payee_version) IN (0, 4)),
  CONSTRAINT asked_once_decided CHECK (left_out IS NULL OR undecided_count = 0),
  CONSTRAINT bulk_transfers_answer_hash_check CHECK (octet_length(answer_hash) = 32),
  CONSTRAINT bulk_transfers_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT bulk_transfers_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT bulk_transfers_state_check CHECK (state IN ('RECEIVED', 'PENDING', 'ACCEPTED', 'PROCESSING', 'COMPLETED', 'REJECTED')),
  CONSTRAINT bulk_transfers_transfer_ids_check CHECK (cardinality(transfer_ids) >= 1 AND cardinality(transfer_ids) <= 1000),
  CONSTRAINT counts_fit CHECK (undecided_count >= 0 AND undecided_count <= open_count AND committed_count >= 0 AND (open_count + committed_count) <= cardinality(transfer_ids)),
  CONSTRAINT ends_when_final CHECK ((completed_at IS NOT NULL) = (state IN ('COMPLETED', 'REJECTED'))),
  CONSTRAINT final_with_all_items CHECK (completed_at IS NULL OR open_count = 0),
  CONSTRAINT reason_of_rejected CHECK (reason IS NULL OR state = 'REJECTED'),
  CONSTRAINT rejected_without_payment CHECK (state <> 'REJECTED' OR committed_count = 0)
) WITH (fillfactor=70);
-- None of these columns changes.
CREATE INDEX bulk_transfers_by_time ON bulk_transfers (received_at, id);
-- The operator sees at a bulk quote the bulk transfers that name it.
CREATE INDEX bulk_transfers_of_bulk_quote ON bulk_transfers (bulk_quote_id, received_at, id);
CREATE INDEX bulk_transfers_of_payee ON bulk_transfers (payee_fsp, received_at, id);
CREATE INDEX bulk_transfers_of_payer ON bulk_transfers (payer_fsp, received_at, id);
CREATE INDEX bulk_transfers_open ON bulk_transfers (expires_at) WHERE completed_at IS NULL;

-- How callbacks reached their FSPs.
CREATE TABLE deliveries (
  month date NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  transfer_id text COLLATE "C" NOT NULL,
  -- The event that reported it.
  report text NOT NULL,
  leg_role text NOT NULL,
  destination_fsp text COLLATE "C" NOT NULL,
  status text NOT NULL,
  http_status integer,
  attempts integer NOT NULL,
  duration_ms integer NOT NULL,
  last_error text,
  reported_at timestamptz(3) NOT NULL,
  CONSTRAINT deliveries_pkey PRIMARY KEY (notification_id, month),
  CONSTRAINT deliveries_leg_role_check CHECK (leg_role IN ('PAYER', 'PAYEE', 'REQUESTER')),
  CONSTRAINT deliveries_status_check CHECK (status IN ('SUCCESS', 'FAILED'))
) PARTITION BY RANGE (month);
CREATE INDEX deliveries_of_transfer ON deliveries (transfer_id);
COMMENT ON TABLE deliveries IS 'archived by month';

-- A message of the payee FSP about one of these transfers is a dead letter. They do not expire before an
-- operator has had it replayed or discarded: the payee FSP may have been answered 200 in time.
CREATE TABLE held_back (
  transfer_id text COLLATE "C" NOT NULL,
  -- Of the dead letter, by which it is replayed or discarded.
  letter_id text COLLATE "C" NOT NULL,
  event text NOT NULL,
  reason text NOT NULL,
  held_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT held_back_pkey PRIMARY KEY (transfer_id, letter_id)
);

-- What FSPs sent, as received: the request and the message that ended the transfer.
CREATE TABLE messages (
  month date NOT NULL,
  transfer_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  event_id uuid NOT NULL,
  body bytea NOT NULL,
  -- JSON of the header names and values.
  headers bytea,
  -- When the hub had the last byte of the message; the ledger holds that against the expiry.
  received_at timestamptz(3),
  CONSTRAINT messages_pkey PRIMARY KEY (transfer_id, kind, month),
  CONSTRAINT messages_kind_check CHECK (kind IN ('PREPARE', 'FULFIL', 'REJECT'))
) PARTITION BY RANGE (month);
COMMENT ON TABLE messages IS 'archived by month';

-- Messages about a transfer that changed nothing: another content, too late, from a stranger.
CREATE TABLE refused_messages (
  month date NOT NULL,
  event_id uuid NOT NULL,
  transfer_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  fsp_id text COLLATE "C" NOT NULL,
  received_at timestamptz(3) NOT NULL,
  reason text NOT NULL,
  -- What the transfer was then; null when there was none.
  state text,
  CONSTRAINT refused_messages_pkey PRIMARY KEY (event_id, month),
  CONSTRAINT refused_messages_kind_check CHECK (kind IN ('PREPARE', 'FULFIL', 'REJECT'))
) PARTITION BY RANGE (month);
CREATE INDEX refused_messages_of_transfer ON refused_messages (transfer_id);
COMMENT ON TABLE refused_messages IS 'archived by month';

CREATE TABLE transfers (
  id text COLLATE "C" NOT NULL,
  -- The bulk whose item it is.
  bulk_id text COLLATE "C",
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  -- Of the partitions that hold its messages.
  month date NOT NULL,
  payer_fsp text COLLATE "C" NOT NULL,
  payee_fsp text COLLATE "C" NOT NULL,
  -- Ten-thousandths.
  amount numeric(40,0) NOT NULL,
  currency text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  condition text COLLATE "C" NOT NULL,
  -- Null when no active settlement model served the currency.
  settlement_model_id integer,
  settles text,
  payer_version text NOT NULL,
  prepare_event_id uuid NOT NULL,
  received_at timestamptz(3) NOT NULL,
  state text NOT NULL,
  -- When the sweeper looks at it next.
  sweep_at timestamptz(3),
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  -- errorInformation, JSON.
  error text,
  fulfilment text,
  -- What the payee FSP added to its result for an item of a bulk: its extensionList, JSON.
  extension_list text,
  -- As the payee FSP wrote it, else when the hub ended the transfer.
  completed_timestamp text,
  outcome_event_id uuid,
  outcome_hash bytea,
  payee_version text,
  window_id integer,
  completed_at timestamptz(3),
  CONSTRAINT transfers_pkey PRIMARY KEY (id),
  CONSTRAINT aborted_for_a_reason CHECK ((state = 'ABORTED') = (num_nulls(reason, error) = 0)),
  CONSTRAINT committed_for_a_fulfilment CHECK ((state = 'COMMITTED') = (num_nulls(fulfilment, outcome_hash) = 0 AND reason IS NULL)),
  CONSTRAINT ends_when_final CHECK ((num_nulls(completed_timestamp, completed_at) = 0) = (state IN ('COMMITTED', 'ABORTED'))),
  CONSTRAINT extensions_of_ended_items CHECK (extension_list IS NULL OR bulk_id IS NOT NULL AND (state IN ('COMMITTED', 'ABORTED'))),
  CONSTRAINT model_is_whole CHECK (num_nulls(settlement_model_id, settles) IN (0, 2)),
  CONSTRAINT swept_until_final CHECK ((sweep_at IS NOT NULL) = (state IN ('RECEIVED', 'RESERVED'))),
  CONSTRAINT transfers_amount_check CHECK (amount > 0),
  CONSTRAINT transfers_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT transfers_outcome_hash_check CHECK (octet_length(outcome_hash) = 32),
  CONSTRAINT transfers_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT transfers_settles_check CHECK (settles IN ('NET', 'GROSS_IMMEDIATE', 'GROSS_IMMEDIATE_MULTILATERAL', 'GROSS_DEFERRED')),
  CONSTRAINT transfers_state_check CHECK (state IN ('RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED'))
) WITH (fillfactor=70);
-- The condition leads from a quote to its transfer. With the time, since a payee FSP may use one condition
-- for many transfers.
CREATE INDEX transfers_by_condition ON transfers (condition, received_at);
CREATE INDEX transfers_by_time ON transfers (received_at, id);
CREATE INDEX transfers_of_payee ON transfers (payee_fsp, received_at, id);
CREATE INDEX transfers_of_payer ON transfers (payer_fsp, received_at, id);
CREATE INDEX transfers_refused ON transfers (received_at, id) WHERE reason IS NOT NULL;
-- No indexed column changes when a transfer is reserved or committed: the indexes of the sweeper and of
-- refusals are not on the state, which does.
CREATE INDEX transfers_to_sweep ON transfers (sweep_at) WHERE sweep_at IS NOT NULL;
