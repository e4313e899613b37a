/** Public keys of authenticators: COSE_Key. (RFC 9052, section 7; RFC 9053, section 7) */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { publicKeyFault, type KeyKind } from '@causeway/pki/public-key'

/** The labels of a key that are read here. */
export interface CoseKey {
  get(label: number): unknown
}

export interface SigningKey {
  readonly key: KeyObject
  /** Its COSE algorithm. */
  readonly alg: number
  /** The hash of the signed bytes; undefined: the algorithm hashes by itself. */
  readonly digest: 'sha256' | undefined
}

const curves: ReadonlyMap<unknown, string> = new Map([
  [1, 'P-256'],
  [6, 'Ed25519'],
])

/** For ES256, RS256 and EdDSA; throws for any other key, and for one that others can sign with. */
export function signingKeyOf(cose: CoseKey): SigningKey {
  const alg = cose.get(3)
  switch (alg) {
    case -7:
      return signing(alg, 'P-256', {
        kty: 'EC',
        crv: curve(cose),
        x: member(cose, -2),
        y: member(cose, -3),
      })
    case -257:
      return signing(alg, 'RSA', { kty: 'RSA', n: member(cose, -1), e: member(cose, -2) })
    case -8: {
      const jwk = { kty: 'OKP', crv: curve(cose), x: member(cose, -2) }
      return { ...signing(alg, 'Ed25519', jwk), digest: undefined }
    }
    default:
      throw new Error('a key of an unknown algorithm')
  }
}

function signing(alg: number, kind: KeyKind, jwk: JsonWebKey): SigningKey {
  const key = createPublicKey({ format: 'jwk', key: jwk })
  const fault = publicKeyFault(key, [kind])
  if (fault !== undefined) throw new Error(`the key is ${fault}`)
  return { key, alg, digest: 'sha256' }
}

function curve(cose: CoseKey): string {
  return curves.get(cose.get(-1)) ?? ''
}

function member(cose: CoseKey, label: number): string {
  const bytes = cose.get(label)
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64url') : ''
}
