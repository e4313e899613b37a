/** The gRPC methods for operators: list and resend dead letters, and read the delivery history. */
import type { EventBus } from '@causeway/bus'
import type { GrpcHost } from '@causeway/grpc'
import type { Bodies } from '@causeway/month-keys'
import type { Database } from '@causeway/postgres'
import { notificationsService, type DeadLetter } from '@causeway/protos'
import { readDeliveryHistory } from './delivery-history.ts'
import { readDeadLetters, resend, type DeadLetterRow } from './dead-letters-store.ts'
import { personHandlers } from './person.ts'
import type { Waiting } from './waiting.ts'

const deadLetters_max = 1_000
const ids_max = 1_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface DeadLetterApiParts {
  readonly db: Database
  readonly bus: EventBus
  readonly bodies: Bodies
  readonly grpc: GrpcHost
  readonly resend_for_ms: () => number
  readonly waiting: Pick<Waiting, 'invalidate'>
}

export function serveDeadLetterApi(parts: DeadLetterApiParts): void {
  const { db, bus, bodies, grpc, resend_for_ms, waiting } = parts
  grpc.serve(notificationsService, {
    ...personHandlers(db, bodies),
    async ListDeadLetters({ fspId, limit }) {
      const rows = await readDeadLetters(db, fspId, Math.min(Math.max(limit, 0), deadLetters_max))
      return { deadLetters: rows.map(deadLetter) }
    },
    async GetDeliveries(query) {
      return { deliveries: [...(await readDeliveryHistory(db, query))] }
    },
    async ResendDeadLetters({ ids, actor = '' }) {
      if (ids.length > ids_max) throw new Error(`at most ${ids_max} ids at once`)
      const now = new Date()
      const legal = [...new Set(ids)].filter((id) => uuid.test(id))
      const deadline = new Date(now.getTime() + resend_for_ms())
      const resent = await resend({ db, bus, bodies }, legal, { now, deadline, actor })
      waiting.invalidate()
      return {
        answers: ids.map((id) => ({ notificationId: id, outcome: resent.get(id) ?? 'UNKNOWN' })),
      }
    },
  })
}

function deadLetter(row: DeadLetterRow): DeadLetter {
  const { cause, method, url, attempts } = row
  return {
    notificationId: row.notification_id,
    fspId: row.fsp_id,
    entityId: row.entity_id,
    legRole: row.leg_role,
    cause,
    method,
    url,
    attempts,
    httpStatus: row.http_status ?? 0,
    lastError: row.last_error ?? '',
    takenAt: row.taken_at.toISOString(),
  }
}
