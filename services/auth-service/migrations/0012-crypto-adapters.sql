-- Requests to make new keys elsewhere, each of which another person decides.
create table crypto_adapter_requests (
  request_id text collate "C" primary key check (length(request_id) between 1 and 64),
  adapter text not null check (adapter in ('NODE', 'PKCS11')),
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

create unique index one_pending_crypto_adapter_request on crypto_adapter_requests (state)
  where state = 'PEND-APPROVAL';

create index crypto_adapter_requests_by_time
  on crypto_adapter_requests (created_at desc, request_id desc);

-- Which provider has the private key. NODE: encrypted in private_key. PKCS11: the token has it, and
-- private_key is empty. null once the key signs no more.
alter table token_keys
  add column adapter text not null default 'NODE' check (adapter in ('NODE', 'PKCS11'));
