-- The log of what persons and programs did. Each entry carries the hash of the one before it, and a
-- signature.
create table entries (
  n bigint primary key, -- The place in the chain, without gaps.
  id text collate "C" not null unique,
  -- To find entries by; what counts is the body.
  source text collate "C" not null,
  action text collate "C" not null,
  actor text collate "C" not null,
  subject text collate "C" not null,
  labels jsonb not null,
  acted_at timestamptz(3) not null,
  recorded_at timestamptz(3) not null,
  body text not null, -- Canonical JSON of number, time of recording and entry.
  previous_hash bytea not null check (length(previous_hash) = 32),
  hash bytea not null check (length(hash) = 32), -- SHA-256 of previous_hash and body.
  kid text collate "C" not null,
  -- Ed25519 over the hash.
  signature bytea not null check (length(signature) = 64)
);
create index entries_acted_at on entries (acted_at);
create index entries_actor on entries (actor, n);
create index entries_action on entries (action, n);
create index entries_subject on entries (subject, n);
create index entries_labels on entries using gin (labels jsonb_path_ops);

-- No statement changes what is on record by mistake.
create function refuse_change() returns trigger language plpgsql as $$
  begin raise exception 'audit entries are only ever added'; end $$;
create trigger entries_stay before update or delete or truncate on entries
  for each statement execute function refuse_change();
-- The role that serves, where it does not own the tables, gets no other right on the entries.
comment on table entries is 'only added to';

-- The process that holds this row appends. The head is signed with the time at which it moved; null until
-- it has moved for the first time.
create table head (
  is_one boolean primary key default true check (is_one),
  n bigint not null,
  hash bytea not null,
  signed_at timestamptz(3),
  kid text collate "C",
  signature bytea check (length(signature) = 64)
);
insert into head (n, hash) values (0, decode(repeat('00', 32), 'hex'));

-- Public keys that verify; one that signs no more stays.
create table signing_keys (
  kid text collate "C" primary key,
  public_key text not null,
  first_used_at timestamptz(3) not null
);

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
  content bytea not null, -- JSON of the entry, encrypted where the service has a key for it.
  is_encrypted boolean not null,
  received_at timestamptz(3) not null,
  -- Null while the entry is held. ID_TAKEN: another entry with this id is on record.
  reason text check (reason in
    ('KEY_UNKNOWN', 'KEY_OF_ANOTHER', 'KEY_REVOKED', 'SIGNATURE_INVALID', 'UNSIGNED', 'ID_TAKEN')),
  quarantined_at timestamptz(3),
  check ((reason is null) = (quarantined_at is null))
);
create index unattributed_held on unattributed (received_at) where reason is null;
create index unattributed_quarantined on unattributed (quarantined_at) where reason is not null;

-- Scheduled verifications of the whole log: one for each due time of the reminder.
create table verifications (
  -- The event that requested it; the e-mail's id derives from it.
  event_id text collate "C" primary key,
  asked_at timestamptz(3) not null,
  finished_at timestamptz(3),
  checked bigint,
  faults text[],
  check ((finished_at is null) = (checked is null)),
  check ((finished_at is null) = (faults is null))
);
create index verifications_unfinished on verifications (asked_at) where finished_at is null;

-- How far entries have been copied for a SIEM; the process that holds this row copies.
create table exported (
  is_one boolean primary key default true check (is_one),
  n bigint not null default 0
);
insert into exported default values;

-- Warnings and errors of all components: bounded in age and number, and may have gaps.
create table log_lines (
  id bigint generated always as identity primary key,
  -- Of the event or the call, so that a repeated one changes nothing.
  line_id text collate "C" not null unique,
  logged_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  severity smallint not null check (severity between 0 and 5), -- From 0, trace, to 5, fatal.
  source text collate "C" not null,
  app_name text collate "C" not null,
  app_version text collate "C" not null,
  component text collate "C",
  message text not null,
  meta jsonb not null
);
create index log_lines_received on log_lines (received_at);
create index log_lines_source on log_lines (source, id);
create index log_lines_severity on log_lines (severity, id);
