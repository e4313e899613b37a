-- Changes that one operator sent to the administration API and another one decides
-- (FOUR_EYES=required). Until then nothing of them has happened.
create table operation_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 128),
  method text not null check (method in ('POST', 'PUT', 'DELETE')),
  -- Of the table of routes: '/participants/:name'.
  route text not null check (length(route) between 1 and 256),
  -- As it was sent, with its query.
  uri text not null check (length(uri) between 1 and 4096),
  -- As it was sent; null: none.
  body text check (length(body) <= 1048576),
  -- That its maker needs, also when it is approved.
  privilege text not null,
  state text not null default 'PEND-APPROVAL'
    check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  note text not null default '',
  -- The status of the approved operation; null: it did not run, or its end is not known.
  outcome integer check (outcome between 200 and 599),
  constraint another_person_decides check (decided_by is distinct from created_by),
  constraint who_decided_and_when
    check (num_nulls(decided_by, decided_at) = case state when 'PEND-APPROVAL' then 2 else 0 end),
  constraint outcome_of_approved check (outcome is null or state = 'APPROVED')
);

create index operation_requests_by_time on operation_requests (created_at desc, request_id desc);
create index operation_requests_pending on operation_requests (created_at)
  where state = 'PEND-APPROVAL';

-- Who made the operator or its secret, and when: they are no second person for each other.
alter table operators
  add column secret_by text[] collate "C" not null default '{}',
  add column secret_at timestamptz(3);
