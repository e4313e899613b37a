-- Consents that users gave PISPs, and the signatures that were verified with their credentials.

-- One row per consent for ever. Its credential is here exactly while it can be used.
create table consents (
  id text collate "C" primary key check (length(id) between 1 and 64),
  state text not null check (state in ('PENDING', 'ISSUED', 'REVOKED', 'REFUSED')),
  -- The FSP that registered it.
  dfsp text collate "C" not null,
  -- Of its messages.
  version text not null,
  request_event_id uuid not null,
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  consent_request_id text collate "C",
  registered_at timestamptz(3) not null,
  issued_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text collate "C",
  -- Why the registration was refused.
  reason text,
  -- When an operator had its contents erased.
  erased_at timestamptz(3),
  credential_type text check (credential_type in ('FIDO', 'GENERIC')),
  -- JSON of what signatures are checked with, without the counter.
  verifier text,
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

-- One row per verification request for ever.
create table verifications (
  id text collate "C" primary key check (length(id) between 1 and 64),
  consent_id text collate "C" not null,
  dfsp text collate "C" not null,
  request_event_id uuid not null,
  -- SHA-256 of the canonical request.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Null: VERIFIED.
  reason text,
  -- For the operator.
  detail text not null,
  decided_at timestamptz(3) not null
);

create index verifications_of_consent on verifications (consent_id, decided_at desc);

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

comment on table consent_steps is 'archived by month';
comment on table revoked_credentials is 'archived by month';

create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its consents wait for account-lookup' from consents
  where state = 'PENDING' and registered_at >= of_month and registered_at < of_month + interval '1 month'
  having count(*) > 0
);
