-- The role that serves, where it does not own the tables, gets no other right on the journal.
comment on table journal is 'only added to';
