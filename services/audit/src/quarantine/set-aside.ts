/** Stores entries that are held or quarantined, and reads them again. */
import type { Seal } from '@causeway/keys/provider'
import { canonicalJson, type AuditPayload } from '@causeway/events'
import type { Database, Transaction } from '@causeway/postgres'
import type { QuarantineReason } from '../domain/judge.ts'
import {
  actorOf,
  contentHashOf,
  type NewRecord,
  type RecordingParts,
  type RecordOutcome,
} from '../recording.ts'
import type { JudgedEntry, JudgingParts } from './judging.ts'
import { insertUnattributed, type Unattributed } from './store.ts'

export interface Quarantined {
  readonly id: string
  readonly source: string
  readonly reason: QuarantineReason
}

/** How entries are attributed to their sources. */
export interface AttributionParts extends RecordingParts {
  readonly db: Database
  readonly judging: JudgingParts
  readonly onRecorded: (records: readonly NewRecord[]) => void
  /** New in quarantine. */
  readonly onQuarantined: (entries: readonly Quarantined[]) => void
}

export function recordsIn(entries: readonly JudgedEntry[]): readonly NewRecord[] {
  return entries.flatMap(({ entry, verdict }) =>
    verdict.type === 'RECORD' ? [{ entry, provenance: verdict.provenance }] : [],
  )
}

/** The verdict on those whose id is taken is that. */
export function judgedByRecord<Each extends JudgedEntry>(
  entries: readonly Each[],
  { taken }: RecordOutcome,
): readonly Each[] {
  const refused = new Set(taken.map(({ entry }) => entry))
  return entries.map((each) =>
    refused.has(each.entry)
      ? { ...each, verdict: { type: 'QUARANTINE', reason: 'ID_TAKEN' } }
      : each,
  )
}

/** Returns those that are new in quarantine. */
export async function setAside(
  tx: Transaction,
  seal: Seal | undefined,
  entries: readonly JudgedEntry[],
  now: Date,
): Promise<readonly Quarantined[]> {
  const rows = new Map(
    entries.flatMap((each) => {
      if (each.verdict.type === 'RECORD') return []
      const row = rowOf(each, seal)
      return [[row.contentHash.toString('hex'), row] as const]
    }),
  )
  const isNew = await insertUnattributed(tx, [...rows.values()], seal !== undefined, now)
  return [...rows].flatMap(([hash, { id, source, reason }]) =>
    reason !== null && isNew.has(hash) ? [{ id, source, reason }] : [],
  )
}

function rowOf({ entry, receivedAt, verdict }: JudgedEntry, seal: Seal | undefined) {
  const text = Buffer.from(canonicalJson(entry))
  const contentHash = contentHashOf(entry)
  return {
    contentHash,
    id: entry.id,
    source: entry.sourceBcName,
    action: entry.actionType,
    actor: actorOf(entry),
    subject: entry.subject,
    keyId: entry.sourceKeyId ?? '',
    content: seal?.encrypt(text, contextOf(contentHash)) ?? text,
    receivedAt,
    reason: verdict.type === 'QUARANTINE' ? verdict.reason : null,
  }
}

/** Throws when the key that encrypted it is no longer set. */
export function entryIn(
  { contentHash, content, isEncrypted }: Unattributed,
  seal: Seal | undefined,
): AuditPayload {
  const text = isEncrypted ? seal?.decrypt(content, contextOf(contentHash)) : content
  if (text === undefined) {
    throw new Error('no key of AUDIT_SECRETS_KEY decrypts an entry that was set aside')
  }
  return JSON.parse(text.toString()) as AuditPayload
}

function contextOf(contentHash: Buffer): string {
  return `audit/unattributed/${contentHash.toString('hex')}`
}
