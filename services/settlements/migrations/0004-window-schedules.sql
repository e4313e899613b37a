-- When windows are closed by the clock: each model that is settled later has its own times.

alter table settlement_models
  -- Cron in UTC; empty: it had one; null: it never had.
  add column window_cron text check (length(window_cron) <= 100),
  add constraint windows_are_deferred check (window_cron is null or delay = 'DEFERRED');
