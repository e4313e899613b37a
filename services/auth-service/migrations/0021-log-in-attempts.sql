-- Wrong passwords by address, so that a stranger elsewhere does not lock an operator out.
create table log_in_attempts (
  operator text collate "C" not null references operators,
  -- A network of clients; empty where it is not known.
  address text collate "C" not null check (length(address) <= 64),
  attempts integer not null,
  -- Of the first of them.
  since timestamptz(3) not null,
  -- The last right password from there; null: none yet.
  proven_at timestamptz(3),
  primary key (operator, address)
);

create index log_in_attempts_since on log_in_attempts (since);
