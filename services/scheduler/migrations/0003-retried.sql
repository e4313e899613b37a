-- An operator can have a failed reminder delivered again.
alter table reminder_history
  drop constraint reminder_history_what_check,
  add constraint reminder_history_what_check
    check (what in ('CREATED', 'DELETED', 'FIRED', 'FAILED', 'RETRIED'));
