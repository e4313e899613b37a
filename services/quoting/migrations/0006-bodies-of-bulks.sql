-- Not compressed, which takes PostgreSQL longer than to write them.
alter table bulk_messages alter column body set storage external;
