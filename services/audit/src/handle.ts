/**
 * Works on a batch of entries: those of known services are recorded, others are held or quarantined, and so
 * are those with the id of another entry. Entries that are stored already are skipped.
 */
import type { DomainEvent } from '@causeway/events'
import { judged } from './quarantine/judging.ts'
import {
  judgedByRecord,
  recordsIn,
  setAside,
  type AttributionParts,
} from './quarantine/set-aside.ts'
import { record } from './recording.ts'

export type AuditEvent = DomainEvent<'/audit-log-write'>

export function openHandle(parts: AttributionParts) {
  return async (events: readonly AuditEvent[]): Promise<void> => {
    const now = new Date()
    const entries = await Promise.all(
      events.map(({ payload }) => judged(parts.judging, payload, now, now)),
    )
    const { recorded, quarantined } = await parts.db.transaction(async (tx) => {
      const outcome = await record(tx, parts, recordsIn(entries))
      const all = judgedByRecord(entries, outcome)
      return { ...outcome, quarantined: await setAside(tx, parts.seal, all, now) }
    })
    parts.onRecorded(recorded)
    parts.onQuarantined(quarantined)
  }
}
