-- What a batch of the hub writes, at its smallest: an id, a key that is looked up, a body.
create table rows_written (
  id text collate "C" primary key,
  body bytea not null
);
