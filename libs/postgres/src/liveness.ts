/**
 * A connection without a response may belong to a server that works on a long statement or to a machine
 * that is gone: only another connection can distinguish the two. So another one checks whether the
 * backend still works, and a server that does not respond to that either is gone.
 */
import pg from 'pg'
import type { ClientConfig } from 'pg'
import { connecting, failureOf, sqlState } from './failure.ts'
import { cut, type Watchman } from './round-trip.ts'

export interface LivenessOptions {
  /** The configuration of the watched connections, for the connection that checks them. */
  readonly config: ClientConfig
  readonly silent_ms: number
  /** Connecting and responding together. */
  readonly answer_ms: number
}

/** A backend that has changed state within the last second may have a response in transit. */
const workingBackends = `
  select pid from pg_stat_activity
  where usename = current_user
    and (state = 'active' or state_change > clock_timestamp() - interval '1 second')`

/** Its own session ended or is about to: the server does not work on the others' statements either. */
const sessionsEnd = /^(57P0|08)/

export function openLiveness({ config, silent_ms, answer_ms }: LivenessOptions): Watchman {
  /** Many connections become silent together, and one check is enough for all of them. */
  let asking: Promise<ReadonlySet<number> | 'unknown'> | undefined

  async function ask(): Promise<ReadonlySet<number> | 'unknown'> {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: answer_ms })
    client.on('error', () => {
      // The query in progress rejects with the same error.
    })
    const late = setTimeout(() => cut(client), answer_ms)
    try {
      await connecting(() => client.connect())
      const { rows } = await client.query<{ pid: number }>(workingBackends)
      return new Set(rows.map(({ pid }) => pid))
    } catch (error) {
      const state = sqlState(failureOf(error))
      // A server that responds but refuses logins does not reveal the state of its sessions.
      return state === undefined || sessionsEnd.test(state) ? new Set() : 'unknown'
    } finally {
      clearTimeout(late)
      cut(client)
    }
  }

  return {
    silent_ms,
    async isWorking(backend) {
      asking ??= ask().finally(() => (asking = undefined))
      const working = await asking
      return working === 'unknown' || working.has(backend)
    },
  }
}
