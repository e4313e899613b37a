/** The SQL of dead letters: list, resend, and count by FSP. */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import type { Bodies } from '@causeway/keys/months'
import type { DeliveryLegRole, ResendAnswerOutcome } from '@causeway/protos'
import { monthOf, statement, textArray, type Database, type Queries } from '@causeway/postgres'
import { inTurn } from '../store.ts'

export interface DeadLetterRow {
  readonly notification_id: string
  readonly fsp_id: string
  readonly entity_id: string
  readonly leg_role: DeliveryLegRole
  readonly cause: string
  readonly method: string
  readonly url: string
  readonly attempts: number
  readonly http_status: number | null
  readonly last_error: string | null
  readonly taken_at: Date
}

const selectDead = statement(`
  select notification_id::text, request->>'destinationFspId' as fsp_id,
    request->'cause'->>'entityId' as entity_id, request->>'legRole' as leg_role,
    request->'cause'->>'msgName' as cause,
    coalesce(request->'transport'->>'method', 'EMAIL') as method,
    coalesce(request->'transport'->>'url', request->'transport'->>'address', '') as url,
    attempts, http_status, last_error, taken_at
  from undelivered
  where state = 'DEAD' and ($1::text is null or request->>'destinationFspId' = $1)
  order by n desc limit $2`)

/** Newest first; undefined: of all FSPs. */
export async function readDeadLetters(
  db: Queries,
  fspId: string | undefined,
  rows_max: number,
): Promise<readonly DeadLetterRow[]> {
  return db.query<DeadLetterRow>(selectDead, [fspId ?? null, rows_max])
}

const deleted_max = 10_000

export type Resent = ResendAnswerOutcome

const lockDead = statement(`
  select notification_id::text as id, fsp_id, entity_id, body,
    request->'transport'->>'method' in ('POST', 'GET', 'DELETE') and deadline <= $2 as expired
  from undelivered
  where state = 'DEAD' and notification_id = any($1::text[]::uuid[])
  order by notification_id for update`)

/** Moves the row to the current month, because its own month may be archived before it ends. */
const revive = statement(`
  update undelivered set state = 'PARKED', month = $4::date, next_attempt_at = $2, busy_until = to_timestamp(0),
    deadline = case when request->'transport'->>'method' in ('POST', 'GET', 'DELETE')
      then deadline else $3::timestamptz end
  where state = 'DEAD' and notification_id = any($1::text[]::uuid[])`)

const removeLines = statement(
  `delete from deliveries where notification_id = any($1::text[]::uuid[]) and status = 'FAILED'`,
)

interface DeadRow {
  readonly id: string
  readonly fsp_id: string
  readonly entity_id: string
  readonly body: Buffer
  readonly expired: boolean | null
}

interface Resending {
  readonly now: Date
  readonly deadline: Date
  readonly actor: string
}

function resendAuditEntry(notificationIds: readonly string[], actor: string, at: Date) {
  return auditEntry('notifications', {
    actor,
    action: 'ResendDeadLetters',
    subject: 'dead-letters',
    before: { notificationIds, state: 'DEAD' },
    after: { notificationIds, state: 'PARKED' },
    at,
  })
}

/**
 * Parks dead letters again, due at once; a request whose own deadline has passed stays dead, and so does
 * a message whose month is erased. Ids are UUIDs. The actor is recorded in the audit log.
 */
export async function resend(
  { db, bus, bodies }: { readonly db: Database; readonly bus: EventBus; readonly bodies: Bodies },
  ids: readonly string[],
  { now, deadline, actor }: Resending,
): Promise<ReadonlyMap<string, Resent>> {
  return db.transaction(async (tx) => {
    const dead = await tx.query<DeadRow>(lockDead, [textArray(ids), now])
    const opened = await bodies.open(dead.map(({ body }) => body))
    const rows = dead.map((row, at) => ({ ...row, expired: row.expired === true || !opened[at] }))
    const reviving = rows.filter(({ expired }) => !expired)
    const revived = reviving.map(({ id }) => id)
    const entities = reviving.map(({ fsp_id: fspId, entity_id: entityId }) => ({ fspId, entityId }))
    await inTurn(tx, entities, async () => {
      await tx.query(revive, [textArray(revived), now, deadline, monthOf(now)])
      await tx.query(removeLines, [textArray(revived)])
    })
    if (revived.length > 0) bus.announce(tx, [resendAuditEntry(revived, actor, now)])
    return new Map(rows.map(({ id, expired }) => [id, expired ? 'EXPIRED' : 'RESENT']))
  })
}

const deleteOld = statement(`
  with old as (
    select notification_id, month from undelivered
    where state = 'DEAD' and taken_at < $1::timestamptz
    order by n limit ${deleted_max} for update skip locked
  )
  delete from undelivered u using old
  where u.notification_id = old.notification_id and u.month = old.month`)

/** Their retention has ended; a bounded number at once. */
export async function deleteOldDeadLetters(db: Queries, before: Date): Promise<void> {
  await db.query(deleteOld, [before])
}

const countUndelivered = statement(`
  select state, fsp_id, count(*)::int as count from undelivered group by state, fsp_id`)

/** The number of parked and dead notifications by FSP. */
export async function countByFsp(
  db: Queries,
): Promise<readonly { readonly state: string; readonly fsp_id: string; readonly count: number }[]> {
  return db.query(countUndelivered, [])
}
