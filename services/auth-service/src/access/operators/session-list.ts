/** The open sessions of an operator, and their end by the operator or a colleague. */
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import { invalidate } from './announce.ts'
import {
  endExcessSessions,
  endSessionOf,
  openSessionsOf,
  type ShownSession,
} from './session-store.ts'

export interface SessionListParts {
  readonly db: Database
  readonly bus: EventBus
  readonly life_s: number
  readonly sessionIdle_s: number
}

export function listSessions(
  { db, sessionIdle_s }: SessionListParts,
  operator: string,
  now: Date,
): Promise<readonly ShownSession[]> {
  return openSessionsOf(db, operator, now, new Date(now.getTime() - sessionIdle_s * 1_000))
}

export interface SessionEnd {
  readonly operator: string
  /** Undefined: each of the operator. */
  readonly sessionId: string | undefined
  readonly actor: string
}

/** Their tokens are invalid from then on. */
export async function endSessions(
  parts: SessionListParts,
  { operator, sessionId, actor }: SessionEnd,
  now: Date,
): Promise<RefusedCommand | undefined> {
  return parts.db.transaction(async (tx) => {
    const ended = await endSessionOf(tx, operator, sessionId, now)
    if (sessionId !== undefined && ended.length === 0) {
      return refuse('SESSION_UNKNOWN', `${operator} has no open session ${sessionId}`)
    }
    await closed(parts, tx, { operator, actor, ids: ended }, now)
    return undefined
  })
}

/** Ends the oldest ones of a person who has too many. */
export async function boundSessions(
  parts: SessionListParts,
  tx: Transaction,
  operator: string,
  sessions_max: number,
  now: Date,
): Promise<void> {
  const ids = await endExcessSessions(tx, operator, sessions_max, now)
  await closed(parts, tx, { operator, actor: 'auth-service', ids }, now)
}

interface Closed {
  readonly operator: string
  readonly actor: string
  readonly ids: readonly string[]
}

async function closed(
  { bus, life_s }: SessionListParts,
  tx: Transaction,
  { operator, actor, ids }: Closed,
  now: Date,
): Promise<void> {
  const expiry = new Date(now.getTime() + life_s * 1_000)
  for (const tokenId of ids) await invalidate(bus, tx, { tokenId, versionsBelow: 0, expiry })
  if (ids.length === 0) return
  const entry = { actor, action: 'EndSessions', subject: `operators/${operator}`, at: now }
  const labels = { sessions: String(ids.length) }
  record(bus, tx, { ...entry, before: null, after: null, labels })
}
