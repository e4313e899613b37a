/**
 * The one rule for public keys that come from outside the hub: what a key verifies, its private key has
 * signed. Every place that stores such a key, or verifies with one, asks here.
 */
import type { KeyObject } from 'node:crypto'

export type KeyKind = 'RSA' | 'P-256' | 'P-384' | 'secp256k1' | 'Ed25519'

/** RFC 8230 6.1, RFC 8812 2, NIST SP 800-131A. */
const rsa_bits_min = 2_048
/** Larger keys slow down each verification without benefit. */
const rsa_bits_max = 4_096
/** RFC 8017 3.1. With exponent 1 the padded hash is its own signature. */
const exponent_min = 3n
/** Very large ones make each verification slow. */
const exponent_max = 2n ** 32n

const curves: ReadonlyMap<string | undefined, KeyKind> = new Map<string, KeyKind>([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp256k1', 'secp256k1'],
])

/**
 * Why a public key is refused; undefined: it is acceptable.
 *
 * @param accepted the kinds that the caller can use
 */
export function publicKeyFault(key: KeyObject, accepted: readonly KeyKind[]): string | undefined {
  // First: Node.js ends the process when it is asked for the details of an EC key at infinity.
  const encoded = encodingOf(key)
  if (encoded === undefined) return 'not a point of its curve'
  const kind = kindOf(key)
  if (kind === undefined || !accepted.includes(kind)) return `not ${listOf(accepted)}`
  switch (kind) {
    case 'RSA':
      return rsaFault(key)
    case 'Ed25519':
      return ed25519Fault(encoded.subarray(-32))
    default:
      return undefined
  }
}

/** SubjectPublicKeyInfo; undefined for a key that has none, as the point at infinity. */
function encodingOf(key: KeyObject): Buffer | undefined {
  try {
    return key.export({ type: 'spki', format: 'der' })
  } catch {
    return undefined
  }
}

function kindOf(key: KeyObject): KeyKind | undefined {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return 'RSA'
    case 'ed25519':
      return 'Ed25519'
    case 'ec':
      return curves.get(key.asymmetricKeyDetails?.namedCurve)
    default:
      return undefined
  }
}

function rsaFault({ asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = asymmetricKeyDetails ?? {}
  if (bits < rsa_bits_min) return `RSA of ${bits} bits: at least ${rsa_bits_min}`
  if (bits > rsa_bits_max) return `RSA of ${bits} bits: at most ${rsa_bits_max}`
  if (exponent < exponent_min || exponent > exponent_max) {
    return 'an RSA exponent below 3 or above 2^32'
  }
  return exponent % 2n === 0n ? 'an even RSA exponent' : undefined
}

/** RFC 7748 4.1. */
const field = 2n ** 255n - 19n
/** y of the points of order 8, and of their negatives: d y^4 + 2 y^2 = 1, with d of the curve. */
const yOfOrder8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
/** y of all eight points whose order is at most 8: with them signatures verify that no key made. */
const yOfSmallOrder: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  field - 1n,
  yOfOrder8,
  field - yOfOrder8,
])

/**
 * A second encoding of a point is refused with it: RFC 8032 5.1.3.
 *
 * @param encoded 32 bytes: y, little-endian, and the sign of x in the highest bit
 */
function ed25519Fault(encoded: Buffer): string | undefined {
  const bytes = Buffer.from(encoded).reverse()
  bytes[0] = bytes.readUInt8(0) & 0x7f
  const y = BigInt(`0x${bytes.toString('hex')}`)
  if (y >= field) return 'not the encoding of a point of its curve'
  return yOfSmallOrder.has(y) ? 'a point of small order' : undefined
}

function listOf(kinds: readonly KeyKind[]): string {
  const last = kinds.at(-1) ?? ''
  return kinds.length < 2 ? last : `${kinds.slice(0, -1).join(', ')} or ${last}`
}
