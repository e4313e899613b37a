-- When the lines of a day were read for its report. Only what is stored afterwards is late and makes
-- another version; null: they were not read yet.
alter table report_days
  add column read_at timestamptz(3),
  drop column late_lines;

update report_days set read_at = '-infinity' where version > 0;

-- Few lines are late, and of these only those count that are later than the last read.
drop index lines_late;
create index lines_late on lines (late_at) where late_at is not null;
