-- A service of its own for the tests of the bus: per key it counts what it has announced.
create table counters (
  key text collate "C" primary key,
  count integer not null
);

-- What was announced, written by the same transactions.
create table announced (
  key text collate "C" not null,
  count integer not null,
  primary key (key, count)
);

-- What a handler has done.
create table done (
  id text collate "C" primary key,
  times integer not null default 1
);
