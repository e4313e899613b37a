/** Appends a batch of entries to the chain; entries that are stored already are skipped. */
import type { DomainEvent } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { anchorOf } from './anchor.ts'
import { chained } from './chain.ts'
import type { Signer } from './signing.ts'
import { append, knownIds, takeHead } from './store.ts'

export type AuditEvent = DomainEvent<'/audit-log-write'>

export interface HandleParts {
  readonly db: Database
  readonly signer: Signer
  readonly onRecorded: (entries: readonly AuditEvent['payload'][]) => void
}

export function openHandle({ db, signer, onRecorded }: HandleParts) {
  return async (events: readonly AuditEvent[]): Promise<void> => {
    // A batch can contain the same entry twice.
    const entries = [...new Map(events.map(({ payload }) => [payload.id, payload])).values()]
    const recorded = await db.transaction(async (tx) => {
      const last = await takeHead(tx)
      const known = await knownIds(
        tx,
        entries.map(({ id }) => id),
      )
      const fresh = entries.filter(({ id }) => !known.has(id))
      const recordedAt = new Date()
      const links = chained(last, fresh, recordedAt)
      const head = links.at(-1)
      if (head === undefined) return []
      await append(
        tx,
        links.map(({ entry, ...link }) => ({
          ...link,
          id: entry.id,
          source: entry.sourceBcName,
          action: entry.actionType,
          actor: entry.securityContext.userId ?? entry.securityContext.appId ?? '',
          subject: entry.subject,
          labels: entry.labels,
          actedAt: new Date(entry.actionTimestamp),
          kid: signer.kid,
          signature: signer.sign(link.hash),
        })),
        recordedAt,
        anchorOf(head, signer, recordedAt),
      )
      return fresh
    })
    onRecorded(recorded)
  }
}
