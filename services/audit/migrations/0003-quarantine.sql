-- Entries that the service they name is not known to have made: held until its key is registered, or
-- quarantined until an operator decides.
create table unattributed (
  -- SHA-256 of the canonical JSON of the entry: two entries can claim one id.
  content_hash bytea primary key check (length(content_hash) = 32),
  id text collate "C" not null,
  source text collate "C" not null,
  action text collate "C" not null,
  actor text collate "C" not null,
  subject text collate "C" not null,
  key_id text collate "C" not null,
  -- JSON of the entry, encrypted where the service has a key for it.
  content bytea not null,
  is_encrypted boolean not null,
  received_at timestamptz(3) not null,
  -- Null while the entry is held.
  reason text check (reason in
    ('KEY_UNKNOWN', 'KEY_OF_ANOTHER', 'KEY_REVOKED', 'SIGNATURE_INVALID', 'UNSIGNED')),
  quarantined_at timestamptz(3),
  check ((reason is null) = (quarantined_at is null))
);

create index unattributed_held on unattributed (received_at) where reason is null;
create index unattributed_quarantined on unattributed (quarantined_at) where reason is not null;
