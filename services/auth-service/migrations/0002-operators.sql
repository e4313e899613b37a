-- What components ask for, as they registered it.
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
  ('checker', 'Checker', 'Approves what another one proposed.', '["VIEW_*","APPROVE_*"]', true),
  ('treasurer', 'Treasurer', 'Records money in and out, and settles.',
    '["VIEW_*","MANAGE_FUNDS","MANAGE_SETTLEMENTS"]', true),
  ('setup', 'Setup', 'The hub''s own: opens the scheme, brings in the sandbox FSPs and verifies.',
    '["VIEW_PARTICIPANTS","MANAGE_PARTICIPANTS","MANAGE_CREDENTIALS","VIEW_SETTLEMENT_MODELS","MANAGE_SETTLEMENT_MODELS","MANAGE_FUNDS","RUN_VERIFY"]',
    true);

-- The people and programs that run the hub. A name is never used again for somebody else.
create table operators (
  name text collate "C" primary key,
  kind text not null check (kind in ('PERSON', 'MACHINE')),
  -- 'scrypt$N$r$p$salt$hash', or 'sha256$hash' of 256 random bits.
  secret_hash text not null,
  must_change boolean not null,
  is_active boolean not null,
  -- Tokens that carry a lower one are not accepted any more.
  version integer not null,
  -- Log-ins in a row that did not succeed, since when.
  attempts integer not null,
  attempts_since timestamptz(3) not null,
  last_log_in_at timestamptz(3),
  created_at timestamptz(3) not null,
  created_by text not null
);

create table operator_roles (
  operator text collate "C" not null references operators,
  role text collate "C" not null references roles,
  primary key (operator, role)
);

-- From log-in to log-out; of a program without a refresh token.
create table sessions (
  id text collate "C" primary key,
  operator text collate "C" not null references operators,
  -- SHA-256 of the refresh token, and of the one before.
  refresh_hash bytea unique,
  used_hash bytea unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);

create index sessions_operator on sessions (operator) where ended_at is null;
create index sessions_expires_at on sessions (expires_at);

-- Tokens that are not accepted though they have not expired; after `expiry` nobody needs the row.
create table invalidated_tokens (
  token_id text collate "C" primary key,
  versions_below integer not null,
  expiry timestamptz(3) not null
);
