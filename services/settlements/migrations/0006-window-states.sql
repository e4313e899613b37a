-- A window is PENDING_SETTLEMENT as soon as a settlement has taken one of its contents.
update settlement_windows w
set state = 'PENDING_SETTLEMENT', changed_at = clock_timestamp()
where w.state in ('CLOSED', 'ABORTED') and exists (
  select 1 from window_contents c
  where c.window_id = w.id and c.state in ('PENDING_SETTLEMENT', 'SETTLED')
);
