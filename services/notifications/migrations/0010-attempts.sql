-- Attempt by attempt, JSON: [{"began_ms", "duration_ms", "httpStatus", "error"}], the first and the last of many. Null
-- where there was one attempt alone: the line then says all of it.
alter table deliveries add column tries text;
alter table undelivered add column tries text;
