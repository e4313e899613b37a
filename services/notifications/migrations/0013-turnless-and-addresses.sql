-- What waits behind others, found by its entity: where an entity has nothing whose turn it is, the oldest
-- gets it. A process of the release before turns parks without one.
create index undelivered_turnless on undelivered (fsp_id, entity_id)
  where state = 'PARKED' and not at_turn;

-- Where an FSP wants its callbacks since it last changed that: further attempts go there, wherever the
-- first one went.
create table addresses (
  fsp_id text collate "C" primary key,
  -- Of the participant; grows with every change.
  version integer not null,
  -- [{"type":…,"value":…}]
  endpoints json not null
);
