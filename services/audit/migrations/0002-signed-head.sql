-- The head is signed with the time at which it moved. Null: a release without signatures moved it.
alter table head
  add column signed_at timestamptz(3),
  add column kid text collate "C",
  add column signature bytea check (length(signature) = 64);
