-- Requests for other scheme rules, each of which a second person decides.

create table scheme_rule_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  -- Of the rules that the request is based on.
  iteration integer not null check (iteration >= 0),
  -- JSON: the whole set, as the operator sees it.
  rules text not null,
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

-- A second change would be based on rules that the first one replaces.
create unique index one_pending_rule_request on scheme_rule_requests ((true))
  where state = 'PEND-APPROVAL';

create index rule_requests_by_time on scheme_rule_requests (created_at desc, request_id desc);
