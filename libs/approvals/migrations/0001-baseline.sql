-- Changes that one person requests and another one decides, in the schema of the service that makes them.
create table approvals (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  kind text not null check (length(kind) between 1 and 64),
  content text not null, -- JSON in the form of the kind, without secrets.
  sealed bytea, -- The secrets of the content, encrypted; deleted with the decision.
  -- JSON: what the change replaces, as it was at the request; null: nothing that must stay the same.
  replaces text,
  turn text collate "C", -- Of pending requests with the same text there is one; null: any number.
  withdraws boolean not null, -- It only takes something away.
  state text not null default 'PEND-APPROVAL' check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  note text,
  constraint another_person_decides check (decided_by <> created_by),
  constraint decided_with_person_and_time check (
    num_nulls(decided_by, decided_at) = case when state = 'PEND-APPROVAL' then 2 else 0 end),
  constraint secrets_only_while_pending check (sealed is null or state = 'PEND-APPROVAL')
);
create unique index one_pending_of_a_turn on approvals (turn) where state = 'PEND-APPROVAL';
create index pending_approvals on approvals (created_at) where state = 'PEND-APPROVAL';
create index approvals_by_time on approvals (created_at desc, request_id desc);
