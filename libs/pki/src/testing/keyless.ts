/**
 * Public keys with which signatures verify that no private key made, and such signatures: for the tests
 * of everything that accepts public keys.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

export interface KeylessKey {
  readonly name: string
  readonly key: KeyObject
  /** Signatures to try over SHA-256 of the text, of Ed25519 over the text itself. */
  readonly signatures: (text: Buffer) => readonly Buffer[]
}

/** The eight points whose order is at most 8, and all further encodings that decoders accept for them. */
export const smallOrderEncodings: readonly string[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

export function keylessKeys(): readonly KeylessKey[] {
  return [withExponentOne(), ...smallOrderEncodings.map(withSmallOrder)]
}

/** With the exponent 1 the padded hash is the signature: RFC 8017 8.2.2. */
function withExponentOne(): KeylessKey {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const { n = '' } = publicKey.export({ format: 'jwk' })
  const length = Buffer.from(n, 'base64url').length
  return {
    name: 'RSA with exponent 1',
    key: createPublicKey({ key: { kty: 'RSA', n, e: 'AQ' }, format: 'jwk' }),
    signatures(text) {
      const info = Buffer.concat([sha256Info, createHash('sha256').update(text).digest()])
      const padding = Buffer.alloc(length - info.length - 3, 0xff)
      return [Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), info])]
    },
  }
}

const sha256Info = Buffer.from('3031300d060960864801650304020105000420', 'hex')

/** With a point of small order one of eight points R and S = 0 satisfy S B = R + h A. */
function withSmallOrder(encoded: string): KeylessKey {
  const x = Buffer.from(encoded, 'hex').toString('base64url')
  return {
    name: `Ed25519 ${encoded}`,
    key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signatures: () =>
      smallOrderEncodings.map((r) => Buffer.concat([Buffer.from(r, 'hex'), Buffer.alloc(32)])),
  }
}

/**
 * An EC key at infinity (DER). Node.js reads it, and ends the process when it is asked for the details
 * of the key.
 */
export const keyAtInfinity = Buffer.from(
  '3019301306072a8648ce3d020106082a8648ce3d03010703020000',
  'hex',
)
