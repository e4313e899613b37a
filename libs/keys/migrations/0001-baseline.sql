-- The keys of months that messages of the host are encrypted with: auth-service makes no other key for such
-- a month.
create table message_keys (
  month date not null check (extract(day from month) = 1), -- The first day.
  thumbprint bytea not null check (length(thumbprint) = 8),
  first_used_at timestamptz(3) not null default now(),
  primary key (month, thumbprint)
);
