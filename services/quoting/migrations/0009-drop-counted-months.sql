-- The role that serves owns no table: it drops months through this function, and of this table alone.
create function drop_counted_months(before_month date) returns void
language plpgsql security definer set search_path from current as $$
declare
  old regclass;
begin
  perform set_config('lock_timeout', '1000', true);
  for old in
    select inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = 'counted_transfers'::regclass
      and c.relname::text collate "C" < 'counted_transfers_' || to_char(before_month, 'YYYY_MM')
  loop
    execute format('drop table %s', old);
  end loop;
end
$$;
