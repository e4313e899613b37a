-- What happened to reminders is archived by month; what waits for its time is not.

comment on table reminder_history is 'archived by month';
