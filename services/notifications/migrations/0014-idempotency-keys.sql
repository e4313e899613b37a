-- What a key stands for, for ever: the first notification with it decides.
create table idempotency_keys (
  key text collate "C" primary key,
  content text collate "C" not null
);
