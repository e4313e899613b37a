-- The keys of months, and the erasure of a month or of a person.

create table month_keys (
  -- The first day.
  month date primary key check (extract(day from month) = 1),
  -- Encrypted with AUTH_SERVICE_SECRETS_KEY; null: dropped, and the month can never be read again.
  sealed bytea,
  created_at timestamptz(3) not null,
  dropped_at timestamptz(3),
  constraint dropped_at_some_time check ((sealed is null) = (dropped_at is not null))
);

create table erasures (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  kind text not null check (kind in ('MONTH', 'PERSON')),
  month date references month_keys,
  -- Null of a month, and after the person is erased.
  party_id_type text collate "C",
  party_identifier text collate "C",
  party_sub_id text collate "C",
  state text not null default 'PEND-APPROVAL'
    check (state in ('PEND-APPROVAL', 'APPROVED', 'REJECTED')),
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  note text not null default '',
  -- JSON, by service: where the next page begins, and how many rows were erased.
  progress text not null default '{}',
  finished_at timestamptz(3),
  constraint another_person_decides check (decided_by <> created_by),
  constraint decided_with_person_and_time check (
    num_nulls(decided_by, decided_at) = case when state = 'PEND-APPROVAL' then 2 else 0 end),
  constraint month_of_month check ((month is not null) = (kind = 'MONTH')),
  constraint finished_when_approved check (finished_at is null or state = 'APPROVED'),
  constraint person_until_the_end check (
    num_nonnulls(party_id_type, party_identifier)
      = case when kind = 'PERSON' and finished_at is null and state <> 'REJECTED' then 2 else 0 end),
  constraint sub_id_of_a_person check (party_sub_id is null or party_identifier is not null)
);

-- A second request for the same is not needed while one is pending.
create unique index one_pending_erasure_of_month on erasures (month)
  where state = 'PEND-APPROVAL' and kind = 'MONTH';

create index erasures_by_time on erasures (created_at desc, request_id desc);
