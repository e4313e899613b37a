/** Appends entries to the chain, in the transaction that locks its head. */
import type { Seal } from '@causeway/crypto-provider'
import type { AuditPayload } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import { anchorOf } from './anchor.ts'
import { chained } from './chain.ts'
import { encryptedEntry } from './confidential.ts'
import type { Signer } from './signing.ts'
import { append, knownIds, takeHead } from './store.ts'

/** RELEASED: an operator attributed it to its source. */
export type Provenance = 'SIGNED' | 'UNSIGNED' | 'RELEASED'

export interface NewRecord {
  readonly entry: AuditPayload
  readonly provenance: Provenance
}

export interface RecordingParts {
  readonly signer: Signer
  /** Undefined: nothing is encrypted. */
  readonly seal: Seal | undefined
}

/** Returns those that were recorded; entries whose id is in the chain already are skipped. */
export async function record(
  tx: Transaction,
  { signer, seal }: RecordingParts,
  records: readonly NewRecord[],
): Promise<readonly NewRecord[]> {
  // A batch can contain the same entry twice.
  const byId = new Map(records.map((each) => [each.entry.id, each]))
  if (byId.size === 0) return []
  const last = await takeHead(tx)
  const known = await knownIds(tx, [...byId.keys()])
  const fresh = [...byId.values()].filter(({ entry }) => !known.has(entry.id))
  const recordedAt = new Date()
  const stored = fresh.map(({ entry, provenance }) => ({
    entry: encryptedEntry(entry, seal),
    provenance,
  }))
  const links = chained(last, stored, recordedAt)
  const head = links.at(-1)
  if (head === undefined) return []
  await append(
    tx,
    links.map(({ content: { entry }, ...link }) => ({
      ...link,
      id: entry.id,
      source: entry.sourceBcName,
      action: entry.actionType,
      actor: actorOf(entry),
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
}

export function actorOf({ securityContext: { userId, appId } }: AuditPayload): string {
  return userId ?? appId ?? ''
}
