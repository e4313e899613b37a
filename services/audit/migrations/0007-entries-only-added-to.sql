-- The role that serves, where it does not own the tables, gets no other right on the entries.
comment on table entries is 'only added to';
