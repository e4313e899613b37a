/**
 * What PostgreSQL knows of its sessions, made for connections that share one: advisory locks, who holds
 * them, who works, and the end of a session. Functions and views of these names come before those of
 * PostgreSQL in the search path.
 */
import { queryMessage } from './protocol.ts'

/** The schema of what stands in for PostgreSQL's own. */
const schema = 'simulation'

/** A session that another one has ended: its number follows in a notice. */
const endNotice = 'simulation ends session '
const lockIsHeld = 'simulation waits for a lock'

export const sessionObjects = `
  create schema ${schema};
  create table ${schema}.locks (key bigint primary key, backend integer not null);
  create function ${schema}.pg_try_advisory_lock(bigint) returns boolean language plpgsql as $$ begin
    insert into ${schema}.locks values ($1, current_setting('simulation.backend')::integer)
      on conflict do nothing;
    return exists (select from ${schema}.locks
      where key = $1 and backend = current_setting('simulation.backend')::integer);
  end $$;
  create function ${schema}.pg_advisory_lock(bigint) returns void language plpgsql as $$ begin
    if not ${schema}.pg_try_advisory_lock($1) then
      raise exception '${lockIsHeld}' using errcode = '55P03';
    end if;
  end $$;
  create function ${schema}.pg_terminate_backend(integer) returns boolean language plpgsql as $$ begin
    raise notice '${endNotice}%', $1;
    return true;
  end $$;
  create view ${schema}.pg_stat_activity as
    select s.pid, current_user as usename, current_database() as datname, s.state,
      clock_timestamp() - s.idle_ms * interval '1 ms' as state_change
    from json_to_recordset(coalesce(nullif(current_setting('simulation.sessions', true), ''), '[]')::json)
      as s (pid integer, state text, idle_ms double precision);
  create view ${schema}.pg_locks as
    select 'advisory' as locktype, 1::smallint as objsubid, true as granted, backend as pid,
      ((key >> 32) & 4294967295)::bigint as classid, (key & 4294967295)::bigint as objid
    from ${schema}.locks`

/** For a session that works as many. */
export const sessionSettings = `
  delete from ${schema}.locks;
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set synchronous_commit = off`

/** What stands in for PostgreSQL's own comes before it. */
export function useSearchPath(searchPath: string): Buffer {
  return queryMessage(`set search_path to ${searchPath}, ${schema}, pg_catalog`)
}

/** From now on the session acts as this connection. */
export function actAs(backend: number): Buffer {
  return queryMessage(`set simulation.backend to ${backend}`)
}

export interface SessionState {
  readonly pid: number
  readonly state: 'active' | 'idle' | 'idle in transaction'
  readonly idle_ms: number
}

export function stateSessions(sessions: readonly SessionState[]): Buffer {
  return queryMessage(`set simulation.sessions to '${JSON.stringify(sessions)}'`)
}

export function releaseLocks(backend: number): Buffer {
  return queryMessage(`delete from ${schema}.locks where backend = ${backend}`)
}

/** Whether the trip prepares a statement about sessions. */
export function asksForSessions(trip: Buffer): boolean {
  return trip.includes('pg_stat_activity')
}

/** Whether the trip prepares a statement about locks of sessions. */
export function asksForLocks(trip: Buffer): boolean {
  return trip.includes('advisory')
}

/** Whether the statement waits for a lock that another session holds: it is tried again. */
export function waitsForLock(answer: Buffer): boolean {
  return answer.includes(lockIsHeld)
}

/** A row of one column with false, as `pg_try_advisory_lock` answers where another session has the lock. */
const falseRow = Buffer.from([0x44, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0x66])

/** Whether a session that asked for locks did not get one. */
export function isLockedOut(answer: Buffer): boolean {
  return answer.includes(falseRow)
}

/** The sessions that the statement has ended. */
export function endedBy(answer: Buffer): readonly number[] {
  const ended: number[] = []
  for (let at = answer.indexOf(endNotice); at >= 0; at = answer.indexOf(endNotice, at + 1)) {
    ended.push(
      Number.parseInt(
        answer.toString('latin1', at + endNotice.length, at + endNotice.length + 10),
        10,
      ),
    )
  }
  return ended
}
