/** Converts queries and entries between gRPC messages and the domain. */
import type { AuditEntry, AuditQuery, ChainPage } from '@causeway/protos'
import type { IsSigned } from './signing.ts'
import { hashOf, type Link, type StoredLink } from './chain.ts'
import type { EntryRow, Filter } from './store.ts'

const entries_max = 500
const page_max = 5_000

/** A number or time that cannot be parsed is ignored, as if it were absent. */
export function filterOf(query: AuditQuery): Filter {
  return {
    source: query.source,
    action: query.action,
    actor: query.actor,
    subject: query.subject,
    labelKey: query.labelKey,
    labelValue: query.labelValue,
    from: timeOf(query.from),
    to: timeOf(query.to),
    beforeN: isNumber(query.beforeN ?? '') ? query.beforeN : undefined,
    limit: bounded(query.limit, entries_max),
  }
}

export interface ChainPageQuery {
  readonly after: bigint
  readonly limit: number
  /** An entry that the caller has noted elsewhere. */
  readonly noted: Link | undefined
}

export function pageOf(page: ChainPage): ChainPageQuery {
  const { notedN = '', notedHash = '' } = page
  const noted = isNumber(notedN) && /^[\da-f]{64}$/i.test(notedHash)
  return {
    after: isNumber(page.afterN) ? BigInt(page.afterN) : 0n,
    limit: bounded(page.limit, page_max),
    noted: noted ? { n: BigInt(notedN), hash: Buffer.from(notedHash, 'hex') } : undefined,
  }
}

const isNumber = (text: string) => /^\d{1,18}$/.test(text)

function bounded(limit: number, limit_max: number): number {
  return Math.min(Math.max(limit, 1), limit_max)
}

function timeOf(text: string | undefined): Date | undefined {
  const time = new Date(text ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time
}

export function linkOf(row: EntryRow, isSigned: IsSigned): StoredLink {
  const { n, hash, body, previousHash, kid, signature } = row
  const signatureValid = isSigned(kid, hash, signature)
  return { n: BigInt(n), hash, body, previousHash, signatureValid }
}

export function entryMessage(row: EntryRow, isSigned: IsSigned): AuditEntry {
  const { n, recordedAt, body, previousHash, hash, kid, signature } = row
  const { entry, provenance } = JSON.parse(body) as {
    readonly entry: unknown
    readonly provenance: AuditEntry['provenance']
  }
  return {
    provenance,
    n,
    recordedAt: recordedAt.toISOString(),
    entryJson: JSON.stringify(entry),
    hash: hash.toString('hex'),
    previousHash: previousHash.toString('hex'),
    kid,
    signatureValid: hashOf(previousHash, body).equals(hash) && isSigned(kid, hash, signature),
  }
}
