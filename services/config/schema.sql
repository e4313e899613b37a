-- The tables of config, as its migrations leave them. `npm run docs` writes this file.
-- Its schema also has the tables of libs/approvals.

CREATE TABLE configurations (
  bounded_context_id text COLLATE "C" NOT NULL,
  schema_version text NOT NULL,
  -- Counts the changes of values.
  iteration_number integer NOT NULL DEFAULT 0,
  -- JSON: parameters and feature flags with their defaults.
  definition text NOT NULL,
  -- JSON: only what an operator has set, by name.
  set_values text NOT NULL DEFAULT '{}',
  changed_at timestamptz(3),
  changed_by text,
  CONSTRAINT configurations_pkey PRIMARY KEY (bounded_context_id),
  CONSTRAINT configurations_bounded_context_id_check CHECK (length(bounded_context_id) >= 1 AND length(bounded_context_id) <= 64),
  CONSTRAINT configurations_iteration_number_check CHECK (iteration_number >= 0),
  CONSTRAINT who_changed_and_when CHECK (num_nulls(changed_at, changed_by) IN (0, 2))
);

-- Which signed reads came, so that none is answered twice; deleted when they are too old anyway.
CREATE TABLE secret_reads (
  key_id text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  read_at timestamptz(3) NOT NULL,
  CONSTRAINT secret_reads_pkey PRIMARY KEY (key_id, nonce)
);
CREATE INDEX secret_reads_by_time ON secret_reads (read_at);

-- The names of secrets that components register.
CREATE TABLE secret_sets (
  bounded_context_id text COLLATE "C" NOT NULL,
  -- Of the names.
  version text NOT NULL,
  -- JSON: names with what they are for and whether the component needs them.
  keys text NOT NULL,
  -- Counts the changes of values.
  iteration_number integer NOT NULL DEFAULT 0,
  CONSTRAINT secret_sets_pkey PRIMARY KEY (bounded_context_id),
  CONSTRAINT secret_sets_bounded_context_id_check CHECK (length(bounded_context_id) >= 1 AND length(bounded_context_id) <= 64),
  CONSTRAINT secret_sets_iteration_number_check CHECK (iteration_number >= 0)
);

-- The values that operators set, stored encrypted alone.
CREATE TABLE secret_values (
  bounded_context_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- Bound to this row.
  sealed bytea NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  changed_by text NOT NULL,
  CONSTRAINT secret_values_pkey PRIMARY KEY (bounded_context_id, name),
  CONSTRAINT secret_values_bounded_context_id_fkey FOREIGN KEY (bounded_context_id) REFERENCES secret_sets(bounded_context_id)
);
