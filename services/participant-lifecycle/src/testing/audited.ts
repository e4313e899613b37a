/** Collects audit entries as the audit log receives them. */
import { onEvents, type DomainEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import type { ParticipantLifecycleWorld } from './world.ts'

export type AuditLogEntry = DomainEvent<'/audit-log-write'>['payload']

export interface AuditLog {
  /** The entries about a subject, or beneath it, when there are so many. */
  about(subject: string, count: number): Promise<readonly AuditLogEntry[]>
}

export async function collectAudit({ parts }: ParticipantLifecycleWorld): Promise<AuditLog> {
  const entries: AuditLogEntry[] = []
  await onEvents(parts.bus, 'test_audit', ['/audit-log-write'], (events) => {
    entries.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  return {
    about: (subject, count) =>
      eventually(
        () => {
          const found = entries.filter(
            (entry) => entry.subject === subject || entry.subject.startsWith(`${subject}/`),
          )
          return found.length >= count ? found : undefined
        },
        `${count} entries about ${subject}`,
        30_000,
      ),
  }
}
