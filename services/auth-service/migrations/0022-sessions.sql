-- What a list of sessions shows; null for those of an earlier release.
alter table sessions
  -- The last log-in or refresh: a session that is not used ends.
  add column used_at timestamptz(3),
  add column factor text,
  add column address text;
