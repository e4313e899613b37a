-- What each component can be set to, what operators have set, and the secrets of components.

create table configurations (
  bounded_context_id text collate "C" primary key check (length(bounded_context_id) between 1 and 64),
  schema_version text not null,
  -- Counts the changes of values.
  iteration_number integer not null default 0 check (iteration_number >= 0),
  definition text not null, -- JSON: parameters and feature flags with their defaults.
  set_values text not null default '{}', -- JSON: only what an operator has set, by name.
  changed_at timestamptz(3),
  changed_by text,
  constraint who_changed_and_when check (num_nulls(changed_at, changed_by) in (0, 2))
);

-- The names of secrets that components register.
create table secret_sets (
  bounded_context_id text collate "C" primary key check (length(bounded_context_id) between 1 and 64),
  version text not null, -- Of the names.
  keys text not null, -- JSON: names with what they are for and whether the component needs them.
  -- Counts the changes of values.
  iteration_number integer not null default 0 check (iteration_number >= 0)
);

-- The values that operators set, stored encrypted alone.
create table secret_values (
  bounded_context_id text collate "C" not null references secret_sets,
  name text collate "C" not null,
  sealed bytea not null, -- Bound to this row.
  changed_at timestamptz(3) not null,
  changed_by text not null,
  primary key (bounded_context_id, name)
);

-- Which signed reads came, so that none is answered twice; deleted when they are too old anyway.
create table secret_reads (
  key_id text collate "C" not null,
  nonce text collate "C" not null,
  read_at timestamptz(3) not null,
  primary key (key_id, nonce)
);
create index secret_reads_by_time on secret_reads (read_at);
