-- Which tables are archived by month, and when a month must stay. What was never delivered stays in
-- `undelivered`, so that it can be sent anew.

comment on table deliveries is 'archived by month';

create function archive_refusal(of_month date) returns text stable language sql return (
  select count(*) || ' of its callbacks are not delivered yet' from undelivered
  where state = 'PARKED' and month = of_month having count(*) > 0
);
