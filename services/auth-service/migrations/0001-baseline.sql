-- Credentials of FSPs, operators with their roles and sessions, consents and third-party payments, keys of
-- the hub and its components, and the changes that two persons make.

-- Public keys of FSPs. A key is never deleted or changed but for its end.
create table participant_keys (
  participant text collate "C" not null,
  kid text collate "C" not null check (length(kid) between 1 and 256),
  use text not null check (use in ('sig', 'enc')),
  -- RFC 7638: the same thumbprint is the same key, however it was written.
  thumbprint text collate "C" not null,
  jwk text not null, -- JSON of the public JWK.
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text not null,
  primary key (participant, kid)
);

-- Secrets by which FSPs get tokens; the secret itself is stored nowhere.
create table client_secrets (
  secret_hash bytea primary key check (length(secret_hash) = 32), -- SHA-256 of the secret.
  participant text collate "C" not null,
  created_at timestamptz(3) not null,
  created_by text not null,
  ended_at timestamptz(3)
);
create index client_secrets_participant on client_secrets (participant) where ended_at is null;

-- A client certificate identifies its FSP while it is registered here and not revoked. Those that the hub
-- issued are registered from the start, others by an operator.
create table certificates (
  serial text collate "C" primary key,
  participant text collate "C" not null,
  certificate text not null,
  -- SHA-256 of the certificate, which a connection shows.
  fingerprint text collate "C" not null generated always as (encode(
      sha256(decode(regexp_replace(certificate, '-----[A-Z ]+-----|\s', '', 'g'), 'base64')),
      'hex'
    )
  ) stored,
  origin text not null default 'ISSUED' check (origin in ('ISSUED', 'REGISTERED')),
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3) not null,
  issued_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_by text,
  constraint certificates_revoked check ((revoked_at is null) = (revoked_by is null))
);
create index certificates_participant on certificates (participant, valid_to);
create unique index certificates_fingerprint on certificates (fingerprint);

-- Each warning that a key or a certificate ends soon, once for each of the times before its end.
create table credential_warnings (
  participant text collate "C" not null,
  kind text not null check (kind in ('SIGNING_KEY', 'ENCRYPTION_KEY', 'CERTIFICATE')),
  credential_id text collate "C" not null,
  ends_at timestamptz(3) not null,
  days integer not null check (days > 0), -- The time before the end that the warning is for.
  warned_at timestamptz(3) not null,
  primary key (participant, kind, credential_id, ends_at, days)
);

-- Pings of FSPs and how the hub's own ping reached them.
create table pings (
  participant text collate "C" not null,
  ping_id text collate "C" not null,
  version text not null,
  identity text not null,
  kid text,
  received_at timestamptz(3) not null,
  callback_status text check (callback_status in ('SUCCESS', 'FAILED')),
  callback_error text,
  callback_at timestamptz(3),
  primary key (participant, ping_id)
);
create index pings_last on pings (participant, received_at);

-- Keys that sign tokens.
create table token_keys (
  kid text collate "C" primary key,
  jwk text not null, -- JSON of the public JWK.
  -- Which provider has the private key. PKCS11: the token has it, and private_key is empty.
  adapter text not null default 'NODE' check (adapter in ('NODE', 'PKCS11')),
  private_key bytea, -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null once the key signs no more.
  created_at timestamptz(3) not null,
  signs_until timestamptz(3) not null
);

-- The process that holds this row makes the next key.
create table token_key_turn (
  is_one boolean primary key default true check (is_one)
);
insert into token_key_turn default values;

-- Tokens that are not accepted though they have not expired; after `expiry` the row has no use.
create table invalidated_tokens (
  token_id text collate "C" primary key,
  versions_below integer not null,
  expiry timestamptz(3) not null
);

-- The key with which the edge authenticates payment requests for transfers, encrypted. It is replaced from
-- time to time; the one before is accepted beside it.
create table request_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null,
  previous_key bytea,
  made_at timestamptz not null default now()
);

-- The privileges that components define, as they registered them.
create table privilege_sets (
  bounded_context text collate "C" primary key,
  version text collate "C" not null
);

create table privileges (
  id text collate "C" primary key,
  bounded_context text collate "C" not null references privilege_sets,
  label text not null,
  description text not null
);

create table roles (
  id text collate "C" primary key,
  label text not null,
  description text not null,
  -- JSON array of ids of privileges; 'VIEW_*' means all that begin so, '*' all.
  privileges text not null,
  is_built_in boolean not null
);
insert into roles (id, label, description, privileges, is_built_in) values
  ('administrator', 'Administrator', 'May do everything.', '["*"]', true),
  ('viewer', 'Viewer', 'Sees everything and changes nothing.', '["VIEW_*"]', true),
  ('maker', 'Maker', 'Proposes what another one must approve.', '["VIEW_*","CREATE_*"]', true),
  ('checker', 'Checker', 'Approves or rejects what another one proposed.',
    '["VIEW_*","APPROVE_*","REJECT_*"]', true),
  ('treasurer', 'Treasurer', 'Records money in and out, and settles.',
    '["VIEW_*","MANAGE_FUNDS","MANAGE_SETTLEMENTS"]', true),
  ('setup', 'Setup', 'The hub''s own: opens the scheme, brings in the sandbox FSPs and verifies.',
    '["VIEW_PARTICIPANTS","MANAGE_PARTICIPANTS","MANAGE_CREDENTIALS","VIEW_SETTLEMENT_MODELS","MANAGE_SETTLEMENT_MODELS","MANAGE_FUNDS","RUN_VERIFY"]',
    true),
  ('setup-ended', 'Setup, ended', 'What is left to the program that set up the hub: it sees and verifies.',
    '["VIEW_PARTICIPANTS","VIEW_SETTLEMENT_MODELS","RUN_VERIFY"]', true);

-- The people and programs that run the hub. A name is never used again for another one.
create table operators (
  name text collate "C" primary key,
  kind text not null check (kind in ('PERSON', 'MACHINE')),
  -- Where a person is informed of what waits for a decision, and of what became of it.
  email text check (email is null or kind = 'PERSON'),
  secret_hash text not null, -- 'scrypt$N$r$p$salt$hash', or 'sha256$hash' of 256 random bits.
  -- Who made the operator or its secret, and when: they are no second person for each other.
  secret_by text[] collate "C" not null default '{}',
  secret_at timestamptz(3),
  must_change boolean not null,
  -- Whom an OpenID provider means by the operator: its name claim may change hands, issuer and subject
  -- never do.
  oidc_issuer text,
  oidc_subject text,
  is_active boolean not null,
  -- From then on an operator with the role 'setup' has 'setup-ended' in its place.
  ends_at timestamptz(3),
  version integer not null, -- Tokens that carry a lower one are not accepted any more.
  -- Log-ins in a row that did not succeed, since when.
  attempts integer not null,
  attempts_since timestamptz(3) not null,
  last_log_in_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text not null,
  constraint identity_is_whole check ((oidc_issuer is null) = (oidc_subject is null))
);
create unique index operators_by_identity on operators (oidc_issuer, oidc_subject)
  where oidc_subject is not null;

create table operator_roles (
  operator text collate "C" not null references operators,
  role text collate "C" not null references roles,
  primary key (operator, role)
);

-- Wrong passwords by address, so that a stranger elsewhere does not lock an operator out.
create table log_in_attempts (
  operator text collate "C" not null references operators,
  -- A network of clients; empty where it is not known.
  address text collate "C" not null check (length(address) <= 64),
  attempts integer not null,
  since timestamptz(3) not null, -- Of the first of them.
  proven_at timestamptz(3), -- The last right password from there; null: none yet.
  primary key (operator, address)
);
create index log_in_attempts_since on log_in_attempts (since);

-- Log-ins that an OpenID provider is to end. The state is known to the browser that began.
create table oidc_log_ins (
  state_hash bytea primary key, -- SHA-256 of the state.
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz(3) not null
);
create index oidc_log_ins_expires_at on oidc_log_ins (expires_at);

-- From log-in to log-out; of a program without a refresh token.
create table sessions (
  id text collate "C" primary key,
  operator text collate "C" not null references operators,
  -- SHA-256 of the refresh token, and of the one before.
  refresh_hash bytea unique,
  used_hash bytea unique,
  factor text,
  address text,
  created_at timestamptz(3) not null,
  used_at timestamptz(3), -- The last log-in or refresh: a session that is not used ends.
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index sessions_operator on sessions (operator) where ended_at is null;
create index sessions_expires_at on sessions (expires_at);

-- What an authenticator or the private key of a certificate is to sign. Each is used once; the row is
-- deleted some time after its end.
create table challenges (
  -- base64url of 32 random bytes; of CERTIFICATE with a prefix.
  challenge text collate "C" primary key,
  -- Operators of the hub, or users of components.
  realm text not null check (realm in ('OPERATOR', 'USER')),
  purpose text not null
    check (purpose in ('REGISTER', 'AUTHENTICATE', 'AUTHORIZE', 'LOG_IN', 'CERTIFICATE')),
  user_id text collate "C", -- Null: of any user.
  transaction_id text collate "C",
  transaction_hash text collate "C",
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- Of AUTHORIZE: the user has signed; what was authorized has been done.
  authorized_at timestamptz(3),
  spent_at timestamptz(3),
  check (purpose in ('LOG_IN', 'CERTIFICATE') or user_id is not null),
  check (purpose not in ('LOG_IN', 'AUTHORIZE') or transaction_id is not null),
  check (purpose <> 'AUTHORIZE' or transaction_hash is not null),
  check (authorized_at is null or used_at is not null),
  check (spent_at is null or authorized_at is not null)
);
create index challenges_expires_at on challenges (expires_at);
create index challenges_open on challenges (user_id, expires_at) where used_at is null;
create index challenges_authorized on challenges (user_id, transaction_id)
  where authorized_at is not null and spent_at is null;

create table fido_credentials (
  credential_id text collate "C" primary key, -- base64url, as the authenticator has made it.
  realm text not null check (realm in ('OPERATOR', 'USER')),
  user_id text collate "C" not null,
  name text not null, -- How the user calls it; may be empty.
  public_key text not null, -- COSE_Key, base64url.
  rp_id_hash text not null, -- SHA-256 of the relying party's id, base64url.
  origin text not null,
  is_user_verified boolean not null, -- The authenticator verified the user when it was registered.
  -- 0: it does not count; else it only grows.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index fido_credentials_user on fido_credentials (realm, user_id);

-- Consents that users gave PISPs, one row each for ever. The credential is here exactly while it can be
-- used.
create table consents (
  id text collate "C" primary key check (length(id) between 1 and 64),
  state text not null check (state in ('PENDING', 'ISSUED', 'REVOKED', 'REFUSED')),
  dfsp text collate "C" not null, -- The FSP that registered it.
  version text not null, -- Of its messages.
  request_event_id uuid not null,
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  consent_request_id text collate "C",
  registered_at timestamptz(3) not null,
  issued_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text collate "C",
  reason text, -- Why the registration was refused.
  erased_at timestamptz(3), -- When an operator had its contents erased.
  credential_type text check (credential_type in ('FIDO', 'GENERIC')),
  verifier text, -- JSON of what signatures are checked with, without the counter.
  -- Of the last signature; 0: the authenticator does not count.
  sign_count bigint check (sign_count >= 0),
  -- JSON, as the DFSP sent it.
  scopes text,
  credential text,
  constraint credential_while_usable check (
    num_nonnulls(credential_type, verifier, sign_count, scopes, credential)
      = case when state in ('PENDING', 'ISSUED') then 5 else 0 end),
  constraint issued_at_some_time check (state <> 'ISSUED' or issued_at is not null),
  constraint revoked_by_somebody check (
    num_nonnulls(revoked_at, revoked_by) = case when state = 'REVOKED' then 2 else 0 end),
  constraint refused_for_a_reason check ((reason is not null) = (state = 'REFUSED'))
);
create index consents_by_time on consents (registered_at desc, id);
create index consents_by_request on consents (consent_request_id) where consent_request_id is not null;
-- Registrations that wait for account-lookup.
create index consents_pending on consents (registered_at) where state = 'PENDING';

-- Between whom a consent is, as the hub saw when it relayed it; the first pair stays.
create table consent_parties (
  consent_id text collate "C" primary key check (length(consent_id) between 1 and 64),
  dfsp text collate "C" not null,
  pisp text collate "C" not null,
  consent_request_id text collate "C",
  observed_at timestamptz(3) not null
);

-- The history of consents, and which events were handled.
create table consent_steps (
  month date not null,
  event_id uuid not null,
  n bigint generated always as identity,
  consent_id text collate "C" not null,
  at timestamptz(3) not null,
  step text not null,
  fsp text collate "C" not null,
  detail text not null,
  primary key (event_id, month)
) partition by range (month);
create index consent_steps_of on consent_steps (consent_id, n);
comment on table consent_steps is 'archived by month';

-- What revoked consents consisted of, by the month of their end.
create table revoked_credentials (
  month date not null,
  consent_id text collate "C" not null,
  credential_type text not null,
  verifier text not null,
  sign_count bigint not null,
  scopes text not null,
  credential text not null,
  primary key (consent_id, month)
) partition by range (month);
comment on table revoked_credentials is 'archived by month';

-- Why a month must stay.
create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its consents wait for account-lookup' from consents
  where state = 'PENDING' and registered_at >= of_month and registered_at < of_month + interval '1 month'
  having count(*) > 0
);

-- Requests to verify a signature with the credential of a consent, one row each for ever.
create table verifications (
  id text collate "C" primary key check (length(id) between 1 and 64),
  consent_id text collate "C" not null,
  dfsp text collate "C" not null,
  request_event_id uuid not null,
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Of each that is VERIFIED, SHA-256 of the challenge that was signed: a signature verifies one request.
  signed_hash bytea check (octet_length(signed_hash) = 32),
  reason text, -- Null: VERIFIED.
  detail text not null, -- For the operator.
  decided_at timestamptz(3) not null,
  constraint signed_when_verified check ((signed_hash is null) = (reason is not null))
);
create index verifications_of_consent on verifications (consent_id, decided_at desc);
create unique index verifications_by_challenge on verifications (consent_id, signed_hash)
  where signed_hash is not null;

-- Payments that PISPs began, as the edge saw their messages pass: one row per transaction request for
-- ever. The first POST of an id claims it; what other FSPs than its PISP and DFSP send under the id
-- changes nothing.
create table third_party_transactions (
  id text collate "C" primary key check (length(id) between 1 and 64), -- transactionRequestId
  pisp text collate "C" not null,
  dfsp text collate "C" not null,
  requested_at timestamptz(3) not null,
  -- REQUESTED until the DFSP answers anything, then its transactionRequestState; FAILED after PUT …/error.
  state text not null,
  transaction_state text,
  -- As the DFSP named it; the quote and the ILP packet of the payment carry it too.
  transaction_id text collate "C" check (length(transaction_id) between 1 and 64),
  -- Of the verification of the user's signature; null where the DFSP verifies by itself.
  consent_id text collate "C",
  error_code text,
  error_description text,
  ended_at timestamptz(3),
  constraint failed_for_an_error check ((state = 'FAILED') = (error_code is not null)),
  constraint failed_at_some_time check (state <> 'FAILED' or ended_at is not null)
);
create index third_party_transactions_by_time on third_party_transactions (requested_at desc, id desc);
-- Operators search the payments of one PISP or one DFSP, the newest first.
create index third_party_transactions_of_pisp
  on third_party_transactions (pisp, requested_at desc, id desc);
create index third_party_transactions_of_dfsp
  on third_party_transactions (dfsp, requested_at desc, id desc);
create index third_party_transactions_by_transaction on third_party_transactions (transaction_id)
  where transaction_id is not null;
create index third_party_transactions_of_consent on third_party_transactions (consent_id)
  where consent_id is not null;

-- Each message once. Which authorization and which verification belongs to a transaction follows from the
-- ids and the challenge that their requests name.
create table third_party_steps (
  month date not null,
  event_id uuid not null,
  about text not null check (about in ('TRANSACTION', 'AUTHORIZATION', 'VERIFICATION')),
  -- transactionRequestId, authorizationRequestId or verificationRequestId
  subject_id text collate "C" not null,
  method text not null check (method in ('POST', 'PUT', 'PATCH')),
  source_fsp text collate "C" not null,
  destination_fsp text collate "C" not null,
  received_at timestamptz(3) not null,
  outcome text, -- The state, response or result in the message; null in requests and errors.
  error_code text,
  error_description text,
  transaction_request_id text collate "C", -- Of transactions, and of POST …/authorizations.
  consent_id text collate "C", -- Of POST …/verifications.
  challenge_hash text collate "C", -- SHA-256 of the challenge of a POST, base64url.
  primary key (event_id, month)
) partition by range (month);
create index third_party_steps_of_subject on third_party_steps (subject_id);
create index third_party_steps_of_request on third_party_steps (transaction_request_id)
  where transaction_request_id is not null;
create index third_party_steps_by_challenge on third_party_steps (challenge_hash)
  where challenge_hash is not null;
comment on table third_party_steps is 'archived by month';

-- What keys are for. A definition is never changed or deleted.
create table key_definitions (
  id text collate "C" primary key,
  -- Chosen by the client: the same request gets the same answer.
  request_id text collate "C" not null unique,
  label text not null check (length(label) between 1 and 64),
  -- Keys of listeners are for TLS alone: with such a key a signature over a digest would be a handshake.
  usage text not null check (usage in ('SIGN', 'TLS', 'ENCRYPT', 'PIN', 'WRAP')),
  type text not null check (type in ('AES', 'TDES', 'EC')),
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text not null
);

-- A key is never changed, except for how its material is encrypted.
create table crypto_keys (
  id text collate "C" primary key,
  definition_id text collate "C" not null references key_definitions,
  request_id text collate "C" not null unique,
  -- SHA-256 of the content of the request.
  request_hash bytea not null check (length(request_hash) = 32),
  adapter text not null check (adapter in ('NODE', 'PKCS11')),
  -- NODE: encrypted with AUTH_SERVICE_SECRETS_KEY. PKCS11: empty, the token has it.
  material bytea not null check ((adapter = 'PKCS11') = (length(material) = 0)),
  -- Of pairs.
  curve text check (curve in ('P-256', 'P-384', 'Ed25519')),
  public_key text check ((public_key is null) = (curve is null)),
  kcv text check ((kcv is null) = (curve is not null)), -- Of secret keys.
  csr text, -- PEM, of pairs with a certificate request.
  certificate text,
  created_at timestamptz(3) not null,
  created_by text not null
);
create index crypto_keys_definition on crypto_keys (definition_id);

-- Where new keys are made; without a row, as the settings have it.
create table crypto_adapter (
  is_one boolean primary key default true check (is_one),
  adapter text not null check (adapter in ('NODE', 'PKCS11')),
  changed_at timestamptz(3) not null,
  changed_by text not null
);

-- Certificates that fspiop-api shows to clients that name the host.
create table listener_certificates (
  host text collate "C" primary key,
  key_id text collate "C" not null references crypto_keys,
  certificate text not null,
  changed_at timestamptz(3) not null,
  changed_by text not null
);

-- PIN blocks that were refused under a key, by their sender.
create table refused_pin_blocks (
  key_id text collate "C" not null references crypto_keys,
  caller text not null,
  refused int not null check (refused > 0),
  since timestamptz(3) not null, -- The first of them.
  primary key (key_id, caller)
);

-- What is known of a PIN block. No hash can be computed without the block, which is stored nowhere.
create table known_pin_blocks (
  block_hash bytea primary key check (octet_length(block_hash) = 32), -- SHA-256 of key and block.
  -- SHA-256 of key, block and account number, once it was translated.
  account_hash bytea check (octet_length(account_hash) = 32),
  -- With other account numbers, or before it was translated.
  refused int not null check (refused >= 0),
  at timestamptz(3) not null
);
create index known_pin_blocks_at on known_pin_blocks (at);

-- The public keys of components: services of the hub and programs of the operator. Revoked ones stay,
-- so that signatures from before can be attributed and the key is not registered again.
create table component_keys (
  -- The thumbprint of the key, RFC 7638.
  key_id text collate "C" primary key check (length(key_id) = 43),
  bounded_context_id text collate "C" not null check (length(bounded_context_id) between 1 and 64),
  public_key text not null, -- PEM
  registered_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_by text,
  constraint who_revoked_and_when check (num_nulls(revoked_at, revoked_by) in (0, 2))
);
create index component_keys_by_context on component_keys (bounded_context_id);
create index component_keys_by_time on component_keys (registered_at desc, key_id);

-- The keys that messages of a month are encrypted with.
create table month_keys (
  month date primary key check (extract(day from month) = 1), -- The first day.
  -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null: dropped, and the month can never be read again.
  sealed bytea,
  created_at timestamptz(3) not null,
  dropped_at timestamptz(3),
  constraint dropped_at_some_time check ((sealed is null) = (dropped_at is not null))
);

-- The last archive of each table of a month, written by the command `archive`: a restore accepts no other.
create table archived_tables (
  month date not null check (extract(day from month) = 1), -- The first day.
  table_name text collate "C" not null, -- With its schema: transfers.messages.
  -- SHA-256 of the entry in the manifest, hexadecimal.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  archived_at timestamptz(3) not null,
  primary key (month, table_name)
);

-- How the runs of approved operations ended.
create table operation_outcomes (
  request_id text collate "C" primary key references approvals,
  -- Of HTTP.
  status integer not null check (status between 200 and 599)
);

-- Persons whose erasure is approved: what is erased already, and whom, until it is finished.
create table person_erasures (
  -- The change is tried before its request is stored.
  request_id text collate "C" primary key references approvals deferrable initially deferred,
  party_id_type text collate "C",
  party_identifier text collate "C",
  party_sub_id text collate "C",
  -- JSON, by service: where the next page begins, and how many rows were erased.
  progress text not null default '{}',
  finished_at timestamptz(3),
  constraint person_until_the_end check (
    num_nonnulls(party_id_type, party_identifier) = case when finished_at is null then 2 else 0 end),
  constraint sub_id_of_a_person check (party_sub_id is null or party_identifier is not null)
);
