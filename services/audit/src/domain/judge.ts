/**
 * Decides whether the service that an entry names is known to have made it. What is not known yet is
 * held: a service registers its key in the background while it starts.
 */
import type { AuditEntryProvenance, QuarantinedEntryReason } from '@causeway/protos'

export type QuarantineReason = QuarantinedEntryReason

export type EntryVerdict =
  | { readonly type: 'RECORD'; readonly provenance: Exclude<AuditEntryProvenance, 'RELEASED'> }
  | { readonly type: 'HOLD' }
  | { readonly type: 'QUARANTINE'; readonly reason: QuarantineReason }

/** What is known about the maker of an entry. */
export interface ProvenanceEvidence {
  readonly source: string
  readonly actedAt: Date
  /** When audit first received it. */
  readonly receivedAt: Date
  /** Undefined: the entry is not signed. */
  readonly keyId: string | undefined
  /** Undefined: no such key is registered. */
  readonly key: { readonly boundedContextId: string; readonly revokedAt: Date | null } | undefined
  readonly signatureValid: boolean
  /** When the source registered its first key; undefined: it has none. */
  readonly firstKeyAt: Date | undefined
}

export interface JudgeBounds {
  /** How long an entry waits for its key, and how late one from before a revocation may come. */
  readonly hold_ms: number
  /** How long after the first key of its source an entry may still be unsigned. */
  readonly unsigned_ms: number
}

export function judge(evidence: ProvenanceEvidence, bounds: JudgeBounds, now: Date): EntryVerdict {
  const { keyId, key, receivedAt } = evidence
  if (keyId === undefined) return judgeUnsigned(evidence, bounds)
  if (key === undefined) {
    const isExpired = now.getTime() - receivedAt.getTime() >= bounds.hold_ms
    return isExpired ? quarantine('KEY_UNKNOWN') : { type: 'HOLD' }
  }
  if (key.boundedContextId !== evidence.source) return quarantine('KEY_OF_ANOTHER')
  if (!evidence.signatureValid) return quarantine('SIGNATURE_INVALID')
  if (key.revokedAt !== null && !isFromBefore(key.revokedAt, evidence, bounds)) {
    return quarantine('KEY_REVOKED')
  }
  return { type: 'RECORD', provenance: 'SIGNED' }
}

/** A service without a key signs nothing; nor do replicas that have not got theirs yet. */
function judgeUnsigned(
  { firstKeyAt, receivedAt }: ProvenanceEvidence,
  { unsigned_ms }: JudgeBounds,
): EntryVerdict {
  const isAllowed =
    firstKeyAt === undefined || receivedAt.getTime() - firstKeyAt.getTime() < unsigned_ms
  return isAllowed ? { type: 'RECORD', provenance: 'UNSIGNED' } : quarantine('UNSIGNED')
}

function isFromBefore(
  revokedAt: Date,
  { actedAt, receivedAt }: ProvenanceEvidence,
  { hold_ms }: JudgeBounds,
): boolean {
  const late_ms = receivedAt.getTime() - revokedAt.getTime()
  return actedAt.getTime() <= revokedAt.getTime() && late_ms < hold_ms
}

const quarantine = (reason: QuarantineReason): EntryVerdict => ({ type: 'QUARANTINE', reason })
