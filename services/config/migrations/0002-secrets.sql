-- The secrets of components: the names that they register, the values that operators set, the requests
-- to change them, and the reads of values. Values are stored encrypted alone.

create table secret_sets (
  bounded_context_id text collate "C" primary key check (length(bounded_context_id) between 1 and 64),
  -- Of the names.
  version text not null,
  -- JSON: names with what they are for and whether the component needs them.
  keys text not null,
  -- Counts the changes of values.
  iteration_number integer not null default 0 check (iteration_number >= 0)
);

create table secret_values (
  bounded_context_id text collate "C" not null references secret_sets,
  name text collate "C" not null,
  -- Bound to this row.
  sealed bytea not null,
  changed_at timestamptz(3) not null,
  changed_by text not null,
  primary key (bounded_context_id, name)
);

create table secret_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  bounded_context_id text collate "C" not null references secret_sets,
  -- JSON: names, and whether the value is removed.
  changes text not null,
  -- The values, bound to this row; deleted with the decision.
  sealed bytea,
  state text not null default 'PEND-APPROVAL'
    check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  note text not null default '',
  constraint another_person_decides check (decided_by <> created_by),
  constraint decided_with_person_and_time check (
    num_nulls(decided_by, decided_at) = case when state = 'PEND-APPROVAL' then 2 else 0 end),
  constraint values_only_while_pending check ((sealed is null) = (state <> 'PEND-APPROVAL'))
);

create unique index one_pending_secret_request on secret_requests (bounded_context_id)
  where state = 'PEND-APPROVAL';

create index secret_requests_by_time on secret_requests (created_at desc, request_id desc);

-- Which signed reads came, so that none is answered twice; deleted when they are too old anyway.
create table secret_reads (
  key_id text collate "C" not null,
  nonce text collate "C" not null,
  read_at timestamptz(3) not null,
  primary key (key_id, nonce)
);

create index secret_reads_by_time on secret_reads (read_at);
