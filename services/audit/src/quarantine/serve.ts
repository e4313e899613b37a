/** The quarantine over gRPC: an operator sees it, and releases or discards an entry; both are audited. */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database, Transaction } from '@causeway/postgres'
import {
  present,
  type auditQuarantineService,
  type QuarantineDecision,
  type QuarantinedEntry,
} from '@causeway/protos'
import { record, type RecordingParts } from '../recording.ts'
import { entryIn } from './set-aside.ts'
import {
  countUnattributed,
  deleteUnattributed,
  lockQuarantined,
  quarantined,
  type Quarantined,
} from './store.ts'

const entries_max = 500

export interface QuarantineParts extends RecordingParts {
  readonly db: Database
  readonly bus: EventBus
}

export function serveQuarantine(parts: QuarantineParts): Handlers<typeof auditQuarantineService> {
  const { db } = parts
  return {
    async ListQuarantinedEntries({ limit }) {
      const rows = await quarantined(db, Math.min(Math.max(limit, 1), entries_max))
      const counts = await countUnattributed(db)
      return { entries: rows.map(message), total: counts.quarantined, held: counts.held }
    },
    async DecideQuarantinedEntry(decision) {
      const isKnown = await db.transaction((tx) => decide(tx, parts, decision))
      return { isKnown }
    },
  }
}

async function decide(
  tx: Transaction,
  parts: QuarantineParts,
  { contentHash, release, actor, note }: QuarantineDecision,
): Promise<boolean> {
  const row = await lockQuarantined(tx, Buffer.from(contentHash, 'hex'))
  if (row === undefined) return false
  if (release) {
    await record(tx, parts, [{ entry: entryIn(row, parts.seal), provenance: 'RELEASED' }])
  }
  await deleteUnattributed(tx, [row.contentHash])
  const { id, source, action, reason } = row
  parts.bus.announce(tx, [
    auditEntry('audit', {
      actor,
      action: release ? 'ReleaseQuarantinedEntry' : 'DiscardQuarantinedEntry',
      subject: `audit-quarantine/${contentHash}`,
      before: { id, source, action, reason },
      after: release ? { provenance: 'RELEASED' } : null,
      at: new Date(),
      labels: { entryId: id, ...present({ note }) },
    }),
  ])
  return true
}

function message(row: Quarantined): QuarantinedEntry {
  const { contentHash, id, source, action, actor, subject, keyId, reason } = row
  return {
    contentHash: contentHash.toString('hex'),
    id,
    source,
    action,
    actor,
    subject,
    ...(keyId === '' ? {} : { keyId }),
    reason,
    receivedAt: row.receivedAt.toISOString(),
    quarantinedAt: row.quarantinedAt.toISOString(),
  }
}
