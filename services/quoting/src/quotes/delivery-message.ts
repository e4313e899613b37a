/** The delivery of a callback, as served over gRPC. */
import type { DeliveryRow } from './record-store.ts'

export function deliveryOf(row: DeliveryRow) {
  return {
    notificationId: row.notification_id,
    legRole: row.leg_role,
    fspId: row.destination_fsp,
    status: row.status,
    httpStatus: row.http_status ?? 0,
    attempts: row.attempts,
    durationMs: row.duration_ms,
    lastError: row.last_error ?? '',
    reportedAt: row.reported_at.toISOString(),
  }
}
