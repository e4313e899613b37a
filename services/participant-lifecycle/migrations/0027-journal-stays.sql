-- The journal is what every balance is computed from: a line is only ever added. Neither a fault of this
-- service nor a statement that somebody smuggles in changes or removes one.
create function refuse_journal_change() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the journal are only ever added';
end
$$;

create trigger journal_stays before update or delete on journal
  for each row execute function refuse_journal_change();

create trigger journal_stays_whole before truncate on journal
  for each statement execute function refuse_journal_change();
