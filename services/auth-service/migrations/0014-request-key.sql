-- The key with which the edge authenticates payment requests for transfers, encrypted.
create table request_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null,
  required_from timestamptz not null
);
