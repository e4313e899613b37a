-- How far entries have been copied for a SIEM; who holds this row copies.
create table exported (
  is_one boolean primary key default true check (is_one),
  n bigint not null default 0
);

insert into exported default values;
