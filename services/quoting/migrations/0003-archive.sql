-- Which tables are archived by month, and when a month must stay. The rows of `quotes` are never
-- archived: an id that comes again is answered from them.

comment on table messages is 'archived by month';
comment on table deliveries is 'archived by month';

create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its quotes are pending' from quotes
  where state = 'PENDING' and month = of_month having count(*) > 0
);
