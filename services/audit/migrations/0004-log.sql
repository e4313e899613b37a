-- Warnings and errors of all components: bounded in age and number, and may have gaps.
create table log_lines (
  id bigint generated always as identity primary key,
  -- Of the event or the call, so that a repeated one changes nothing.
  line_id text collate "C" not null unique,
  logged_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- From 0, trace, to 5, fatal.
  severity smallint not null check (severity between 0 and 5),
  source text collate "C" not null,
  app_name text collate "C" not null,
  app_version text collate "C" not null,
  component text collate "C",
  message text not null,
  meta jsonb not null
);

create index log_lines_received on log_lines (received_at);
create index log_lines_source on log_lines (source, id);
create index log_lines_severity on log_lines (severity, id);
