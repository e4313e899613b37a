-- The tables of audit, as its migrations leave them. `npm run docs` writes this file.

-- No statement changes what is on record by mistake.
CREATE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin raise exception 'audit entries are only ever added'; end $function$;

-- The log of what persons and programs did. Each entry carries the hash of the one before it, and a
-- signature.
CREATE TABLE entries (
  -- The place in the chain, without gaps.
  n bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- To find entries by; what counts is the body.
  source text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  labels jsonb NOT NULL,
  acted_at timestamptz(3) NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  -- Canonical JSON of number, time of recording and entry.
  body text NOT NULL,
  previous_hash bytea NOT NULL,
  -- SHA-256 of previous_hash and body.
  hash bytea NOT NULL,
  kid text COLLATE "C" NOT NULL,
  -- Ed25519 over the hash.
  signature bytea NOT NULL,
  CONSTRAINT entries_pkey PRIMARY KEY (n),
  CONSTRAINT entries_id_key UNIQUE (id),
  CONSTRAINT entries_hash_check CHECK (length(hash) = 32),
  CONSTRAINT entries_previous_hash_check CHECK (length(previous_hash) = 32),
  CONSTRAINT entries_signature_check CHECK (length(signature) = 64)
);
CREATE INDEX entries_acted_at ON entries (acted_at);
CREATE INDEX entries_action ON entries (action, n);
CREATE INDEX entries_actor ON entries (actor, n);
CREATE INDEX entries_labels ON entries USING gin (labels jsonb_path_ops);
CREATE INDEX entries_subject ON entries (subject, n);
CREATE TRIGGER entries_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE entries IS 'only added to';

-- How far entries have been copied for a SIEM; the process that holds this row copies.
CREATE TABLE exported (
  is_one boolean NOT NULL DEFAULT true,
  n bigint NOT NULL DEFAULT 0,
  CONSTRAINT exported_pkey PRIMARY KEY (is_one),
  CONSTRAINT exported_is_one_check CHECK (is_one)
);

-- The process that holds this row appends. The head is signed with the time at which it moved; null until
-- it has moved for the first time.
CREATE TABLE head (
  is_one boolean NOT NULL DEFAULT true,
  n bigint NOT NULL,
  hash bytea NOT NULL,
  signed_at timestamptz(3),
  kid text COLLATE "C",
  signature bytea,
  CONSTRAINT head_pkey PRIMARY KEY (is_one),
  CONSTRAINT head_is_one_check CHECK (is_one),
  CONSTRAINT head_signature_check CHECK (length(signature) = 64)
);

-- Warnings and errors of all components: bounded in age and number, and may have gaps.
CREATE TABLE log_lines (
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Of the event or the call, so that a repeated one changes nothing.
  line_id text COLLATE "C" NOT NULL,
  logged_at timestamptz(3) NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- From 0, trace, to 5, fatal.
  severity smallint NOT NULL,
  source text COLLATE "C" NOT NULL,
  app_name text COLLATE "C" NOT NULL,
  app_version text COLLATE "C" NOT NULL,
  component text COLLATE "C",
  message text NOT NULL,
  meta jsonb NOT NULL,
  CONSTRAINT log_lines_pkey PRIMARY KEY (id),
  CONSTRAINT log_lines_line_id_key UNIQUE (line_id),
  CONSTRAINT log_lines_severity_check CHECK (severity >= 0 AND severity <= 5)
);
CREATE INDEX log_lines_received ON log_lines (received_at);
CREATE INDEX log_lines_severity ON log_lines (severity, id);
CREATE INDEX log_lines_source ON log_lines (source, id);

-- Public keys that verify; one that signs no more stays.
CREATE TABLE signing_keys (
  kid text COLLATE "C" NOT NULL,
  public_key text NOT NULL,
  first_used_at timestamptz(3) NOT NULL,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid)
);

-- Entries that the service they name is not known to have made: held until its key is registered, or
-- quarantined until an operator decides.
CREATE TABLE unattributed (
  -- SHA-256 of the canonical JSON of the entry: two entries can claim one id.
  content_hash bytea NOT NULL,
  id text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  -- JSON of the entry, encrypted where the service has a key for it.
  content bytea NOT NULL,
  is_encrypted boolean NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- Null while the entry is held. ID_TAKEN: another entry with this id is on record.
  reason text,
  quarantined_at timestamptz(3),
  CONSTRAINT unattributed_pkey PRIMARY KEY (content_hash),
  CONSTRAINT unattributed_check CHECK ((reason IS NULL) = (quarantined_at IS NULL)),
  CONSTRAINT unattributed_content_hash_check CHECK (length(content_hash) = 32),
  CONSTRAINT unattributed_reason_check CHECK (reason IN ('KEY_UNKNOWN', 'KEY_OF_ANOTHER', 'KEY_REVOKED', 'SIGNATURE_INVALID', 'UNSIGNED', 'ID_TAKEN'))
);
CREATE INDEX unattributed_held ON unattributed (received_at) WHERE reason IS NULL;
CREATE INDEX unattributed_quarantined ON unattributed (quarantined_at) WHERE reason IS NOT NULL;

-- Scheduled verifications of the whole log: one for each due time of the reminder.
CREATE TABLE verifications (
  -- The event that requested it; the e-mail's id derives from it.
  event_id text COLLATE "C" NOT NULL,
  asked_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  checked bigint,
  faults text[],
  CONSTRAINT verifications_pkey PRIMARY KEY (event_id),
  CONSTRAINT verifications_check CHECK ((finished_at IS NULL) = (checked IS NULL)),
  CONSTRAINT verifications_check1 CHECK ((finished_at IS NULL) = (faults IS NULL))
);
CREATE INDEX verifications_unfinished ON verifications (asked_at) WHERE finished_at IS NULL;
