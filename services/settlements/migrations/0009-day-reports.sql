-- Reports of finished days. Amounts are ten-thousandths.

alter table lines
  add column is_bulk_item boolean not null default false,
  -- From the receipt of the request to the end; null for fees and for what an earlier release ended.
  add column duration_ms integer check (duration_ms >= 0),
  -- Set where the end of the line's day had been taken for a report before the line arrived.
  add column late_at timestamptz(3);

-- Lines arrive in the order of their time, so a summary of each block range finds those of a day, and
-- costs the consumer next to nothing.
create index lines_by_time on lines using brin (finalised_at) with (pages_per_range = 32);
create index lines_late on lines (finalised_at) where late_at is not null;

-- A day whose end was taken for a report. Scope: a currency with an end of day of its own; empty: all
-- others.
create table report_days (
  day date not null,
  scope text collate "C" not null,
  until_at timestamptz(3) not null,
  -- The last version that was stored; 0: none yet.
  version integer not null default 0 check (version >= 0),
  -- The late lines that it contains.
  late_lines bigint not null default 0,
  primary key (day, scope)
);

create index report_days_until on report_days (until_at);

-- The time of a day of each currency: one follows the other without a gap.
create table report_periods (
  currency text collate "C" not null,
  day date not null,
  scope text collate "C" not null,
  from_at timestamptz(3) not null,
  until_at timestamptz(3) not null,
  primary key (currency, day),
  foreign key (day, scope) references report_days,
  check (from_at <= until_at)
);

create index report_periods_day on report_periods (day, scope);

-- Reports that are still to be made, stored before they are: every start makes the ones that are there.
create table report_requests (
  day date not null,
  scope text collate "C" not null,
  reason text not null check (reason in ('SCHEDULE', 'OPERATOR', 'LATE_TRANSFERS')),
  actor text not null,
  requested_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  -- Until then the process that took it makes it.
  leased_until timestamptz(3) not null default '-infinity',
  lease uuid,
  last_error text,
  primary key (day, scope),
  foreign key (day, scope) references report_days
);

-- Participant: empty is the operator's report of all.
create table day_reports (
  participant text collate "C" not null,
  day date not null,
  scope text collate "C" not null,
  version integer not null check (version > 0),
  made_at timestamptz(3) not null,
  reason text not null,
  -- JSON, byte for byte what the hash is of.
  body text not null,
  sha256 bytea not null check (sha256 = sha256(convert_to(body, 'UTF8'))),
  -- JSON: the figures that lists and charts show.
  summary text not null,
  primary key (participant, day, scope, version),
  foreign key (day, scope) references report_days
);

create function reports_never_change() returns trigger language plpgsql as $$
begin
  raise exception 'a stored report never changes: a correction is another version';
end
$$;

create trigger day_reports_never_change before update or delete on day_reports
  for each row execute function reports_never_change();

-- How a participant gets its reports by e-mail; without a row: LINK. Empty: the operator.
create table report_deliveries (
  participant text collate "C" primary key,
  delivery text not null check (delivery in ('OFF', 'LINK', 'ATTACHMENT'))
);
