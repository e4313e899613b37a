/** The FSP's signature on the messages that it sends. FSPIOP (Signature) 3. */
import { readPublicKey, signatureHeader, type SignatureAlgorithm } from '@causeway/fspiop'
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Outgoing } from '../message.ts'

export interface Signing {
  /** Private. ES256 costs a tenth of RSA, where the scheme accepts it. */
  readonly key: KeyObject
  /** The key's id, by which the hub finds its public half. */
  readonly kid: string
  readonly alg: SignatureAlgorithm
}

/** Returns the message with its signature, or unchanged when it needs none. */
export type Seal = (message: Outgoing) => Outgoing | Promise<Outgoing>

/** Throws TypeError for a key that cannot make signatures of this kind. */
export function sealWith(signing: Signing | undefined): Seal {
  if (signing === undefined) return (message) => message
  const { key, alg } = signing
  const needed = alg === 'ES256' ? 'ec' : 'rsa'
  if (key.type !== 'private' || key.asymmetricKeyType !== needed) {
    throw new TypeError(`the signing key is not a private key for ${alg}`)
  }
  return (message) => (message.method === 'GET' ? message : sign(signing, message))
}

/** A GET changes nothing and is not signed. The signature of a message without a body is over nothing. */
async function sign(signing: Signing, message: Outgoing): Promise<Outgoing> {
  const { method, path, headers, body = Buffer.alloc(0) } = message
  const signature = await signatureHeader({
    ...signing,
    method,
    uri: path,
    source: headers['fspiop-source'] ?? '',
    destination: headers['fspiop-destination'],
    date: headers['date'] ?? '',
    encryption: headers['fspiop-encryption'],
    body,
  })
  return {
    ...message,
    headers: {
      ...headers,
      'fspiop-uri': path,
      'fspiop-http-method': method,
      'fspiop-signature': signature,
    },
  }
}

/**
 * From a private key in PEM; the key id is its thumbprint (RFC 7638). Throws TypeError for other
 * keys.
 */
export async function readSigning(pem: string): Promise<Signing> {
  const key = createPrivateKey(pem)
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
  const reading = await readPublicKey(publicKey, 'sig')
  if ('fault' in reading) throw new TypeError(`the signing key is ${reading.fault}`)
  return { key, kid: reading.kid, alg: key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256' }
}

/** The public half as it is published: one entry of a JWK set. */
export function publicJwk({ key, kid, alg }: Signing): object {
  return { ...createPublicKey(key).export({ format: 'jwk' }), kid, alg, use: 'sig' }
}
