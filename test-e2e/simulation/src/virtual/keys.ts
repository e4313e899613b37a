/**
 * Key pairs that a seed decides, in the place of those of Node.js: EC on P-256, and Ed25519, which are all
 * that the hub makes. Signatures of Ed25519 follow from key and message. Those of ECDSA are random, and none
 * reaches the database: without a file of a component key no entry is signed, and nobody asks for tokens.
 */
import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'

const scalar_bytes = 32
const coordinate_bytes = 32
/** PKCS#8 of a private key of Ed25519, before its 32 bytes (RFC 8410). */
const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

interface KeyPairOptions {
  readonly namedCurve?: string
}

/** What replaces `generateKeyPairSync`; it refuses what no seed decides. */
export function seededKeyPairs(random: (length: number) => Buffer) {
  return {
    generateKeyPairSync(
      type: string,
      { namedCurve = '' }: KeyPairOptions = {},
    ): KeyPairKeyObjectResult {
      if (type === 'ed25519') return pairOf(ed25519Of(random(scalar_bytes)))
      if (type === 'ec' && (namedCurve === 'P-256' || namedCurve === 'prime256v1')) {
        return pairOf(p256Of(random(scalar_bytes)))
      }
      throw new Error(`no seed decides a key pair ${type} ${namedCurve}`)
    },
  }
}

/** @param seed 32 bytes */
export function ed25519Of(seed: Buffer): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([ed25519Head, seed]),
    format: 'der',
    type: 'pkcs8',
  })
}

/** @param scalar 32 bytes, not all zero, and below the order of the curve, which all but 2^-32 are */
function p256Of(scalar: Buffer): KeyObject {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(scalar)
  const point = ecdh.getPublicKey()
  const [x, y] = [1, 1 + coordinate_bytes].map((from) =>
    point.subarray(from, from + coordinate_bytes).toString('base64url'),
  )
  const d = scalar.toString('base64url')
  const key = { kty: 'EC', crv: 'P-256', d, x: x ?? '', y: y ?? '' }
  return createPrivateKey({ key, format: 'jwk' })
}

function pairOf(privateKey: KeyObject): KeyPairKeyObjectResult {
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
