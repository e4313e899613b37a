-- The log of events. Numbers come from the one process that writes here (a sequence would hand them
-- out in another order than that of the commits); rolled back ones stay unused. Bodies stand
-- uncompressed beside their row up to 8 KB: compressing costs more than the event itself.
create table log (
  n bigint primary key,
  topic text collate "C" not null,
  key text collate "C" not null,
  type text collate "C" not null,
  headers bytea not null,
  value bytea not null,
  at timestamptz(3) not null default now()
) with (toast_tuple_target = 8160);

alter table log
  alter column headers set storage external,
  alter column value set storage external;

-- Everything of the topic up to n is finished by the group.
create table offsets (
  group_name text collate "C" not null,
  topic text collate "C" not null,
  n bigint not null,
  at timestamptz(3) not null default now(),
  primary key (group_name, topic)
) with (fillfactor = 50);

-- What a group gave up. A letter that is being replayed stays here until its group has finished it.
create table dead_letters (
  group_name text collate "C" not null,
  id text collate "C" not null,
  topic text collate "C" not null,
  key text collate "C" not null,
  type text collate "C" not null,
  headers bytea not null,
  value bytea not null,
  reason text not null,
  at timestamptz(3) not null default now(),
  replaying boolean not null default false,
  primary key (group_name, id)
);

create index dead_letters_at on dead_letters (at);
