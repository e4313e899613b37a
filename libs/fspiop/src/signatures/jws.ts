/**
 * Signatures prove the sender of a message and that no hop changed it. They are created and verified
 * over the transmitted bytes of the body, never over a body serialized again. A refusal names what
 * differs. FSPIOP (Signature) 3, RFC 7515.
 */
import { isUtf8 } from 'node:buffer'
import { createVerify, type KeyObject, sign } from 'node:crypto'
import { type Refusal, refusal } from '../errors.ts'
import type { Headers } from '../headers.ts'
import { isKid, isP256, kidForm } from './jws-key.ts'
import { repeatedMemberOf } from '../members.ts'

const digests = { RS256: 'sha256', RS384: 'sha384', RS512: 'sha512', ES256: 'sha256' } as const

export type SignatureAlgorithm = keyof typeof digests

/** The algorithms of the API. A scheme that agrees on ES256 passes it in addition. */
export const rsaAlgorithms = ['RS256', 'RS384', 'RS512'] as const

export interface ParsedSignature {
  readonly algorithm: SignatureAlgorithm
  /** The sender's key that signed; `undefined` when the signature does not name it. */
  readonly kid: string | undefined
  /** As received, because it is part of the signed input. */
  readonly protectedHeader: string
  /** The protected copies of headers, by their names as written there. */
  readonly parameters: ReadonlyMap<string, string>
  readonly signature: Buffer
}

export interface VerificationKey {
  readonly kid: string
  readonly key: KeyObject
  /** The start of its validity, inclusive; `undefined`: no start. */
  readonly validFrom: Date | undefined
  /** The end of its validity, exclusive; `undefined`: no end. */
  readonly validTo: Date | undefined
}

/** A request as it was received. */
export interface ReceivedMessage {
  readonly method: string
  /** Path and query of the request line, from the resource name on. */
  readonly target: string
  readonly headers: Headers
  /** Exactly as received; empty when there is none. */
  readonly body: Buffer
}

const headerValue_max = 65_536
const signature_max = 512
const protectedHeader_max = 32_768
const base64urlPattern = /^[A-Za-z0-9_-]+$/
const headerNamePattern = /^[\w!#$%&'*+.^`|~-]{1,128}$/
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/

const required = ['FSPIOP-URI', 'FSPIOP-HTTP-Method', 'FSPIOP-Source'] as const

/** Parameters of the signature itself, which are not headers of the message. */
const ofSignature: ReadonlySet<string> = new Set(['alg', 'kid', 'typ', 'cty', 'x5t', 'x5t#S256'])

/**
 * Parses the FSPIOP-Signature header without verifying it. Refusal 3105 for a wrong format, for exceeded
 * bounds (512 and 32,768 characters), or for an algorithm not in `algorithms`, which never includes
 * `none` or an HMAC.
 */
export function readSignature(
  headerValue: string,
  algorithms: readonly SignatureAlgorithm[] = rsaAlgorithms,
): ParsedSignature | Refusal {
  const outer = headerValue.length > headerValue_max ? undefined : jsonObject(headerValue)
  if (outer === undefined) return invalid('FSPIOP-Signature is not a JSON object')
  const twice = repeatedMemberOf(outer, headerValue)
  if (twice !== undefined) return invalid(`FSPIOP-Signature: ${twice} is given twice`)
  const { signature, protectedHeader } = outer
  const signatureBytes = decode(signature, signature_max)
  // The last character has unused bits: only the canonical text for these bytes is accepted.
  if (signatureBytes === undefined || signatureBytes.toString('base64url') !== signature) {
    return invalid(`signature is not base64url of 1 to ${signature_max} characters`)
  }
  const headerBytes = decode(protectedHeader, protectedHeader_max)
  if (headerBytes === undefined) {
    return invalid(`protectedHeader is not base64url of 1 to ${protectedHeader_max} characters`)
  }
  const text = headerBytes.toString('utf8')
  const json = isUtf8(headerBytes) ? jsonObject(text) : undefined
  if (json === undefined) return invalid('protected header: not a JSON object in UTF-8')
  const repeated = repeatedMemberOf(json, text)
  if (repeated !== undefined) return invalid(`protected header: ${repeated} is given twice`)
  const { alg, kid } = json
  const algorithm = algorithms.find((name) => name === alg)
  if (algorithm === undefined)
    return invalid(`protected header: alg is none of ${algorithms.join(', ')}`)
  if (kid !== undefined && !isKid(kid)) return invalid(`protected header: kid is not ${kidForm}`)
  const parameters = parametersOf(json)
  if (typeof parameters === 'string') return invalid(`protected header: ${parameters}`)
  return {
    algorithm,
    kid,
    protectedHeader: String(protectedHeader),
    parameters,
    signature: signatureBytes,
  }
}

/** The protected copies of headers, or their fault. */
function parametersOf(json: Readonly<Record<string, unknown>>): Map<string, string> | string {
  if (Object.hasOwn(json, 'crit')) return 'crit lists extensions that are not supported'
  const parameters = new Map<string, string>()
  for (const [name, value] of Object.entries(json)) {
    if (ofSignature.has(name)) continue
    if (!headerNamePattern.test(name)) return 'a parameter is not named like a header'
    if (typeof value !== 'string' || !headerValuePattern.test(value)) {
      return `${name} is not the value of a header`
    }
    parameters.set(name, value)
  }
  return parameters
}

/**
 * `undefined` when one of the sender's keys that are valid at `now` signed exactly this message, and the
 * protected values equal the headers and the request line; else the refusal (3105), whose detail names
 * what differs. A signature with a `kid` is verified with that key only, one without with each key, so
 * registration must bound the number of keys of an FSP.
 */
export function verifySignature(
  parsed: ParsedSignature,
  message: ReceivedMessage,
  keys: readonly VerificationKey[],
  { now }: { readonly now: Date },
): Refusal | undefined {
  const fault =
    faultOfKeys(parsed, keys, now) ??
    faultOfHeaders(parsed.parameters, message) ??
    (signerOf(parsed, message.body, keys, now) === undefined
      ? 'body or protected header was changed, or another key signed'
      : undefined)
  return fault === undefined ? undefined : invalid(fault)
}

/**
 * The key that made the signature, of those valid at `now`. Headers are not compared; `verifySignature`
 * does that.
 *
 * Verification is synchronous, in this thread: with RSA of 2048 bits and a body of 1 KB it takes 30 µs
 * of CPU. With a callback it takes 7 µs in this thread but 35 µs in total; `flattenedVerify` of jose
 * takes 34 µs in this thread and 70 µs in total.
 */
export function signerOf(
  parsed: ParsedSignature,
  body: Buffer,
  keys: readonly VerificationKey[],
  now: Date,
): VerificationKey | undefined {
  const { algorithm, kid } = parsed
  return keys.find((candidate) => {
    if (kid !== undefined && candidate.kid !== kid) return false
    if (!fits(algorithm, candidate.key) || !isValidAt(candidate, now)) return false
    return isSignedBy(candidate.key, parsed, body)
  })
}

/** RFC 7518, 3.4: r and s of 32 bytes each. For any other size the verifier throws. */
const es256_bytes = 64
/** A multiple of three, so that the texts of the pieces together are the text of the body. */
const piece_bytes = 49_152

/**
 * In pieces, since the text of a whole large body and its copy would be garbage of three times its size:
 * for 1.2 MB this takes half the time, for 1 KB the same.
 */
function isSignedBy(
  key: KeyObject,
  { algorithm, protectedHeader, signature }: ParsedSignature,
  body: Buffer,
): boolean {
  if (algorithm === 'ES256' && signature.length !== es256_bytes) return false
  const verifier = createVerify(digests[algorithm]).update(`${protectedHeader}.`, 'latin1')
  for (let from = 0; from < body.length; from += piece_bytes) {
    verifier.update(body.toString('base64url', from, from + piece_bytes), 'latin1')
  }
  return verifier.verify(optionsOf(key), signature)
}

/**
 * ES256 has r and s without ASN.1. An RSA key goes alone: in an object it costs 8 µs more on Node.js 24,
 * which throws and catches an error inside to find out that the object is no key.
 */
function optionsOf(key: KeyObject) {
  return key.asymmetricKeyType === 'ec' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key
}

/** Copies the body only twice: as base64url text and in the signing input. */
function signingInput(protectedHeader: string, body: Buffer): Buffer {
  return Buffer.from(`${protectedHeader}.${body.toString('base64url')}`, 'latin1')
}

function isValidAt({ validFrom, validTo }: VerificationKey, now: Date): boolean {
  return (validFrom === undefined || validFrom <= now) && (validTo === undefined || now < validTo)
}

function fits(algorithm: SignatureAlgorithm, key: KeyObject): boolean {
  return algorithm === 'ES256' ? isP256(key) : key.asymmetricKeyType === 'rsa'
}

/** Why none of the keys can match, as far as known without cryptography. */
function faultOfKeys(
  { kid, algorithm }: ParsedSignature,
  keys: readonly VerificationKey[],
  now: Date,
): string | undefined {
  const named = kid === undefined ? keys : keys.filter((key) => key.kid === kid)
  const none =
    kid === undefined
      ? 'FSPIOP-Source has no key'
      : `kid ${excerpt(kid, 0)}: FSPIOP-Source has no such key`
  if (named.length === 0) return none
  const fitting = named.filter(({ key }) => fits(algorithm, key))
  if (fitting.length === 0) return `${none} for ${algorithm}`
  return fitting.some((key) => isValidAt(key, now)) ? undefined : `${none} that is valid now`
}

function faultOfHeaders(
  parameters: ReadonlyMap<string, string>,
  { method, target, headers }: ReceivedMessage,
): string | undefined {
  for (const name of required) {
    if (headerOf(headers, name) === undefined) return `${name}: header is missing`
    if (!parameters.has(name)) return `${name}: protected header lacks it`
  }
  if (
    headerOf(headers, 'FSPIOP-Encryption') !== undefined &&
    !parameters.has('FSPIOP-Encryption')
  ) {
    return 'FSPIOP-Encryption: protected header lacks it'
  }
  for (const [name, signed] of parameters) {
    const sent = headerOf(headers, name)
    if (sent === undefined) return `${name}: protected, but header is missing`
    if (sent !== signed) return differing(name, 'header', sent, 'protected header', signed)
  }
  const uri = parameters.get('FSPIOP-URI') ?? ''
  if (uri !== target) return differing('FSPIOP-URI', 'header', uri, 'request', target)
  const named = parameters.get('FSPIOP-HTTP-Method') ?? ''
  return named === method
    ? undefined
    : differing('FSPIOP-HTTP-Method', 'header', named, 'request', method)
}

function headerOf(headers: Headers, name: string): string | undefined {
  const lowerCase = name.toLowerCase()
  const value = Object.hasOwn(headers, lowerCase) ? headers[lowerCase] : undefined
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

const excerpt_max = 24
const excerptBefore = 4

/** Long values are shown from where they differ, because an error text has 128 characters. */
function differing(
  name: string,
  one: string,
  oneValue: string,
  other: string,
  otherValue: string,
): string {
  let start = 0
  if (Math.max(oneValue.length, otherValue.length) > excerpt_max) {
    while (start < oneValue.length && oneValue[start] === otherValue[start]) start += 1
    start = Math.max(0, start - excerptBefore)
  }
  return `${name}: ${one} says ${excerpt(oneValue, start)}, ${other} says ${excerpt(otherValue, start)}`
}

function excerpt(value: string, start: number): string {
  const end = start + excerpt_max
  return `${start > 0 ? '...' : ''}${value.slice(start, end)}${end < value.length ? '...' : ''}`
}

type SignElsewhere = (input: Buffer) => Promise<Buffer>

/** A request to sign; the texts are the header values exactly as sent. */
export interface MessageToSign {
  readonly alg: SignatureAlgorithm
  readonly kid?: string | undefined
  /** Private; or what signs with a key that is elsewhere, as `alg` has it (RFC 7518 3.1). */
  readonly key: KeyObject | SignElsewhere
  readonly method: string
  /** Path and query from the resource name on. */
  readonly uri: string
  readonly source: string
  /** Omitted when not known: the hub fills in that header later. */
  readonly destination?: string | undefined
  readonly date: string
  readonly encryption?: string | undefined
  readonly body: Buffer
}

/**
 * The value of the FSPIOP-Signature header. Rejects when the key is not one for `alg`, or the protected
 * header has more than 32,768 characters.
 *
 * Signs in the thread pool: an RSA signature takes 680 µs of CPU, which would block the event loop;
 * the hand-over costs this thread 13 µs.
 */
export async function signatureHeader(message: MessageToSign): Promise<string> {
  const { alg, key, body } = message
  const isElsewhere = typeof key === 'function'
  if (!isElsewhere && !fits(alg, key)) throw new TypeError(`a key that is not one for ${alg}`)
  const protectedHeader = encodeParameters(message)
  if (protectedHeader.length > protectedHeader_max) throw new RangeError('headers too long to sign')
  const input = signingInput(protectedHeader, body)
  const signature = await (isElsewhere ? key(input) : signHere(alg, key, input))
  return JSON.stringify({ signature: signature.toString('base64url'), protectedHeader })
}

function signHere(alg: SignatureAlgorithm, key: KeyObject, input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(digests[alg], input, optionsOf(key), (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}

/** JSON.stringify omits members without a value. */
function encodeParameters(message: MessageToSign): string {
  const json = JSON.stringify({
    alg: message.alg,
    kid: message.kid,
    'FSPIOP-URI': message.uri,
    'FSPIOP-HTTP-Method': message.method,
    'FSPIOP-Source': message.source,
    'FSPIOP-Destination': message.destination,
    Date: message.date,
    'FSPIOP-Encryption': message.encryption,
  })
  return Buffer.from(json).toString('base64url')
}

function decode(text: unknown, length_max: number): Buffer | undefined {
  return typeof text === 'string' && text.length <= length_max && base64urlPattern.test(text)
    ? Buffer.from(text, 'base64url')
    : undefined
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

function invalid(detail: string): Refusal {
  return refusal('3105', detail)
}
