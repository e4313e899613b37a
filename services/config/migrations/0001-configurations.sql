-- What each component can be set to, what operators have set, and the requests to change it.

create table configurations (
  bounded_context_id text collate "C" primary key check (length(bounded_context_id) between 1 and 64),
  schema_version text not null,
  -- Counts the changes of values.
  iteration_number integer not null default 0 check (iteration_number >= 0),
  -- JSON: parameters and feature flags with their defaults.
  definition text not null,
  -- JSON: only what an operator has set, by name.
  set_values text not null default '{}',
  changed_at timestamptz(3),
  changed_by text,
  constraint who_changed_and_when check (num_nulls(changed_at, changed_by) in (0, 2))
);

create table change_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  type text not null check (type in ('ConfigurationValues')),
  bounded_context_id text collate "C" not null references configurations,
  schema_version text not null,
  iteration_number integer not null,
  -- JSON: a list of names with values.
  new_values text not null,
  state text not null default 'PEND-APPROVAL'
    check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  note text not null default '',
  constraint another_person_decides check (decided_by <> created_by),
  constraint decided_with_person_and_time check (
    num_nulls(decided_by, decided_at) = case when state = 'PEND-APPROVAL' then 2 else 0 end)
);

-- A second change would be based on values that the first one replaces.
create unique index one_pending_request on change_requests (bounded_context_id, type)
  where state = 'PEND-APPROVAL';

create index requests_by_time on change_requests (created_at desc, request_id desc);
