-- Payments that PISPs began, as the edge saw their messages pass.

-- One row per transaction request for ever. The first POST of an id claims it; what other FSPs than its
-- PISP and DFSP send under the id changes nothing.
create table third_party_transactions (
  -- transactionRequestId
  id text collate "C" primary key check (length(id) between 1 and 64),
  pisp text collate "C" not null,
  dfsp text collate "C" not null,
  requested_at timestamptz(3) not null,
  -- REQUESTED until the DFSP says anything, then its transactionRequestState; FAILED after PUT …/error.
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
  -- The state, response or result that the message says; null in requests and errors.
  outcome text,
  error_code text,
  error_description text,
  -- Of transactions, and of POST …/authorizations.
  transaction_request_id text collate "C",
  -- Of POST …/verifications.
  consent_id text collate "C",
  -- SHA-256 of the challenge of a POST, base64url.
  challenge_hash text collate "C",
  primary key (event_id, month)
) partition by range (month);

create index third_party_steps_of_subject on third_party_steps (subject_id);
create index third_party_steps_of_request on third_party_steps (transaction_request_id)
  where transaction_request_id is not null;
create index third_party_steps_by_challenge on third_party_steps (challenge_hash)
  where challenge_hash is not null;

comment on table third_party_steps is 'archived by month';
