/**
 * Verifies that a message was signed by its sender and not changed: over the received bytes, on every
 * POST, PUT and PATCH. FSPIOP (Signature) 4.
 */
import {
  readSignature,
  signerOf,
  verifySignature,
  type Headers,
  type ParsedSignature,
  type Refusal,
  type SignatureAlgorithm,
  type VerificationKey,
} from '@causeway/fspiop'
import type { FspKeys } from './fsp-keys.ts'
import { refuse } from './refusals.ts'

/** The key that signed. */
export interface Signed {
  readonly kid: string
}

type Checked = Signed | Refusal | undefined

/** Undefined for a message that needs no signature and has none. Synchronous when keys are cached. */
export type CheckSignature = (message: SignedMessage) => Checked | Promise<Checked>

export interface SignedMessage {
  readonly source: string
  readonly method: string
  /** Path and query of the request line. */
  readonly target: string
  readonly headers: Headers
  readonly body: Buffer
}

/** GET and DELETE need no signature, but one that is present must be valid. */
const unsignedMethods: ReadonlySet<string> = new Set(['GET', 'DELETE'])

export function openSignatures(
  keys: Pick<FspKeys, 'peek' | 'getFresh'>,
  algorithms: readonly SignatureAlgorithm[],
): CheckSignature {
  return (message) => {
    const { source, method, headers } = message
    const value = headers['fspiop-signature']
    if (value === undefined || value === '') {
      return unsignedMethods.has(method) ? undefined : refuse('SIGNATURE_MISSING')
    }
    const parsed = readSignature(String(value), algorithms)
    if ('code' in parsed) return parsed
    const now = new Date()
    const known = keys.peek(source) ?? []
    const checked = check(parsed, message, known, now)
    if ('kid' in checked || hasNamedKey(parsed, known)) return checked
    // The key may have been added since the keys were cached.
    return keys.getFresh(source).then(
      (fresh) => check(parsed, message, fresh, new Date()),
      () => refuse('KEYS_UNAVAILABLE'),
    )
  }
}

function check(
  parsed: ParsedSignature,
  message: SignedMessage,
  keys: readonly VerificationKey[],
  now: Date,
): Signed | Refusal {
  return (
    verifySignature(parsed, message, keys, { now }) ?? { kid: kidOf(parsed, message, keys, now) }
  )
}

/** The key of a signature without `kid`; with several keys the verifying one is determined again. */
function kidOf(
  parsed: ParsedSignature,
  { body }: SignedMessage,
  keys: readonly VerificationKey[],
  now: Date,
): string {
  if (parsed.kid !== undefined) return parsed.kid
  const signer = keys.length === 1 ? keys[0] : signerOf(parsed, body, keys, now)
  return signer?.kid ?? ''
}

/** Then reading the keys again cannot help: a key never changes under its id. */
function hasNamedKey({ kid }: ParsedSignature, keys: readonly VerificationKey[]): boolean {
  return kid !== undefined && keys.some((key) => key.kid === kid)
}
