/**
 * Works on a batch of entries: those of known services are recorded, others are held or quarantined.
 * Entries that are stored already are skipped.
 */
import type { DomainEvent } from '@causeway/events'
import { judged } from './quarantine/judging.ts'
import { recordsIn, setAside, type AttributionParts } from './quarantine/set-aside.ts'
import { record } from './recording.ts'

export type AuditEvent = DomainEvent<'/audit-log-write'>

export function openHandle(parts: AttributionParts) {
  return async (events: readonly AuditEvent[]): Promise<void> => {
    const now = new Date()
    const entries = await Promise.all(
      events.map(({ payload }) => judged(parts.judging, payload, now, now)),
    )
    const outcome = await parts.db.transaction(async (tx) => ({
      recorded: await record(tx, parts, recordsIn(entries)),
      quarantined: await setAside(tx, parts.seal, entries, now),
    }))
    parts.onRecorded(outcome.recorded)
    parts.onQuarantined(outcome.quarantined)
  }
}
