/** The public half of a key in a token, as Node.js takes it. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Handle } from 'pkcs11js'
import type { Curve } from '../provider.ts'
import { attribute, keyType } from './constants.ts'
import type { TokenSession } from './token.ts'

/** DER of the object identifiers: RFC 5480 2.1.1.1, RFC 8410 3. */
export const curveParameters: Readonly<Record<Curve, Buffer>> = {
  'P-256': Buffer.from('06082a8648ce3d030107', 'hex'),
  'P-384': Buffer.from('06052b81040022', 'hex'),
  Ed25519: Buffer.from('06032b6570', 'hex'),
}

/** Throws for a key that is neither RSA nor on a known curve. */
export function publicKeyOf({ library, handle }: TokenSession, key: Handle): KeyObject {
  const read = (...types: number[]): Buffer[] =>
    library
      .C_GetAttributeValue(
        handle,
        key,
        types.map((type) => ({ type })),
      )
      .map(({ value }) => value)
  const [type] = read(attribute.KEY_TYPE)
  if (type?.[0] === keyType.RSA) {
    const [n, e] = read(attribute.MODULUS, attribute.PUBLIC_EXPONENT)
    return publicJwk({ kty: 'RSA', n: base64url(n), e: base64url(e) })
  }
  const [parameters, point] = read(attribute.EC_PARAMS, attribute.EC_POINT)
  const curve = Object.entries(curveParameters).find(([, der]) => parameters?.equals(der))?.[0]
  if (curve === undefined || point === undefined) throw new Error('a key on an unknown curve')
  return curve === 'Ed25519' ? ofEdwards(point) : ofCurve(curve, point)
}

/** The point is an OCTET STRING; 04, x and y. */
function ofCurve(curve: string, point: Buffer): KeyObject {
  const size = curve === 'P-256' ? 32 : 48
  const y = point.subarray(-size)
  const x = point.subarray(-2 * size, -size)
  return publicJwk({ kty: 'EC', crv: curve, x: base64url(x), y: base64url(y) })
}

function ofEdwards(point: Buffer): KeyObject {
  return publicJwk({ kty: 'OKP', crv: 'Ed25519', x: base64url(point.subarray(-32)) })
}

function publicJwk(jwk: Record<string, string>): KeyObject {
  return createPublicKey({ key: jwk, format: 'jwk' })
}

function base64url(bytes: Buffer | undefined): string {
  return bytes?.toString('base64url') ?? ''
}

/** The uncompressed point of a public key, as C_DeriveKey takes it. SEC 1 2.3.3. */
export function pointOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}
