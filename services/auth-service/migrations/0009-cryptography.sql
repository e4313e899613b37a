-- What keys are for. A definition is never changed or deleted.
create table key_definitions (
  id text collate "C" primary key,
  -- Chosen by the client: the same request gets the same answer.
  request_id text collate "C" not null unique,
  label text not null check (length(label) between 1 and 64),
  usage text not null check (usage in ('SIGN', 'ENCRYPT', 'PIN', 'WRAP')),
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
  -- SHA-256 of what was asked for.
  request_hash bytea not null check (length(request_hash) = 32),
  adapter text not null check (adapter in ('NODE', 'PKCS11')),
  -- NODE: encrypted with AUTH_SERVICE_SECRETS_KEY. PKCS11: empty, the token has it.
  material bytea not null check ((adapter = 'PKCS11') = (length(material) = 0)),
  -- Of pairs.
  curve text check (curve in ('P-256', 'P-384', 'Ed25519')),
  public_key text check ((public_key is null) = (curve is null)),
  -- Of secret keys.
  kcv text check ((kcv is null) = (curve is not null)),
  -- PEM, of pairs with a certificate request.
  csr text,
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
