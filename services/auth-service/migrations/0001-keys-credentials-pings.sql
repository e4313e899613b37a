-- Public keys of FSPs. A key is never deleted or changed but for its end.
create table participant_keys (
  participant text collate "C" not null,
  kid text collate "C" not null check (length(kid) between 1 and 256),
  use text not null check (use in ('sig', 'enc')),
  -- RFC 7638: the same thumbprint is the same key, however it was written.
  thumbprint text collate "C" not null,
  -- JSON of the public JWK.
  jwk text not null,
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text not null,
  primary key (participant, kid)
);

-- Secrets by which FSPs get tokens; the secret itself is kept nowhere.
create table client_secrets (
  -- SHA-256 of the secret.
  secret_hash bytea primary key check (length(secret_hash) = 32),
  participant text collate "C" not null,
  created_at timestamptz(3) not null,
  created_by text not null,
  ended_at timestamptz(3)
);

create index client_secrets_participant on client_secrets (participant) where ended_at is null;

-- Keys that sign tokens.
create table token_keys (
  kid text collate "C" primary key,
  -- JSON of the public JWK.
  jwk text not null,
  -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null once the key signs no more.
  private_key bytea,
  created_at timestamptz(3) not null,
  signs_until timestamptz(3) not null
);

-- Who holds this row makes the next key.
create table token_key_turn (
  is_one boolean primary key default true check (is_one)
);

insert into token_key_turn default values;

-- Client certificates that were issued.
create table certificates (
  serial text collate "C" primary key,
  participant text collate "C" not null,
  certificate text not null,
  valid_from timestamptz(3) not null,
  valid_to timestamptz(3) not null,
  issued_at timestamptz(3) not null
);

create index certificates_participant on certificates (participant, valid_to);

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
