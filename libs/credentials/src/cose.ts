/** Public keys of authenticators: COSE_Key. (RFC 9052, section 7; RFC 9053, section 7) */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** The labels of a key that are read here. */
export interface CoseKey {
  get(label: number): unknown
}

export interface SigningKey {
  readonly key: KeyObject
  /** The hash of the signed bytes; undefined: the algorithm hashes by itself. */
  readonly digest: 'sha256' | undefined
}

const curves: ReadonlyMap<unknown, string> = new Map([
  [1, 'P-256'],
  [6, 'Ed25519'],
])

/** For ES256, RS256 and EdDSA; throws for any other key. */
export function signingKeyOf(cose: CoseKey): SigningKey {
  switch (cose.get(3)) {
    case -7:
      return signing({ kty: 'EC', crv: curve(cose), x: member(cose, -2), y: member(cose, -3) })
    case -257:
      return signing({ kty: 'RSA', n: member(cose, -1), e: member(cose, -2) })
    case -8: {
      const jwk = { kty: 'OKP', crv: curve(cose), x: member(cose, -2) }
      return { ...signing(jwk), digest: undefined }
    }
    default:
      throw new Error('a key of an unknown algorithm')
  }
}

function signing(jwk: JsonWebKey): SigningKey {
  return { key: createPublicKey({ format: 'jwk', key: jwk }), digest: 'sha256' }
}

function curve(cose: CoseKey): string {
  return curves.get(cose.get(-1)) ?? ''
}

function member(cose: CoseKey, label: number): string {
  const bytes = cose.get(label)
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64url') : ''
}
