/** The delivery history of notifications for operators, attempt by attempt. */
import type { Database } from '@causeway/postgres'
import {
  present,
  type DeliveriesQuery,
  type Delivery,
  type DeliveryAttempt,
} from '@causeway/protos'
import { readEnded, readOpen, type EndedRow, type OpenRow } from './delivery-store.ts'
import type { Try } from '../domain/tries.ts'
import { triesOf } from '../store.ts'

const ids_max = 200
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The given ids that have ended, and the undelivered notifications about the entities to the FSPs. */
export async function readDeliveryHistory(
  db: Database,
  { notificationIds, entityIds, fspIds }: DeliveriesQuery,
): Promise<readonly Delivery[]> {
  if (Math.max(notificationIds.length, entityIds.length, fspIds.length) > ids_max) {
    throw new RangeError(`at most ${ids_max} of each can be requested at once`)
  }
  const [ended, open] = await Promise.all([
    readEnded(
      db,
      notificationIds.filter((id) => uuid.test(id)),
    ),
    readOpen(db, [...new Set(fspIds)], [...new Set(entityIds)]),
  ])
  // A dead letter is in both tables; `undelivered` has more details.
  const isOpen = new Set(open.map(({ notification_id }) => notification_id))
  return [
    ...ended.filter(({ notification_id }) => !isOpen.has(notification_id)).map(endedDelivery),
    ...open.map(openDelivery),
  ]
}

/** The fields that both kinds of row share. */
function commonFields(row: EndedRow | OpenRow) {
  return {
    notificationId: row.notification_id,
    entityId: row.entity_id,
    fspId: row.fsp_id,
    legRole: row.leg_role,
    cause: row.cause,
    attemptsCount: row.attempts,
    ...present({ lastError: row.last_error }),
  }
}

function endedDelivery(row: EndedRow): Delivery {
  const ended_ms = row.reported_at.getTime()
  const attempt: Try = {
    began_ms: ended_ms - row.duration_ms,
    duration_ms: row.duration_ms,
    httpStatus: row.http_status,
    error: row.last_error,
  }
  const tries = row.tries === null && row.attempts === 1 ? [attempt] : triesOf(row.tries)
  return {
    ...commonFields(row),
    state: row.status === 'SUCCESS' ? 'DELIVERED' : 'FAILED',
    takenAt: time(attempt.began_ms),
    at: row.reported_at.toISOString(),
    attempts: tries.map(attemptMessage),
  }
}

function openDelivery(row: OpenRow): Delivery {
  return {
    ...commonFields(row),
    method: row.method,
    ...present({ url: row.url }),
    state: row.state === 'DEAD' ? 'FAILED' : 'PARKED',
    takenAt: row.taken_at.toISOString(),
    at: row.next_attempt_at.toISOString(),
    attempts: triesOf(row.tries).map(attemptMessage),
  }
}

function attemptMessage({ began_ms, duration_ms, httpStatus, error }: Try): DeliveryAttempt {
  return {
    beganAt: time(began_ms),
    durationMs: duration_ms,
    ...present({ httpStatus, error }),
  }
}

function time(time_ms: number): string {
  return new Date(time_ms).toISOString()
}
