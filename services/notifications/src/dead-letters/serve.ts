/** The gRPC methods for operators: dead letters, the delivery history, which FSPs are not reached. */
import type { EventBus } from '@causeway/bus'
import type { GrpcHost } from '@causeway/grpc'
import type { Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import { notificationsService, present, type DeadLetter } from '@causeway/protos'
import { readDeliveryHistory } from '../history/delivery-history.ts'
import { readDeadLetters, resend, type DeadLetterRow } from './store.ts'
import { personHandlers } from '../history/person.ts'
import { readUnreachableOf } from '../reachability-store.ts'
import type { ParkedFsps } from '../waiting.ts'

const deadLetters_max = 1_000
const ids_max = 1_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface DeadLetterApiParts {
  readonly db: Database
  readonly bus: EventBus
  readonly bodies: Bodies
  readonly grpc: GrpcHost
  readonly resend_for_ms: () => number
  readonly waiting: Pick<ParkedFsps, 'invalidate'>
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
    async GetUnreachable({ fspIds }) {
      const rows = await readUnreachableOf(db, fspIds)
      const fsps = rows.map(({ fsp_id: fspId, since, last_error: lastError }) => {
        return { fspId, since: since.toISOString(), lastError }
      })
      return { fsps }
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
    takenAt: row.taken_at.toISOString(),
    ...present({ httpStatus: row.http_status, lastError: row.last_error }),
  }
}
