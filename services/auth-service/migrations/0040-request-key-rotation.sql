-- The key for payment requests is replaced from time to time; the one before is accepted beside it.
alter table request_key
  add column previous_key bytea,
  add column made_at timestamptz not null default now();
