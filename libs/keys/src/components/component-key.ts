/**
 * The signing key of a component: EC on the curve P-256, signatures of the form ES256. A key is known
 * by the thumbprint of its public part.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { publicKeyFault } from '@causeway/pki/public-key'
import { optionalText, readPem, StartError } from '@causeway/process'

/** The definition of `<SERVICE>_COMPONENT_KEY_FILE`, the same in every service. */
export const componentKeyFile = optionalText({
  about:
    'PEM file: the private key (EC, P-256) by which others recognize what this component signs; ' +
    'empty: it signs nothing; the hub process makes its own',
})

export interface ComponentKey {
  /** The thumbprint of the public key: base64url of SHA-256 (RFC 7638). */
  readonly id: string
  /** PEM (SPKI). */
  readonly publicKey: string
  /** ECDSA with SHA-256, r and s concatenated: 64 bytes (RFC 7518 section 3.4). */
  sign(content: Buffer): Buffer
}

const dsaEncoding = 'ieee-p1363'

/** Throws StartError, which names the setting, unless the file holds a private key on P-256. */
export async function readComponentKey(setting: string, file: string): Promise<ComponentKey> {
  const key = privateKeyOf(await readPem(setting, file))
  if (key === undefined) throw new StartError(`${setting} is not an EC private key on P-256.`)
  const publicKey = createPublicKey(key)
  return {
    id: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (content) => sign('sha256', content, { key, dsaEncoding }),
  }
}

function privateKeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    return isOnP256(createPublicKey(key)) ? key : undefined
  } catch {
    return undefined
  }
}

/** Undefined: the text is not the PEM (SPKI) of a public key on P-256. */
export function publicComponentKey(pem: string): KeyObject | undefined {
  // createPublicKey also takes private keys, which must not be sent.
  if (!pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return undefined
  try {
    const key = createPublicKey(pem)
    return isOnP256(key) ? key : undefined
  } catch {
    return undefined
  }
}

const isOnP256 = (key: KeyObject) => publicKeyFault(key, ['P-256']) === undefined

/** RFC 7638 section 3. */
export function keyIdOf(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

export function verifyComponentSignature(
  publicKey: KeyObject,
  content: Buffer,
  signature: Buffer,
): boolean {
  return verify('sha256', content, { key: publicKey, dsaEncoding }, signature)
}
