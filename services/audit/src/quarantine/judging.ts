/** Judges entries by the registry of component keys. */
import { verifyComponentSignature, type KnownKeys } from '@causeway/keys/components'
import { signedContentOf, type AuditPayload } from '@causeway/events'
import { judge, type JudgeBounds, type EntryVerdict } from '../domain/judge.ts'

export interface JudgingParts {
  readonly keys: Pick<KnownKeys, 'find' | 'firstKeyAt'>
  readonly bounds: JudgeBounds
}

export interface JudgedEntry {
  readonly entry: AuditPayload
  readonly receivedAt: Date
  readonly verdict: EntryVerdict
}

/** Rejects while the registry was never read and auth-service is away. */
export async function judged(
  { keys, bounds }: JudgingParts,
  entry: AuditPayload,
  receivedAt: Date,
  now: Date,
): Promise<JudgedEntry> {
  const { sourceBcName: source, sourceKeyId, sourceSignature } = entry
  const isSigned = sourceKeyId !== undefined && sourceSignature !== undefined
  const key = isSigned ? await keys.find(sourceKeyId) : undefined
  const evidence = {
    source,
    actedAt: new Date(entry.actionTimestamp),
    receivedAt,
    keyId: isSigned ? sourceKeyId : undefined,
    key,
    signatureValid:
      isSigned &&
      key !== undefined &&
      verifyComponentSignature(
        key.publicKey,
        signedContentOf(entry),
        Buffer.from(sourceSignature, 'base64url'),
      ),
    firstKeyAt: isSigned ? undefined : await keys.firstKeyAt(source),
  }
  return { entry, receivedAt, verdict: judge(evidence, bounds, now) }
}
