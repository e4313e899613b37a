/** How callbacks reached their FSPs: stored once each, however often it is reported. */
import { filedMonthOf, statement, textArray, type Database } from '@causeway/postgres'
import type {
  LegRole,
  ReportedDelivery as ReportedDeliveryMessage,
  ReportedDeliveryStatus,
} from '@causeway/protos'

export interface CallbackDelivery {
  readonly entityId: string
  readonly notificationId: string
  readonly legRole: LegRole
  readonly destinationFspId: string
  readonly status: ReportedDeliveryStatus
  readonly httpStatus?: number | undefined
  readonly attempts: number
  readonly duration_ms: number
  readonly lastError?: string | undefined
  readonly reportedAt: string
}

export interface ReportedDelivery {
  /** The event that reported it. */
  readonly report: string
  readonly delivery: CallbackDelivery
}

export interface DeliveryStore {
  keep(deliveries: readonly ReportedDelivery[], now: Date): Promise<void>
}

/** The column of the payment that a callback was about. */
type Entity = 'quote_id' | 'transfer_id'

function keepStatement(entity: Entity) {
  return statement(`
  insert into deliveries (month, notification_id, ${entity}, report, leg_role, destination_fsp,
    status, http_status, attempts, duration_ms, last_error, reported_at)
  select a.month, a.notification_id, a.${entity}, a.report, a.leg_role, a.destination_fsp, a.status,
    a.http_status, a.attempts, a.duration_ms, a.last_error, a.reported_at
  from unnest($1::text[]::date[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
    $7::text[], $8::text[]::integer[], $9::text[]::integer[], $10::text[]::integer[], $11::text[],
    $12::text[]::timestamptz[])
  as a (month, notification_id, ${entity}, report, leg_role, destination_fsp, status, http_status,
    attempts, duration_ms, last_error, reported_at)
  order by a.notification_id
  on conflict do nothing`)
}

export function openDeliveryStore(db: Database, entity: Entity): DeliveryStore {
  const keep = keepStatement(entity)
  return {
    async keep(deliveries, now) {
      if (deliveries.length > 0) await db.query(keep, valuesOf(deliveries, now))
    },
  }
}

function valuesOf(deliveries: readonly ReportedDelivery[], now: Date): Buffer[] {
  const texts = (of: (delivery: CallbackDelivery) => string | null): Buffer =>
    textArray(deliveries.map(({ delivery }) => of(delivery)))
  return [
    texts(({ reportedAt }) => filedMonthOf(new Date(reportedAt), now)),
    texts(({ notificationId }) => notificationId),
    texts(({ entityId }) => entityId),
    textArray(deliveries.map(({ report }) => report)),
    texts(({ legRole }) => legRole),
    texts(({ destinationFspId }) => destinationFspId),
    texts(({ status }) => status),
    texts(({ httpStatus }) => (httpStatus === undefined ? null : String(httpStatus))),
    texts(({ attempts }) => String(attempts)),
    texts(({ duration_ms }) => String(Math.round(duration_ms))),
    texts(({ lastError }) => lastError ?? null),
    texts(({ reportedAt }) => reportedAt),
  ]
}

/** A row of the table, without the event that reported it. */
export interface DeliveryRow {
  readonly notification_id: string
  readonly leg_role: LegRole
  readonly destination_fsp: string
  readonly status: ReportedDeliveryStatus
  readonly http_status: number | null
  readonly attempts: number
  readonly duration_ms: number
  readonly last_error: string | null
  readonly reported_at: Date
}

/** As services answer it over gRPC. */
export function deliveryOf(row: DeliveryRow): ReportedDeliveryMessage {
  return {
    notificationId: row.notification_id,
    legRole: row.leg_role,
    fspId: row.destination_fsp,
    status: row.status,
    httpStatus: row.http_status ?? undefined,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    lastError: row.last_error ?? undefined,
    reportedAt: row.reported_at.toISOString(),
  }
}
