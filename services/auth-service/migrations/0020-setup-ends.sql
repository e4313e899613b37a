-- The program that sets up the hub loses its right to change anything after a while.
insert into roles (id, label, description, privileges, is_built_in) values
  ('setup-ended', 'Setup, ended', 'What is left to the program that set up the hub: it sees and verifies.',
    '["VIEW_PARTICIPANTS","VIEW_SETTLEMENT_MODELS","RUN_VERIFY"]', true);

-- From then on an operator with the role 'setup' has 'setup-ended' in its place.
alter table operators add column ends_at timestamptz(3);

update operators set ends_at = now() + interval '24 hours' where name = 'setup' and kind = 'MACHINE';
