-- No window fails: one whose lines are not all there yet stays PROCESSING, with an alarm, until they are.
alter table settlement_windows
  drop constraint settlement_windows_state_check,
  add constraint settlement_windows_state_check check (state in ('OPEN', 'PROCESSING', 'CLOSED',
    'PENDING_SETTLEMENT', 'SETTLED', 'ABORTED'));
