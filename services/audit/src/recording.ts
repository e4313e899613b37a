/**
 * Appends entries to the chain, in the transaction that locks its head. An id alone makes no entry the same:
 * source and content are compared, so that a false entry cannot keep out the true one with its id unseen.
 */
import { createHash } from 'node:crypto'
import type { Seal } from '@causeway/keys/provider'
import { canonicalJson, type AuditPayload } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import type { AuditEntryProvenance } from '@causeway/protos'
import { anchorOf } from './anchor.ts'
import { chained, type Link } from './chain.ts'
import { decryptedEntry, encryptedEntry } from './confidential.ts'
import type { Signer } from './signing.ts'
import { append, bodiesOf, takeHead } from './store.ts'

/** RELEASED: an operator attributed it to its source. */
export type Provenance = AuditEntryProvenance

export interface NewRecord {
  readonly entry: AuditPayload
  readonly provenance: Provenance
}

export interface RecordingParts {
  readonly signer: Signer
  /** Undefined: nothing is encrypted. */
  readonly seal: Seal | undefined
}

export interface RecordOutcome {
  readonly recorded: readonly NewRecord[]
  /** Not recorded: another entry with the same id is. */
  readonly taken: readonly NewRecord[]
}

/**
 * An entry that is in the chain already is skipped. One whose id another entry has is recorded only where
 * an operator has released it.
 */
export async function record(
  tx: Transaction,
  parts: RecordingParts,
  records: readonly NewRecord[],
): Promise<RecordOutcome> {
  if (records.length === 0) return { recorded: [], taken: [] }
  const last = await takeHead(tx)
  const { fresh, taken } = await sorted(tx, parts, records)
  await appendAll(tx, parts, last, fresh)
  return { recorded: fresh.map(({ row }) => row), taken }
}

/** The id in the table: that of the entry, with the hash of its content where another entry has it. */
interface Fresh {
  readonly id: string
  readonly row: NewRecord
}

async function sorted(tx: Transaction, { seal }: RecordingParts, records: readonly NewRecord[]) {
  const hashed = records.map((row) => ({ row, hash: contentHashOf(row.entry).toString('hex') }))
  const secondId = (id: string, hash: string) => `${id} ${hash}`
  const ids = hashed.flatMap(({ row: { entry }, hash }) => [entry.id, secondId(entry.id, hash)])
  const bodies = await bodiesOf(tx, ids)
  const known = new Map(
    [...bodies].map(([id, body]) => [id, contentHashOf(recordedEntry(body, seal)).toString('hex')]),
  )
  const fresh: Fresh[] = []
  const taken: NewRecord[] = []
  for (const { row, hash } of hashed) {
    const { id } = row.entry
    const second = secondId(id, hash)
    if (known.get(id) === hash || known.has(second)) continue
    const free = known.has(id) ? second : id
    if (free === second && row.provenance !== 'RELEASED') {
      taken.push(row)
      continue
    }
    known.set(free, hash)
    fresh.push({ id: free, row })
  }
  return { fresh, taken }
}

/** SHA-256 of the canonical JSON of the entry, with its signature. */
export function contentHashOf(entry: AuditPayload): Buffer {
  return createHash('sha256').update(canonicalJson(entry)).digest()
}

/** As its source sent it. */
function recordedEntry(body: string, seal: Seal | undefined): AuditPayload {
  const { entry } = JSON.parse(body) as { readonly entry: AuditPayload }
  return decryptedEntry(entry, seal)
}

async function appendAll(
  tx: Transaction,
  { signer, seal }: RecordingParts,
  last: Link,
  fresh: readonly Fresh[],
): Promise<void> {
  const recordedAt = new Date()
  const stored = fresh.map(({ row: { entry, provenance } }) => ({
    entry: encryptedEntry(entry, seal),
    provenance,
  }))
  const links = chained(last, stored, recordedAt)
  const head = links.at(-1)
  if (head === undefined) return
  await append(
    tx,
    links.map(({ content: { entry }, ...link }, at) => ({
      ...link,
      id: fresh[at]?.id ?? entry.id,
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
}

export function actorOf({ securityContext: { userId, appId } }: AuditPayload): string {
  return userId ?? appId ?? ''
}
