/** The SQL of the delivery history: notifications that have ended, and those that have not. */
import type { DeliveryLegRole } from '@causeway/protos'
import { statement, textArray, type Database } from '@causeway/postgres'

export interface EndedRow {
  readonly notification_id: string
  readonly entity_id: string
  readonly fsp_id: string
  readonly leg_role: DeliveryLegRole
  readonly cause: string
  readonly status: 'SUCCESS' | 'FAILED'
  readonly attempts: number
  readonly http_status: number | null
  readonly duration_ms: number
  readonly last_error: string | null
  readonly reported_at: Date
  readonly tries: string | null
}

export interface OpenRow {
  readonly notification_id: string
  readonly entity_id: string
  readonly fsp_id: string
  readonly leg_role: DeliveryLegRole
  readonly cause: string
  readonly method: string
  /** Null of an e-mail. */
  readonly url: string | null
  readonly state: 'PARKED' | 'DEAD'
  readonly taken_at: Date
  readonly next_attempt_at: Date
  readonly attempts: number
  readonly last_error: string | null
  readonly tries: string | null
}

const rows_max = 200

const selectEnded = statement(`
  select d.notification_id::text, d.entity_id, d.fsp_id, d.leg_role, d.cause, d.status, d.attempts,
    d.http_status, d.duration_ms, d.last_error, d.reported_at, d.tries
  from unnest($1::text[]::uuid[]) as a (id)
  cross join lateral (select * from deliveries where notification_id = a.id offset 0) d
  limit ${rows_max}`)

const selectOpen = statement(`
  select u.notification_id::text, u.entity_id, u.fsp_id, u.request->>'legRole' as leg_role,
    u.request->'cause'->>'msgName' as cause,
    coalesce(u.request->'transport'->>'method', 'EMAIL') as method,
    u.request->'transport'->>'url' as url, u.state, u.taken_at, u.next_attempt_at,
    u.attempts, u.last_error, u.tries
  from unnest($1::text[]) as f (fsp_id) cross join unnest($2::text[]) as e (entity_id)
  cross join lateral (
    select * from undelivered u where u.fsp_id = f.fsp_id and u.entity_id = e.entity_id
    order by u.n limit ${rows_max} offset 0
  ) u
  limit ${rows_max}`)

/** Ids are UUIDs. */
export function readEnded(db: Database, ids: readonly string[]): Promise<readonly EndedRow[]> {
  return db.query<EndedRow>(selectEnded, [textArray(ids)])
}

/** The undelivered notifications about these entities to these FSPs. */
export function readOpen(
  db: Database,
  fspIds: readonly string[],
  entityIds: readonly string[],
): Promise<readonly OpenRow[]> {
  return db.query<OpenRow>(selectOpen, [textArray(fspIds), textArray(entityIds)])
}
