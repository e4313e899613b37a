/** Audit entries that the service they name is not known to have made. */
import { present, quarantinedEntryReasonValues, type QuarantinedEntry } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused } from '../answer.ts'
import { pageSize, text } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const entries_max = 500
const entries_usual = 100

const shownEntry = z
  .strictObject({
    contentHash: z.string(),
    id: z.string(),
    /** The service that it names. */
    sourceBcName: z.string(),
    actionType: z.string(),
    actor: z.string(),
    subject: z.string(),
    /** Absent: it is not signed. */
    sourceKeyId: z.string().optional(),
    reason: z.enum(quarantinedEntryReasonValues),
    receivedDate: shownTime,
    quarantinedDate: shownTime,
  })
  .meta({ id: 'QuarantinedEntry' })

const decision = z.strictObject({
  decision: z.enum(['RELEASE', 'DISCARD']),
  note: text.max(512).optional(),
})

export function quarantineOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/audit-quarantine',
      {
        about:
          'Audit entries without a valid signature of the service that they name, newest first; how many wait for the key that they name',
        query: z.object({ limit: pageSize(entries_max).optional() }),
        answers: {
          200: z.strictObject({
            entries: z.array(shownEntry),
            total: z.int(),
            held: z.int(),
          }),
        },
      },
      async ({ query: { limit = entries_usual } }) => {
        const { entries, total, held } = await deps.quarantine.ListQuarantinedEntries({ limit })
        return answered(200, { entries: entries.map(entryBody), total, held })
      },
    ),
    writes(
      'POST',
      '/audit-quarantine/:contentHash',
      decision,
      {
        about:
          'Adds a quarantined entry to the audit log, marked as released, or discards it; both are audited',
        answers: { 204: null },
        refuses: ['ENTRY_UNKNOWN'],
      },
      async ({ contentHash, body, actor }) => {
        const { isKnown } = await deps.quarantine.DecideQuarantinedEntry({
          contentHash,
          release: body.decision === 'RELEASE',
          actor,
          ...present({ note: body.note }),
        })
        return isKnown ? answered(204) : refused('ENTRY_UNKNOWN', contentHash)
      },
    ),
  ]
}

function entryBody(entry: QuarantinedEntry) {
  const { contentHash, id, source, action, actor, subject, keyId, reason } = entry
  return {
    contentHash,
    id,
    sourceBcName: source,
    actionType: action,
    actor,
    subject,
    ...(keyId === undefined ? {} : { sourceKeyId: keyId }),
    reason,
    receivedDate: entry.receivedAt,
    quarantinedDate: entry.quarantinedAt,
  }
}
