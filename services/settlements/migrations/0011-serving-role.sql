-- A stored report never changes: the role that serves can only add another version.
comment on table day_reports is 'only added to';

-- Summaries of an index are made by the owner of its table; the role that serves does not own it.
create function summarize_lines() returns integer
language sql security definer set search_path from current
as $$ select brin_summarize_new_values('lines_by_time') $$;
