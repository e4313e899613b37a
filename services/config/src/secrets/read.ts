/**
 * Reading values: for the component alone that owns them, which signs its request. A signed request is
 * answered once, and within a minute. Each read and each attempt of another component is audited.
 */
import { readClock } from '@causeway/postgres'
import {
  readSignature,
  verifyComponentSignature,
  type KnownKey,
  type KnownKeys,
  type SignedHeaders,
} from '@causeway/keys/components'
import { auditEntry } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import { refuse, type RefusedConfiguration } from '../domain/refusal.ts'
import type { ConfigParts } from '../serve.ts'
import { unknownSecrets } from './approval.ts'
import type { SecretSet } from './domain/secrets.ts'
import type { Sealing } from './sealing.ts'
import { claimRead, secretSetOf, storedSecrets } from './store.ts'

export interface ReadParts extends ConfigParts {
  readonly sealing: Sealing
  readonly keys: KnownKeys
}

export type SecretsRead =
  | RefusedConfiguration
  | {
      readonly type: 'READ'
      readonly set: SecretSet
      readonly values: readonly { readonly name: string; readonly value: string }[]
    }

/** How far the time of a request may be from the time of its arrival. */
const window_ms = 60_000
/** A nonce is remembered for longer than its request is accepted. */
export const nonces_kept_ms = 5 * window_ms

const noncePattern = /^[\w-]{16,64}$/
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** @param contextId whose values are read */
export async function readSecrets(
  parts: ReadParts,
  contextId: string,
  request: SignedHeaders,
): Promise<SecretsRead> {
  const signer = await signerOf(parts.keys, contextId, request)
  if ('type' in signer) return signer
  return parts.db.transaction(async (tx): Promise<SecretsRead> => {
    const now = await readClock(tx)
    const fault = await claimFault(tx, signer, request, now)
    if (fault !== undefined) return fault
    const read = await readAs(parts, tx, contextId, signer)
    const isRead = read.type === 'READ'
    parts.bus.announce(tx, [
      auditEntry('config', {
        actor: signer.boundedContextId,
        action: 'ReadSecretValues',
        subject: `secrets/${contextId}`,
        before: null,
        after: isRead ? { names: read.values.map(({ name }) => name) } : null,
        at: now,
        successful: isRead,
        labels: { keyId: signer.id },
      }),
    ])
    return read
  })
}

/** Who signed: a key in force of the component that the request names. */
async function signerOf(
  keys: KnownKeys,
  contextId: string,
  { signer, timestamp, nonce, signature }: SignedHeaders,
): Promise<KnownKey | RefusedConfiguration> {
  const path = `/config/secrets/${contextId}/values`
  const read = readSignature(signature, { method: 'GET', path, timestamp, nonce })
  if (read === undefined) return invalid('X-Signature is no JWS over this request')
  const key = await keys.find(read.keyId)
  if (key === undefined || key.revokedAt !== null) return invalid('the key is unknown or revoked')
  if (key.boundedContextId !== signer) return invalid('the key is not that of X-BC-Id')
  return verifyComponentSignature(key.publicKey, read.content, read.signature)
    ? key
    : invalid('X-Signature is not valid')
}

/** The database's clock is the same for all replicas, and so are the nonces in it. */
async function claimFault(
  tx: Transaction,
  { id }: KnownKey,
  { timestamp, nonce }: SignedHeaders,
  now: Date,
): Promise<RefusedConfiguration | undefined> {
  if (!timePattern.test(timestamp)) return invalid('X-Timestamp is not a UTC time (ISO 8601)')
  const age_ms = Math.abs(now.getTime() - Date.parse(timestamp))
  // A time that does not exist is not a number.
  if (!(age_ms <= window_ms)) return invalid(`X-Timestamp is more than ${window_ms / 1_000} s off`)
  if (!noncePattern.test(nonce)) return invalid('X-Nonce has 16 to 64 letters, digits, _ and -')
  const isNew = await claimRead(tx, id, nonce, now)
  return isNew ? undefined : invalid('the request came before: X-Nonce is used')
}

async function readAs(
  { sealing }: ReadParts,
  tx: Transaction,
  contextId: string,
  { boundedContextId }: KnownKey,
): Promise<SecretsRead> {
  if (boundedContextId !== contextId) {
    return refuse('NOT_OWNER', `${boundedContextId} may not read the secrets of ${contextId}`)
  }
  const set = await secretSetOf(tx, contextId)
  if (set === undefined) return unknownSecrets(contextId)
  const stored = await storedSecrets(tx, [contextId])
  const values = stored.map((each) => ({ name: each.name, value: sealing.openValue(each) }))
  return { type: 'READ', set, values }
}

function invalid(detail: string): RefusedConfiguration {
  return refuse('SIGNATURE_INVALID', detail)
}
