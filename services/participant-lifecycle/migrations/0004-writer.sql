-- Which process writes the ledger: replicas pass on to it what they may not decide. Written under the
-- ledger's lock, so the row of a process that has lost the lock is replaced by its successor.

create table writer (
  -- There is one.
  is_here boolean primary key default true check (is_here),
  -- Where its gRPC server is reached.
  address text not null,
  since timestamptz(3) not null default now()
);
