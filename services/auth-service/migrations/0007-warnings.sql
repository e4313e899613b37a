-- Each warning that a key or a certificate ends soon, once for each of the times before its end.
create table credential_warnings (
  participant text collate "C" not null,
  kind text not null check (kind in ('SIGNING_KEY', 'ENCRYPTION_KEY', 'CERTIFICATE')),
  credential_id text collate "C" not null,
  ends_at timestamptz(3) not null,
  -- The time before the end that the warning is for.
  days integer not null check (days > 0),
  warned_at timestamptz(3) not null,
  primary key (participant, kind, credential_id, ends_at, days)
);
