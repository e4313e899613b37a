/**
 * Verifies that a message was signed by its sender and not changed: over the received bytes, on every
 * message but GET. FSPIOP (Signature) 4. A signature also counts only for the FSP that it names as
 * destination, and a request only for a while after its Date, so that nobody can send it again later.
 */
import {
  isRelayed,
  readHttpDate,
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
import { refuse } from '../refusals.ts'

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

/** What a signature must be beyond correct. */
export interface SignatureRules {
  readonly algorithms: readonly SignatureAlgorithm[]
  /** Methods that need no signature; one that is present must be valid. */
  readonly unsigned: readonly string[]
  /**
   * How far the Date of a request may be from now; Date and a destination must then be protected.
   * Undefined: neither is required.
   */
  readonly dateWindow_ms: number | undefined
  /** The headers beside those of the API that are relayed. */
  readonly relayedHeaders: ReadonlySet<string>
}

export function openSignatures(
  keys: Pick<FspKeys, 'peek' | 'getFresh'>,
  rules: SignatureRules,
): CheckSignature {
  return (message) => {
    const { source, method, headers } = message
    const value = headers['fspiop-signature']
    if (value === undefined || value === '') {
      return rules.unsigned.includes(method) ? undefined : refuse('SIGNATURE_MISSING')
    }
    const parsed = readSignature(String(value), rules.algorithms)
    if ('code' in parsed) return parsed
    const now = new Date()
    const fault = unverifiable(parsed, rules) ?? replayFault(parsed, message, rules, now)
    if (fault !== undefined) return fault
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

/** The receiver could not verify a signature over a header that it does not get. */
function unverifiable(
  { parameters }: ParsedSignature,
  { relayedHeaders }: SignatureRules,
): Refusal | undefined {
  for (const name of parameters.keys()) {
    const lowered = name.toLowerCase()
    if (/^(?:x|fspiop)-/.test(lowered) && !isRelayed(lowered, relayedHeaders)) {
      return refuse('SIGNED_HEADER_NOT_RELAYED')
    }
  }
  return undefined
}

/** Outcomes are repeated for as long as the sender wishes, with the Date of the first time. */
const repeatable: ReadonlySet<string> = new Set(['PUT', 'PATCH'])

/**
 * Why the signature, if it is correct, could belong to another message, or to one that is sent again.
 * That protected values equal the headers is verified with the signature.
 */
function replayFault(
  { parameters }: ParsedSignature,
  { method, headers }: SignedMessage,
  { dateWindow_ms }: SignatureRules,
  now: Date,
): Refusal | undefined {
  if (dateWindow_ms === undefined) return undefined
  const names = new Set(Array.from(parameters.keys(), (name) => name.toLowerCase()))
  if (!names.has('date')) return refuse('DATE_UNPROTECTED')
  const destination = headers['fspiop-destination'] ?? ''
  if (destination !== '' && !names.has('fspiop-destination')) {
    return refuse('DESTINATION_UNPROTECTED')
  }
  if (repeatable.has(method)) return undefined
  const date = readHttpDate(String(headers['date']))
  const isNear = date !== undefined && Math.abs(now.getTime() - date.getTime()) <= dateWindow_ms
  return isNear ? undefined : refuse('DATE_OUTSIDE_WINDOW')
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
