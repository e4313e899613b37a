-- Reports of the certification kit about the implementations of participants. A report is evidence: it is
-- stored once, and nothing changes or removes it.
create table certifications (
  id integer generated always as identity primary key,
  participant_id integer not null references participants,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3) not null,
  callback_url text not null check (length(callback_url) between 1 and 2048),
  passed integer not null check (passed >= 0),
  failed integer not null check (failed >= 0),
  not_run integer not null check (not_run >= 0),
  -- The cases with their results, in the order of the report. Not jsonb, which holds no U+0000: a result
  -- may show what the FSP has sent.
  results json not null check (json_array_length(results) = passed + failed + not_run),
  -- SHA-256 of everything that the report says, so that it is stored once.
  content_hash bytea not null check (length(content_hash) = 32),
  uploaded_by text not null check (uploaded_by <> ''),
  uploaded_at timestamptz(3) not null default clock_timestamp(),
  check (finished_at >= started_at),
  check (passed + failed + not_run between 1 and 2000),
  unique (participant_id, content_hash)
);

create index certifications_listed on certifications (participant_id, id desc);

create function refuse_certification_change() returns trigger language plpgsql as $$
begin
  raise exception 'reports of certifications are only ever added';
end
$$;

create trigger certifications_stay before update or delete on certifications
  for each row execute function refuse_certification_change();

create trigger certifications_stay_whole before truncate on certifications
  for each statement execute function refuse_certification_change();

comment on table certifications is 'only added to';
