-- The tables of auth-service, as its migrations leave them. `npm run docs` writes this file.
-- Its schema also has the tables of libs/approvals.

-- Why a month must stay.
CREATE FUNCTION archive_refusal(of_month date)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT (count(*) || ' of its consents wait for account-lookup'::text) FROM consents WHERE ((consents.state = 'PENDING'::text) AND (consents.registered_at >= archive_refusal.of_month) AND (consents.registered_at < (archive_refusal.of_month + '1 mon'::interval))) HAVING (count(*) > 0));

-- The last archive of each table of a month, written by the command `archive`: a restore accepts no other.
CREATE TABLE archived_tables (
  -- The first day.
  month date NOT NULL,
  -- With its schema: transfers.messages.
  table_name text COLLATE "C" NOT NULL,
  -- SHA-256 of the entry in the manifest, hexadecimal.
  digest text NOT NULL,
  archived_at timestamptz(3) NOT NULL,
  CONSTRAINT archived_tables_pkey PRIMARY KEY (month, table_name),
  CONSTRAINT archived_tables_digest_check CHECK (digest ~ '^[0-9a-f]{64}$'),
  CONSTRAINT archived_tables_month_check CHECK (EXTRACT(day FROM month) = 1)
);

-- A client certificate identifies its FSP while it is registered here and not revoked. Those that the hub
-- issued are registered from the start, others by an operator.
CREATE TABLE certificates (
  serial text COLLATE "C" NOT NULL,
  participant text COLLATE "C" NOT NULL,
  certificate text NOT NULL,
  -- SHA-256 of the certificate, which a connection shows.
  fingerprint text COLLATE "C" NOT NULL GENERATED ALWAYS AS (encode(sha256(decode(regexp_replace(certificate, '-----[A-Z ]+-----|\s', '', 'g'), 'base64')), 'hex')) STORED,
  origin text NOT NULL DEFAULT 'ISSUED',
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3) NOT NULL,
  issued_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revoked_by text,
  CONSTRAINT certificates_pkey PRIMARY KEY (serial),
  CONSTRAINT certificates_origin_check CHECK (origin IN ('ISSUED', 'REGISTERED')),
  CONSTRAINT certificates_revoked CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE UNIQUE INDEX certificates_fingerprint ON certificates (fingerprint);
CREATE INDEX certificates_participant ON certificates (participant, valid_to);

-- What an authenticator or the private key of a certificate is to sign. Each is used once; the row is
-- deleted some time after its end.
CREATE TABLE challenges (
  -- base64url of 32 random bytes; of CERTIFICATE with a prefix.
  challenge text COLLATE "C" NOT NULL,
  -- Operators of the hub, or users of components.
  realm text NOT NULL,
  purpose text NOT NULL,
  -- Null: of any user.
  user_id text COLLATE "C",
  transaction_id text COLLATE "C",
  transaction_hash text COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  -- Of AUTHORIZE: the user has signed; what was authorized has been done.
  authorized_at timestamptz(3),
  spent_at timestamptz(3),
  CONSTRAINT challenges_pkey PRIMARY KEY (challenge),
  CONSTRAINT challenges_check CHECK ((purpose IN ('LOG_IN', 'CERTIFICATE')) OR user_id IS NOT NULL),
  CONSTRAINT challenges_check1 CHECK ((purpose NOT IN ('LOG_IN', 'AUTHORIZE')) OR transaction_id IS NOT NULL),
  CONSTRAINT challenges_check2 CHECK (purpose <> 'AUTHORIZE' OR transaction_hash IS NOT NULL),
  CONSTRAINT challenges_check3 CHECK (authorized_at IS NULL OR used_at IS NOT NULL),
  CONSTRAINT challenges_check4 CHECK (spent_at IS NULL OR authorized_at IS NOT NULL),
  CONSTRAINT challenges_purpose_check CHECK (purpose IN ('REGISTER', 'AUTHENTICATE', 'AUTHORIZE', 'LOG_IN', 'CERTIFICATE')),
  CONSTRAINT challenges_realm_check CHECK (realm IN ('OPERATOR', 'USER'))
);
CREATE INDEX challenges_authorized ON challenges (user_id, transaction_id) WHERE authorized_at IS NOT NULL AND spent_at IS NULL;
CREATE INDEX challenges_expires_at ON challenges (expires_at);
CREATE INDEX challenges_open ON challenges (user_id, expires_at) WHERE used_at IS NULL;

-- Secrets by which FSPs get tokens; the secret itself is stored nowhere.
CREATE TABLE client_secrets (
  -- SHA-256 of the secret.
  secret_hash bytea NOT NULL,
  participant text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT client_secrets_pkey PRIMARY KEY (secret_hash),
  CONSTRAINT client_secrets_secret_hash_check CHECK (length(secret_hash) = 32)
);
CREATE INDEX client_secrets_participant ON client_secrets (participant) WHERE ended_at IS NULL;

-- The public keys of components: services of the hub and programs of the operator. Revoked ones stay,
-- so that signatures from before can be attributed and the key is not registered again.
CREATE TABLE component_keys (
  -- The thumbprint of the key, RFC 7638.
  key_id text COLLATE "C" NOT NULL,
  bounded_context_id text COLLATE "C" NOT NULL,
  -- PEM
  public_key text NOT NULL,
  registered_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revoked_by text,
  CONSTRAINT component_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT component_keys_bounded_context_id_check CHECK (length(bounded_context_id) >= 1 AND length(bounded_context_id) <= 64),
  CONSTRAINT component_keys_key_id_check CHECK (length(key_id) = 43),
  CONSTRAINT who_revoked_and_when CHECK (num_nulls(revoked_at, revoked_by) IN (0, 2))
);
CREATE INDEX component_keys_by_context ON component_keys (bounded_context_id);
CREATE INDEX component_keys_by_time ON component_keys (registered_at DESC, key_id);

-- Between whom a consent is, as the hub saw when it relayed it; the first pair stays.
CREATE TABLE consent_parties (
  consent_id text COLLATE "C" NOT NULL,
  dfsp text COLLATE "C" NOT NULL,
  pisp text COLLATE "C" NOT NULL,
  consent_request_id text COLLATE "C",
  observed_at timestamptz(3) NOT NULL,
  CONSTRAINT consent_parties_pkey PRIMARY KEY (consent_id),
  CONSTRAINT consent_parties_consent_id_check CHECK (length(consent_id) >= 1 AND length(consent_id) <= 64)
);

-- The history of consents, and which events were handled.
CREATE TABLE consent_steps (
  month date NOT NULL,
  event_id uuid NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  consent_id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  step text NOT NULL,
  fsp text COLLATE "C" NOT NULL,
  detail text NOT NULL,
  CONSTRAINT consent_steps_pkey PRIMARY KEY (event_id, month)
) PARTITION BY RANGE (month);
CREATE INDEX consent_steps_of ON consent_steps (consent_id, n);
COMMENT ON TABLE consent_steps IS 'archived by month';

-- Consents that users gave PISPs, one row each for ever. The credential is here exactly while it can be
-- used.
CREATE TABLE consents (
  id text COLLATE "C" NOT NULL,
  state text NOT NULL,
  -- The FSP that registered it.
  dfsp text COLLATE "C" NOT NULL,
  -- Of its messages.
  version text NOT NULL,
  request_event_id uuid NOT NULL,
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  consent_request_id text COLLATE "C",
  registered_at timestamptz(3) NOT NULL,
  issued_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text COLLATE "C",
  -- Why the registration was refused.
  reason text,
  -- When an operator had its contents erased.
  erased_at timestamptz(3),
  credential_type text,
  -- JSON of what signatures are checked with, without the counter.
  verifier text,
  -- Of the last signature; 0: the authenticator does not count.
  sign_count bigint,
  -- JSON, as the DFSP sent it.
  scopes text,
  credential text,
  CONSTRAINT consents_pkey PRIMARY KEY (id),
  CONSTRAINT consents_credential_type_check CHECK (credential_type IN ('FIDO', 'GENERIC')),
  CONSTRAINT consents_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT consents_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT consents_sign_count_check CHECK (sign_count >= 0),
  CONSTRAINT consents_state_check CHECK (state IN ('PENDING', 'ISSUED', 'REVOKED', 'REFUSED')),
  CONSTRAINT credential_while_usable CHECK (num_nonnulls(credential_type, verifier, sign_count, scopes, credential) = CASE WHEN state IN ('PENDING', 'ISSUED') THEN 5 ELSE 0 END),
  CONSTRAINT issued_at_some_time CHECK (state <> 'ISSUED' OR issued_at IS NOT NULL),
  CONSTRAINT refused_for_a_reason CHECK ((reason IS NOT NULL) = (state = 'REFUSED')),
  CONSTRAINT revoked_by_somebody CHECK (num_nonnulls(revoked_at, revoked_by) = CASE WHEN state = 'REVOKED' THEN 2 ELSE 0 END)
);
CREATE INDEX consents_by_request ON consents (consent_request_id) WHERE consent_request_id IS NOT NULL;
CREATE INDEX consents_by_time ON consents (registered_at DESC, id);
-- Registrations that wait for account-lookup.
CREATE INDEX consents_pending ON consents (registered_at) WHERE state = 'PENDING';

-- Each warning that a key or a certificate ends soon, once for each of the times before its end.
CREATE TABLE credential_warnings (
  participant text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  credential_id text COLLATE "C" NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- The time before the end that the warning is for.
  days integer NOT NULL,
  warned_at timestamptz(3) NOT NULL,
  CONSTRAINT credential_warnings_pkey PRIMARY KEY (participant, kind, credential_id, ends_at, days),
  CONSTRAINT credential_warnings_days_check CHECK (days > 0),
  CONSTRAINT credential_warnings_kind_check CHECK (kind IN ('SIGNING_KEY', 'ENCRYPTION_KEY', 'CERTIFICATE'))
);

-- Where new keys are made; without a row, as the settings have it.
CREATE TABLE crypto_adapter (
  is_one boolean NOT NULL DEFAULT true,
  adapter text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT crypto_adapter_pkey PRIMARY KEY (is_one),
  CONSTRAINT crypto_adapter_adapter_check CHECK (adapter IN ('NODE', 'PKCS11')),
  CONSTRAINT crypto_adapter_is_one_check CHECK (is_one)
);

-- A key is never changed, except for how its material is encrypted.
CREATE TABLE crypto_keys (
  id text COLLATE "C" NOT NULL,
  definition_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  -- SHA-256 of the content of the request.
  request_hash bytea NOT NULL,
  adapter text NOT NULL,
  -- NODE: encrypted with AUTH_SERVICE_SECRETS_KEY. PKCS11: empty, the token has it.
  material bytea NOT NULL,
  -- Of pairs.
  curve text,
  public_key text,
  -- Of secret keys.
  kcv text,
  -- PEM, of pairs with a certificate request.
  csr text,
  certificate text,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  CONSTRAINT crypto_keys_pkey PRIMARY KEY (id),
  CONSTRAINT crypto_keys_request_id_key UNIQUE (request_id),
  CONSTRAINT crypto_keys_definition_id_fkey FOREIGN KEY (definition_id) REFERENCES key_definitions(id),
  CONSTRAINT crypto_keys_adapter_check CHECK (adapter IN ('NODE', 'PKCS11')),
  CONSTRAINT crypto_keys_check CHECK ((adapter = 'PKCS11') = (length(material) = 0)),
  CONSTRAINT crypto_keys_check1 CHECK ((public_key IS NULL) = (curve IS NULL)),
  CONSTRAINT crypto_keys_check2 CHECK ((kcv IS NULL) = (curve IS NOT NULL)),
  CONSTRAINT crypto_keys_curve_check CHECK (curve IN ('P-256', 'P-384', 'Ed25519')),
  CONSTRAINT crypto_keys_request_hash_check CHECK (length(request_hash) = 32)
);
CREATE INDEX crypto_keys_definition ON crypto_keys (definition_id);

CREATE TABLE fido_credentials (
  -- base64url, as the authenticator has made it.
  credential_id text COLLATE "C" NOT NULL,
  realm text NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- How the user calls it; may be empty.
  name text NOT NULL,
  -- COSE_Key, base64url.
  public_key text NOT NULL,
  -- SHA-256 of the relying party's id, base64url.
  rp_id_hash text NOT NULL,
  origin text NOT NULL,
  -- The authenticator verified the user when it was registered.
  is_user_verified boolean NOT NULL,
  -- 0: it does not count; else it only grows.
  sign_count bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  CONSTRAINT fido_credentials_pkey PRIMARY KEY (credential_id),
  CONSTRAINT fido_credentials_realm_check CHECK (realm IN ('OPERATOR', 'USER')),
  CONSTRAINT fido_credentials_sign_count_check CHECK (sign_count >= 0 AND sign_count <= '4294967295')
);
CREATE INDEX fido_credentials_user ON fido_credentials (realm, user_id);

-- Tokens that are not accepted though they have not expired; after `expiry` the row has no use.
CREATE TABLE invalidated_tokens (
  token_id text COLLATE "C" NOT NULL,
  versions_below integer NOT NULL,
  expiry timestamptz(3) NOT NULL,
  CONSTRAINT invalidated_tokens_pkey PRIMARY KEY (token_id)
);

-- What keys are for. A definition is never changed or deleted.
CREATE TABLE key_definitions (
  id text COLLATE "C" NOT NULL,
  -- Chosen by the client: the same request gets the same answer.
  request_id text COLLATE "C" NOT NULL,
  label text NOT NULL,
  -- Keys of listeners are for TLS alone: with such a key a signature over a digest would be a handshake.
  usage text NOT NULL,
  type text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  CONSTRAINT key_definitions_pkey PRIMARY KEY (id),
  CONSTRAINT key_definitions_request_id_key UNIQUE (request_id),
  CONSTRAINT key_definitions_label_check CHECK (length(label) >= 1 AND length(label) <= 64),
  CONSTRAINT key_definitions_type_check CHECK (type IN ('AES', 'TDES', 'EC')),
  CONSTRAINT key_definitions_usage_check CHECK (usage IN ('SIGN', 'TLS', 'ENCRYPT', 'PIN', 'WRAP'))
);

-- What is known of a PIN block. No hash can be computed without the block, which is stored nowhere.
CREATE TABLE known_pin_blocks (
  -- SHA-256 of key and block.
  block_hash bytea NOT NULL,
  -- SHA-256 of key, block and account number, once it was translated.
  account_hash bytea,
  -- With other account numbers, or before it was translated.
  refused integer NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT known_pin_blocks_pkey PRIMARY KEY (block_hash),
  CONSTRAINT known_pin_blocks_account_hash_check CHECK (octet_length(account_hash) = 32),
  CONSTRAINT known_pin_blocks_block_hash_check CHECK (octet_length(block_hash) = 32),
  CONSTRAINT known_pin_blocks_refused_check CHECK (refused >= 0)
);
CREATE INDEX known_pin_blocks_at ON known_pin_blocks (at);

-- Certificates that fspiop-api shows to clients that name the host.
CREATE TABLE listener_certificates (
  host text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  certificate text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT listener_certificates_pkey PRIMARY KEY (host),
  CONSTRAINT listener_certificates_key_id_fkey FOREIGN KEY (key_id) REFERENCES crypto_keys(id)
);

-- Wrong passwords by address, so that a stranger elsewhere does not lock an operator out.
CREATE TABLE log_in_attempts (
  operator text COLLATE "C" NOT NULL,
  -- A network of clients; empty where it is not known.
  address text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  -- Of the first of them.
  since timestamptz(3) NOT NULL,
  -- The last right password from there; null: none yet.
  proven_at timestamptz(3),
  CONSTRAINT log_in_attempts_pkey PRIMARY KEY (operator, address),
  CONSTRAINT log_in_attempts_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT log_in_attempts_address_check CHECK (length(address) <= 64)
);
CREATE INDEX log_in_attempts_since ON log_in_attempts (since);

-- The keys that messages of a month are encrypted with.
CREATE TABLE month_keys (
  -- The first day.
  month date NOT NULL,
  -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null: dropped, and the month can never be read again.
  sealed bytea,
  created_at timestamptz(3) NOT NULL,
  dropped_at timestamptz(3),
  CONSTRAINT month_keys_pkey PRIMARY KEY (month),
  CONSTRAINT dropped_at_some_time CHECK ((sealed IS NULL) = (dropped_at IS NOT NULL)),
  CONSTRAINT month_keys_month_check CHECK (EXTRACT(day FROM month) = 1)
);

-- Log-ins that an OpenID provider is to end. The state is known to the browser that began.
CREATE TABLE oidc_log_ins (
  -- SHA-256 of the state.
  state_hash bytea NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT oidc_log_ins_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX oidc_log_ins_expires_at ON oidc_log_ins (expires_at);

-- How the runs of approved operations ended.
CREATE TABLE operation_outcomes (
  request_id text COLLATE "C" NOT NULL,
  -- Of HTTP.
  status integer NOT NULL,
  CONSTRAINT operation_outcomes_pkey PRIMARY KEY (request_id),
  CONSTRAINT operation_outcomes_request_id_fkey FOREIGN KEY (request_id) REFERENCES approvals(request_id),
  CONSTRAINT operation_outcomes_status_check CHECK (status >= 200 AND status <= 599)
);

CREATE TABLE operator_roles (
  operator text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL,
  CONSTRAINT operator_roles_pkey PRIMARY KEY (operator, role),
  CONSTRAINT operator_roles_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name),
  CONSTRAINT operator_roles_role_fkey FOREIGN KEY (role) REFERENCES roles(id)
);

-- The people and programs that run the hub. A name is never used again for another one.
CREATE TABLE operators (
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  -- Where a person is informed of what waits for a decision, and of what became of it.
  email text,
  -- 'scrypt$N$r$p$salt$hash', or 'sha256$hash' of 256 random bits.
  secret_hash text NOT NULL,
  -- Who made the operator or its secret, and when: they are no second person for each other.
  secret_by text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  secret_at timestamptz(3),
  must_change boolean NOT NULL,
  -- Whom an OpenID provider means by the operator: its name claim may change hands, issuer and subject
  -- never do.
  oidc_issuer text,
  oidc_subject text,
  is_active boolean NOT NULL,
  -- From then on an operator with the role 'setup' has 'setup-ended' in its place.
  ends_at timestamptz(3),
  -- Tokens that carry a lower one are not accepted any more.
  version integer NOT NULL,
  -- Log-ins in a row that did not succeed, since when.
  attempts integer NOT NULL,
  attempts_since timestamptz(3) NOT NULL,
  last_log_in_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  CONSTRAINT operators_pkey PRIMARY KEY (name),
  CONSTRAINT identity_is_whole CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL)),
  CONSTRAINT operators_check CHECK (email IS NULL OR kind = 'PERSON'),
  CONSTRAINT operators_kind_check CHECK (kind IN ('PERSON', 'MACHINE'))
);
CREATE UNIQUE INDEX operators_by_identity ON operators (oidc_issuer, oidc_subject) WHERE oidc_subject IS NOT NULL;

-- Public keys of FSPs. A key is never deleted or changed but for its end.
CREATE TABLE participant_keys (
  participant text COLLATE "C" NOT NULL,
  kid text COLLATE "C" NOT NULL,
  use text NOT NULL,
  -- RFC 7638: the same thumbprint is the same key, however it was written.
  thumbprint text COLLATE "C" NOT NULL,
  -- JSON of the public JWK.
  jwk text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  CONSTRAINT participant_keys_pkey PRIMARY KEY (participant, kid),
  CONSTRAINT participant_keys_kid_check CHECK (length(kid) >= 1 AND length(kid) <= 256),
  CONSTRAINT participant_keys_use_check CHECK (use IN ('sig', 'enc'))
);

-- Persons whose erasure is approved: what is erased already, and whom, until it is finished.
CREATE TABLE person_erasures (
  -- The change is tried before its request is stored.
  request_id text COLLATE "C" NOT NULL,
  party_id_type text COLLATE "C",
  party_identifier text COLLATE "C",
  party_sub_id text COLLATE "C",
  -- JSON, by service: where the next page begins, and how many rows were erased.
  progress text NOT NULL DEFAULT '{}',
  finished_at timestamptz(3),
  CONSTRAINT person_erasures_pkey PRIMARY KEY (request_id),
  CONSTRAINT person_erasures_request_id_fkey FOREIGN KEY (request_id) REFERENCES approvals(request_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT person_until_the_end CHECK (num_nonnulls(party_id_type, party_identifier) = CASE WHEN finished_at IS NULL THEN 2 ELSE 0 END),
  CONSTRAINT sub_id_of_a_person CHECK (party_sub_id IS NULL OR party_identifier IS NOT NULL)
);

-- Pings of FSPs and how the hub's own ping reached them.
CREATE TABLE pings (
  participant text COLLATE "C" NOT NULL,
  ping_id text COLLATE "C" NOT NULL,
  version text NOT NULL,
  identity text NOT NULL,
  kid text,
  received_at timestamptz(3) NOT NULL,
  callback_status text,
  callback_error text,
  callback_at timestamptz(3),
  CONSTRAINT pings_pkey PRIMARY KEY (participant, ping_id),
  CONSTRAINT pings_callback_status_check CHECK (callback_status IN ('SUCCESS', 'FAILED'))
);
CREATE INDEX pings_last ON pings (participant, received_at);

-- The privileges that components define, as they registered them.
CREATE TABLE privilege_sets (
  bounded_context text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  CONSTRAINT privilege_sets_pkey PRIMARY KEY (bounded_context)
);

CREATE TABLE privileges (
  id text COLLATE "C" NOT NULL,
  bounded_context text COLLATE "C" NOT NULL,
  label text NOT NULL,
  description text NOT NULL,
  CONSTRAINT privileges_pkey PRIMARY KEY (id),
  CONSTRAINT privileges_bounded_context_fkey FOREIGN KEY (bounded_context) REFERENCES privilege_sets(bounded_context)
);

-- PIN blocks that were refused under a key, by their sender.
CREATE TABLE refused_pin_blocks (
  key_id text COLLATE "C" NOT NULL,
  caller text NOT NULL,
  refused integer NOT NULL,
  -- The first of them.
  since timestamptz(3) NOT NULL,
  CONSTRAINT refused_pin_blocks_pkey PRIMARY KEY (key_id, caller),
  CONSTRAINT refused_pin_blocks_key_id_fkey FOREIGN KEY (key_id) REFERENCES crypto_keys(id),
  CONSTRAINT refused_pin_blocks_refused_check CHECK (refused > 0)
);

-- The key with which the edge authenticates payment requests for transfers, encrypted. It is replaced from
-- time to time; the one before is accepted beside it.
CREATE TABLE request_key (
  is_only boolean NOT NULL DEFAULT true,
  key bytea NOT NULL,
  previous_key bytea,
  made_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT request_key_pkey PRIMARY KEY (is_only),
  CONSTRAINT request_key_is_only_check CHECK (is_only)
);

-- What revoked consents consisted of, by the month of their end.
CREATE TABLE revoked_credentials (
  month date NOT NULL,
  consent_id text COLLATE "C" NOT NULL,
  credential_type text NOT NULL,
  verifier text NOT NULL,
  sign_count bigint NOT NULL,
  scopes text NOT NULL,
  credential text NOT NULL,
  CONSTRAINT revoked_credentials_pkey PRIMARY KEY (consent_id, month)
) PARTITION BY RANGE (month);
COMMENT ON TABLE revoked_credentials IS 'archived by month';

CREATE TABLE roles (
  id text COLLATE "C" NOT NULL,
  label text NOT NULL,
  description text NOT NULL,
  -- JSON array of ids of privileges; 'VIEW_*' means all that begin so, '*' all.
  privileges text NOT NULL,
  is_built_in boolean NOT NULL,
  CONSTRAINT roles_pkey PRIMARY KEY (id)
);

-- From log-in to log-out; of a program without a refresh token.
CREATE TABLE sessions (
  id text COLLATE "C" NOT NULL,
  operator text COLLATE "C" NOT NULL,
  -- SHA-256 of the refresh token, and of the one before.
  refresh_hash bytea,
  used_hash bytea,
  factor text,
  address text,
  created_at timestamptz(3) NOT NULL,
  -- The last log-in or refresh: a session that is not used ends.
  used_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_refresh_hash_key UNIQUE (refresh_hash),
  CONSTRAINT sessions_used_hash_key UNIQUE (used_hash),
  CONSTRAINT sessions_operator_fkey FOREIGN KEY (operator) REFERENCES operators(name)
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE INDEX sessions_operator ON sessions (operator) WHERE ended_at IS NULL;

-- Each message once. Which authorization and which verification belongs to a transaction follows from the
-- ids and the challenge that their requests name.
CREATE TABLE third_party_steps (
  month date NOT NULL,
  event_id uuid NOT NULL,
  about text NOT NULL,
  -- transactionRequestId, authorizationRequestId or verificationRequestId
  subject_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  source_fsp text COLLATE "C" NOT NULL,
  destination_fsp text COLLATE "C" NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- The state, response or result in the message; null in requests and errors.
  outcome text,
  error_code text,
  error_description text,
  -- Of transactions, and of POST …/authorizations.
  transaction_request_id text COLLATE "C",
  -- Of POST …/verifications.
  consent_id text COLLATE "C",
  -- SHA-256 of the challenge of a POST, base64url.
  challenge_hash text COLLATE "C",
  CONSTRAINT third_party_steps_pkey PRIMARY KEY (event_id, month),
  CONSTRAINT third_party_steps_about_check CHECK (about IN ('TRANSACTION', 'AUTHORIZATION', 'VERIFICATION')),
  CONSTRAINT third_party_steps_method_check CHECK (method IN ('POST', 'PUT', 'PATCH'))
) PARTITION BY RANGE (month);
CREATE INDEX third_party_steps_by_challenge ON third_party_steps (challenge_hash) WHERE challenge_hash IS NOT NULL;
CREATE INDEX third_party_steps_of_request ON third_party_steps (transaction_request_id) WHERE transaction_request_id IS NOT NULL;
CREATE INDEX third_party_steps_of_subject ON third_party_steps (subject_id);
COMMENT ON TABLE third_party_steps IS 'archived by month';

-- Payments that PISPs began, as the edge saw their messages pass: one row per transaction request for
-- ever. The first POST of an id claims it; what other FSPs than its PISP and DFSP send under the id
-- changes nothing.
CREATE TABLE third_party_transactions (
  -- transactionRequestId
  id text COLLATE "C" NOT NULL,
  pisp text COLLATE "C" NOT NULL,
  dfsp text COLLATE "C" NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  -- REQUESTED until the DFSP answers anything, then its transactionRequestState; FAILED after PUT …/error.
  state text NOT NULL,
  transaction_state text,
  -- As the DFSP named it; the quote and the ILP packet of the payment carry it too.
  transaction_id text COLLATE "C",
  -- Of the verification of the user's signature; null where the DFSP verifies by itself.
  consent_id text COLLATE "C",
  error_code text,
  error_description text,
  ended_at timestamptz(3),
  CONSTRAINT third_party_transactions_pkey PRIMARY KEY (id),
  CONSTRAINT failed_at_some_time CHECK (state <> 'FAILED' OR ended_at IS NOT NULL),
  CONSTRAINT failed_for_an_error CHECK ((state = 'FAILED') = (error_code IS NOT NULL)),
  CONSTRAINT third_party_transactions_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT third_party_transactions_transaction_id_check CHECK (length(transaction_id) >= 1 AND length(transaction_id) <= 64)
);
CREATE INDEX third_party_transactions_by_time ON third_party_transactions (requested_at DESC, id DESC);
CREATE INDEX third_party_transactions_by_transaction ON third_party_transactions (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX third_party_transactions_of_consent ON third_party_transactions (consent_id) WHERE consent_id IS NOT NULL;
CREATE INDEX third_party_transactions_of_dfsp ON third_party_transactions (dfsp, requested_at DESC, id DESC);
-- Operators search the payments of one PISP or one DFSP, the newest first.
CREATE INDEX third_party_transactions_of_pisp ON third_party_transactions (pisp, requested_at DESC, id DESC);

-- The process that holds this row makes the next key.
CREATE TABLE token_key_turn (
  is_one boolean NOT NULL DEFAULT true,
  CONSTRAINT token_key_turn_pkey PRIMARY KEY (is_one),
  CONSTRAINT token_key_turn_is_one_check CHECK (is_one)
);

-- Keys that sign tokens.
CREATE TABLE token_keys (
  kid text COLLATE "C" NOT NULL,
  -- JSON of the public JWK.
  jwk text NOT NULL,
  -- Which provider has the private key. PKCS11: the token has it, and private_key is empty.
  adapter text NOT NULL DEFAULT 'NODE',
  -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null once the key signs no more.
  private_key bytea,
  created_at timestamptz(3) NOT NULL,
  signs_until timestamptz(3) NOT NULL,
  CONSTRAINT token_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT token_keys_adapter_check CHECK (adapter IN ('NODE', 'PKCS11'))
);

-- Requests to verify a signature with the credential of a consent, one row each for ever.
CREATE TABLE verifications (
  id text COLLATE "C" NOT NULL,
  consent_id text COLLATE "C" NOT NULL,
  dfsp text COLLATE "C" NOT NULL,
  request_event_id uuid NOT NULL,
  -- SHA-256 of the canonical request.
  request_hash bytea NOT NULL,
  -- Of each that is VERIFIED, SHA-256 of the challenge that was signed: a signature verifies one request.
  signed_hash bytea,
  -- Null: VERIFIED.
  reason text,
  -- For the operator.
  detail text NOT NULL,
  decided_at timestamptz(3) NOT NULL,
  CONSTRAINT verifications_pkey PRIMARY KEY (id),
  CONSTRAINT signed_when_verified CHECK ((signed_hash IS NULL) = (reason IS NOT NULL)),
  CONSTRAINT verifications_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  CONSTRAINT verifications_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT verifications_signed_hash_check CHECK (octet_length(signed_hash) = 32)
);
CREATE UNIQUE INDEX verifications_by_challenge ON verifications (consent_id, signed_hash) WHERE signed_hash IS NOT NULL;
CREATE INDEX verifications_of_consent ON verifications (consent_id, decided_at DESC);
