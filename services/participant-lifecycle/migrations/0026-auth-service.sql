-- The auth service that the hub hosts is a participant of a type of its own, which the start makes.

alter table participants drop constraint participants_type_check;
alter table participants add constraint participants_type_check
  check (type in ('DFSP', 'PISP', 'HUB', 'AUTH_SERVICE'));
