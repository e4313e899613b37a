-- The log of what somebody did. Each entry carries the hash of the one before it, and a signature.
create table entries (
  -- The place in the chain, without gaps.
  n bigint primary key,
  id text collate "C" not null unique,
  -- To find entries by; what counts is the body.
  source text collate "C" not null,
  action text collate "C" not null,
  actor text collate "C" not null,
  subject text collate "C" not null,
  labels jsonb not null,
  acted_at timestamptz(3) not null,
  recorded_at timestamptz(3) not null,
  -- Canonical JSON of number, time of recording and entry.
  body text not null,
  previous_hash bytea not null check (length(previous_hash) = 32),
  -- SHA-256 of previous_hash and body.
  hash bytea not null check (length(hash) = 32),
  kid text collate "C" not null,
  -- Ed25519 over the hash.
  signature bytea not null check (length(signature) = 64)
);

create index entries_acted_at on entries (acted_at);
create index entries_actor on entries (actor, n);
create index entries_action on entries (action, n);
create index entries_subject on entries (subject, n);
create index entries_labels on entries using gin (labels jsonb_path_ops);

-- Who holds this row appends.
create table head (
  is_one boolean primary key default true check (is_one),
  n bigint not null,
  hash bytea not null
);

insert into head (n, hash) values (0, decode(repeat('00', 32), 'hex'));

-- Public keys that verify; one that signs no more stays.
create table signing_keys (
  kid text collate "C" primary key,
  public_key text not null,
  first_used_at timestamptz(3) not null
);

-- Nobody changes what is on record by a slip of the pen.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are only ever added';
end
$$;

create trigger entries_stay before update or delete or truncate on entries
  for each statement execute function refuse_change();
