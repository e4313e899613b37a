-- The tables of quoting, as its migrations leave them. `npm run docs` writes this file.
-- Its schema also has the tables of libs/approvals and libs/keys.

-- Why a month must stay. The rows of `quotes` and `bulk_quotes` are never archived: an id that comes again
-- is answered from them.
CREATE FUNCTION archive_refusal(of_month date)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT (count(*) || ' of its quotes are pending'::text) FROM (SELECT quotes.month FROM quotes WHERE ((quotes.state = 'PENDING'::text) AND (quotes.month = archive_refusal.of_month)) UNION ALL SELECT bulk_quotes.month FROM bulk_quotes WHERE ((bulk_quotes.state = 'PENDING'::text) AND (bulk_quotes.month = archive_refusal.of_month))) pending HAVING (count(*) > 0));

-- The role that serves owns no table: it drops months through this function, and of this table alone.
CREATE FUNCTION drop_counted_months(before_month date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'quoting'
AS $function$
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
$function$;

-- What FSPs sent, as received; and what the hub sent the payer FSP where that was not the payee FSP's
-- own message (ANSWER).
CREATE TABLE bulk_messages (
  month date NOT NULL,
  bulk_quote_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  event_id uuid NOT NULL,
  body bytea STORAGE EXTERNAL NOT NULL,
  -- JSON of the header names and values; null in a message of the hub.
  headers bytea,
  -- The header FSPIOP-Encryption of a message of the hub.
  encryption text,
  CONSTRAINT bulk_messages_pkey PRIMARY KEY (bulk_quote_id, kind, month),
  CONSTRAINT bulk_messages_kind_check CHECK (kind IN ('REQUEST', 'RESPONSE', 'REJECT', 'ANSWER'))
) PARTITION BY RANGE (month);
COMMENT ON TABLE bulk_messages IS 'archived by month';

CREATE TABLE bulk_quote_items (
  month date NOT NULL,
  bulk_quote_id text COLLATE "C" NOT NULL,
  -- In the order of the request, from 0.
  "position" integer NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  amount_type text NOT NULL,
  -- Ten-thousandths.
  amount numeric(40,0) NOT NULL,
  currency text COLLATE "C" NOT NULL,
  -- errorInformation, JSON: why the hub refused it; null where it did not.
  error text,
  CONSTRAINT bulk_quote_items_pkey PRIMARY KEY (bulk_quote_id, "position", month),
  CONSTRAINT bulk_quote_items_amount_check CHECK (amount >= 0),
  CONSTRAINT bulk_quote_items_amount_type_check CHECK (amount_type IN ('SEND', 'RECEIVE')),
  CONSTRAINT bulk_quote_items_position_check CHECK ("position" >= 0 AND "position" <= 999)
) PARTITION BY RANGE (month);
-- For the story of a payment that is an item of a bulk.
CREATE INDEX bulk_quote_items_by_quote ON bulk_quote_items (quote_id);
COMMENT ON TABLE bulk_quote_items IS 'archived by month';

CREATE TABLE bulk_quotes (
  id text COLLATE "C" NOT NULL,
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  -- Of the partitions that hold its items and messages.
  month date NOT NULL,
  payer_fsp text COLLATE "C" NOT NULL,
  -- Null when it was refused before its payee FSP was known.
  payee_fsp text COLLATE "C",
  items integer NOT NULL,
  -- Those that were not sent to the payee FSP.
  items_refused integer NOT NULL,
  -- Until then an answer counts.
  expires_at timestamptz(3) NOT NULL,
  payer_version text NOT NULL,
  request_event_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  state text NOT NULL,
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  -- errorInformation, JSON.
  error text,
  outcome_event_id uuid,
  outcome_hash bytea,
  -- Until then the payer FSP may rely on the answer.
  valid_until timestamptz(3),
  completed_at timestamptz(3),
  CONSTRAINT bulk_quotes_pkey PRIMARY KEY (id),
  CONSTRAINT accepted_for_an_answer CHECK ((state = 'ACCEPTED') = (valid_until IS NOT NULL) AND (state <> 'ACCEPTED' OR outcome_hash IS NOT NULL)),
  CONSTRAINT asked_of_somebody CHECK (payee_fsp IS NOT NULL OR state = 'REJECTED'),
  CONSTRAINT bulk_quotes_check CHECK (items_refused >= 0 AND items_refused <= items),
  CONSTRAINT bulk_quotes_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT bulk_quotes_items_check CHECK (items >= 1 AND items <= 1000),
  CONSTRAINT bulk_quotes_outcome_hash_check CHECK (octet_length(outcome_hash) = 32),
  CONSTRAINT bulk_quotes_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT bulk_quotes_state_check CHECK (state IN ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  CONSTRAINT ends_when_final CHECK ((completed_at IS NULL) = (state = 'PENDING')),
  CONSTRAINT outcome_is_whole CHECK (num_nulls(outcome_event_id, outcome_hash) IN (0, 2)),
  CONSTRAINT rejected_for_a_reason CHECK ((state = 'REJECTED') = (num_nulls(reason, error) = 0))
);
-- For the operator: by their time, and those of an FSP.
CREATE INDEX bulk_quotes_by_time ON bulk_quotes (created_at, id);
CREATE INDEX bulk_quotes_of_payee ON bulk_quotes (payee_fsp, created_at, id);
CREATE INDEX bulk_quotes_of_payer ON bulk_quotes (payer_fsp, created_at, id);
CREATE INDEX bulk_quotes_to_sweep ON bulk_quotes (expires_at) WHERE state = 'PENDING';

-- The transfers in it, so that none counts twice.
CREATE TABLE counted_transfers (
  month date NOT NULL,
  transfer_id text COLLATE "C" NOT NULL,
  CONSTRAINT counted_transfers_pkey PRIMARY KEY (transfer_id, month)
) PARTITION BY RANGE (month);

-- How callbacks reached their FSPs.
CREATE TABLE deliveries (
  month date NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
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
CREATE INDEX deliveries_of_quote ON deliveries (quote_id);
COMMENT ON TABLE deliveries IS 'archived by month';

-- What FSPs sent, as received: the request and the message that ended the quote.
CREATE TABLE messages (
  month date NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  event_id uuid NOT NULL,
  body bytea NOT NULL,
  -- JSON of the header names and values.
  headers bytea,
  CONSTRAINT messages_pkey PRIMARY KEY (quote_id, kind, month),
  CONSTRAINT messages_kind_check CHECK (kind IN ('REQUEST', 'RESPONSE', 'REJECT'))
) PARTITION BY RANGE (month);
COMMENT ON TABLE messages IS 'archived by month';

CREATE TABLE quotes (
  id text COLLATE "C" NOT NULL,
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  -- Of the partitions that hold its messages.
  month date NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  payer_fsp text COLLATE "C" NOT NULL,
  -- Null when it was refused before its payee FSP was known.
  payee_fsp text COLLATE "C",
  amount_type text NOT NULL,
  -- Ten-thousandths.
  amount numeric(40,0) NOT NULL,
  currency text COLLATE "C" NOT NULL,
  -- Until then an answer counts.
  expires_at timestamptz(3) NOT NULL,
  payer_version text NOT NULL,
  request_event_id uuid NOT NULL,
  -- The transaction request that came before it, of a payee's FSP or of a PISP.
  transaction_request_id text COLLATE "C",
  -- Leads from a transfer to the quote.
  condition text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  state text NOT NULL,
  -- Of the end: why, and of which message of the payee FSP.
  reason text,
  -- errorInformation, JSON.
  error text,
  rule_id text,
  outcome_event_id uuid,
  outcome_hash bytea,
  -- Ten-thousandths, in the currency of the request.
  transfer_amount numeric(40,0),
  -- Until then the payer FSP may rely on the answer.
  valid_until timestamptz(3),
  completed_at timestamptz(3),
  CONSTRAINT quotes_pkey PRIMARY KEY (id),
  CONSTRAINT accepted_for_an_answer CHECK ((state = 'ACCEPTED') = (num_nulls(transfer_amount, valid_until) = 0)),
  CONSTRAINT asked_of_somebody CHECK (payee_fsp IS NOT NULL OR state = 'REJECTED'),
  CONSTRAINT ends_when_final CHECK ((completed_at IS NULL) = (state = 'PENDING')),
  CONSTRAINT outcome_is_whole CHECK (num_nulls(outcome_event_id, outcome_hash) IN (0, 2)),
  CONSTRAINT outcome_of_an_answer CHECK (state <> 'ACCEPTED' OR outcome_hash IS NOT NULL),
  CONSTRAINT quotes_amount_check CHECK (amount >= 0),
  CONSTRAINT quotes_amount_type_check CHECK (amount_type IN ('SEND', 'RECEIVE')),
  CONSTRAINT quotes_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT quotes_outcome_hash_check CHECK (octet_length(outcome_hash) = 32),
  CONSTRAINT quotes_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT quotes_state_check CHECK (state IN ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  CONSTRAINT quotes_transfer_amount_check CHECK (transfer_amount >= 0),
  CONSTRAINT rejected_for_a_reason CHECK ((state = 'REJECTED') = (num_nulls(reason, error) = 0))
);
CREATE INDEX quotes_by_condition ON quotes (condition) WHERE transaction_request_id IS NOT NULL;
-- Both hold nothing of quotes without a transaction request.
CREATE INDEX quotes_of_transaction_request ON quotes (transaction_request_id) WHERE transaction_request_id IS NOT NULL;
CREATE INDEX quotes_to_sweep ON quotes (expires_at) WHERE state = 'PENDING';

-- Each iteration is the whole set; none is ever changed or deleted.
CREATE TABLE scheme_rules (
  iteration integer NOT NULL,
  -- JSON, as the operator sees it.
  rules text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT scheme_rules_pkey PRIMARY KEY (iteration),
  CONSTRAINT scheme_rules_iteration_check CHECK (iteration >= 1)
);

-- What a payer FSP has paid, by minute.
CREATE TABLE velocity (
  payer_fsp text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  minute timestamptz(0) NOT NULL,
  transfers bigint NOT NULL,
  -- Ten-thousandths.
  amount numeric(40,0) NOT NULL,
  CONSTRAINT velocity_pkey PRIMARY KEY (payer_fsp, currency, minute),
  CONSTRAINT velocity_amount_check CHECK (amount >= 0),
  CONSTRAINT velocity_transfers_check CHECK (transfers > 0)
);
CREATE INDEX velocity_by_minute ON velocity (minute);
