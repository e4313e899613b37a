/**
 * Public keys of FSPs: a key that cannot verify (or encrypt) under the rules of the API is refused at
 * registration, not at the first message. FSPIOP (Signature) 3, (Encryption) 3, PKI Best Practices.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { publicKeyFault, type KeyKind } from '@causeway/pki/public-key'
import { calculateJwkThumbprint } from 'jose'

/** `sig`: signatures of the FSP's messages; `enc`: fields encrypted for the FSP. */
export type KeyUse = 'sig' | 'enc'

export interface PublicKey {
  readonly key: KeyObject
  /** The JWK's own `kid`, else the thumbprint. */
  readonly kid: string
  /** RFC 7638, SHA-256, base64url. */
  readonly thumbprint: string
}

const text_max = 16_384
/** Signatures and encrypted keys have at most 512 characters: 384 bytes in base64url. */
const rsa_bits_max = 3072

const kindsOfUse: Readonly<Record<KeyUse, readonly KeyKind[]>> = {
  sig: ['RSA', 'P-256'],
  enc: ['RSA'],
}

const algorithmsOfUse: Readonly<Record<KeyUse, readonly unknown[]>> = {
  sig: ['RS256', 'RS384', 'RS512', 'ES256'],
  enc: ['RSA-OAEP-256'],
}

/**
 * Reads a public key: PEM (also a certificate) or JWK, as JSON text or parsed. RSA of 2048 to 3072 bits;
 * for signatures also EC on P-256. `fault` describes the error; a private key is reported first.
 */
export async function readPublicKey(
  source: string | object,
  use: KeyUse,
): Promise<PublicKey | { readonly fault: string }> {
  if (typeof source === 'string' && source.length > text_max) {
    return { fault: `longer than ${text_max} characters` }
  }
  const given = typeof source === 'string' ? (parsedJwk(source) ?? source) : source
  const fault = typeof given === 'string' ? faultOfPem(given) : faultOfJwk(given, use)
  if (fault !== undefined) return { fault }
  const key = importedKey(given)
  if (key === undefined) return { fault: 'not a public key that can be read' }
  const unfit = faultOfKey(key, use)
  if (unfit !== undefined) return { fault: unfit }
  const thumbprint = await calculateJwkThumbprint(key)
  const ownKid = typeof given === 'object' && 'kid' in given ? given.kid : undefined
  return { key, kid: isKid(ownKid) ? ownKid : thumbprint, thumbprint }
}

function parsedJwk(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}

function faultOfPem(text: string): string | undefined {
  if (text.includes('PRIVATE KEY-----')) return privateKeyFault
  const blocks = text.split('-----BEGIN ').length - 1
  if (blocks === 0) return 'neither PEM nor JWK'
  return blocks === 1 ? undefined : 'more than one key: give one'
}

const privateKeyFault = 'a private key: it is no longer secret, create a new key pair'

function faultOfJwk(jwk: object, use: KeyUse): string | undefined {
  const { d, k, use: ownUse, alg, kid } = jwk as Readonly<Record<string, unknown>>
  if (d !== undefined || k !== undefined) return privateKeyFault
  if (ownUse !== undefined && ownUse !== use) return `its use is not ${use}`
  if (alg !== undefined && !algorithmsOfUse[use].includes(alg)) {
    return `its alg is none of ${algorithmsOfUse[use].join(', ')}`
  }
  return kid === undefined || isKid(kid) ? undefined : `its kid is not ${kidForm}`
}

function importedKey(source: string | object): KeyObject | undefined {
  try {
    return typeof source === 'string'
      ? createPublicKey(source)
      : createPublicKey({ key: { ...source }, format: 'jwk' })
  } catch {
    return undefined
  }
}

function faultOfKey(key: KeyObject, use: KeyUse): string | undefined {
  const fault = publicKeyFault(key, kindsOfUse[use])
  if (fault !== undefined) return fault
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  return bits > rsa_bits_max
    ? `RSA of ${bits} bits: at most ${rsa_bits_max}, or what it makes exceeds 512 characters`
    : undefined
}

/** The curve of ES256. */
export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

/** The format of a key id; also in refusals. */
export const kidForm = '1 to 256 visible ASCII characters'

export function isKid(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)
}
