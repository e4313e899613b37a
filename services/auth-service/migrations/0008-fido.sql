-- What an authenticator or the private key of a certificate is to sign. Each is used once; the row is
-- deleted some time after its end.
create table challenges (
  -- base64url of 32 random bytes; of CERTIFICATE with a prefix.
  challenge text collate "C" primary key,
  -- Operators of the hub, or users of components.
  realm text not null check (realm in ('OPERATOR', 'USER')),
  purpose text not null
    check (purpose in ('REGISTER', 'AUTHENTICATE', 'AUTHORIZE', 'LOG_IN', 'CERTIFICATE')),
  -- Null: of any user.
  user_id text collate "C",
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
  -- base64url, as the authenticator has made it.
  credential_id text collate "C" primary key,
  realm text not null check (realm in ('OPERATOR', 'USER')),
  user_id text collate "C" not null,
  -- How the user calls it; may be empty.
  name text not null,
  -- COSE_Key, base64url.
  public_key text not null,
  -- SHA-256 of the relying party's id, base64url.
  rp_id_hash text not null,
  origin text not null,
  -- The authenticator verified the user when it was registered.
  is_user_verified boolean not null,
  -- 0: it does not count; else it only grows.
  sign_count bigint not null check (sign_count between 0 and 4294967295),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create index fido_credentials_user on fido_credentials (realm, user_id);
