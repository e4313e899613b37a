-- Changes that one person asks for and another one decides.

create table change_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  -- The name of the maker's call.
  type text not null check (length(type) between 1 and 64),
  -- The change as JSON, amounts in their one form; and the hash of type and change.
  change text not null check (length(change) <= 65536),
  content_hash bytea not null,
  state text not null default 'PEND-APPROVAL'
    check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  decided_by text,
  decided_at timestamptz(3),
  note text not null default '',
  check ((state = 'PEND-APPROVAL') = (decided_by is null)),
  check ((decided_by is null) = (decided_at is null)),
  -- Two persons, whatever the code may think.
  check (decided_by is distinct from created_by)
);

-- No two equal requests wait at the same time.
create unique index change_requests_pending on change_requests (content_hash)
  where state = 'PEND-APPROVAL';
create index change_requests_listed on change_requests (created_at desc, request_id desc);
