-- The key with which the processes of this service authenticate the answers of oracles that they share in
-- Redis: whoever writes there must not decide whose a telephone number is.
create table shared_answers_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null check (octet_length(key) = 32)
);
