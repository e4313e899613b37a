/** The hub's signature on the messages that it creates. FSPIOP (Signature) 3. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readPublicKey, signatureHeader } from '@causeway/fspiop'
import { StartError } from '@causeway/process'

/** The value of FSPIOP-Signature over the hub's headers and the body. */
export type Sign = (headers: Readonly<Record<string, string>>, body: Buffer) => Promise<string>

export interface HubKey {
  readonly kid: string
  readonly sign: Sign
  /** The entry in `/.well-known/jwks.json`. */
  readonly publicJwk: object
}

/** Throws StartError when the PEM does not contain a private key that can sign. */
export async function openHubKey(pem: string, setting: string): Promise<HubKey> {
  const key = privateKeyOf(pem, setting)
  const publicKey = createPublicKey(key)
  const publicJwk = publicKey.export({ format: 'jwk' })
  const reading = await readPublicKey(publicJwk, 'sig')
  if ('fault' in reading)
    throw new StartError(`${setting} holds a key that cannot sign: ${reading.fault}.`)
  const { thumbprint: kid } = reading
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256'
  return {
    kid,
    publicJwk: { ...publicJwk, kid, use: 'sig', alg },
    sign: (headers, body) =>
      signatureHeader({
        alg,
        kid,
        key,
        method: headers['fspiop-http-method'] ?? '',
        uri: headers['fspiop-uri'] ?? '',
        source: headers['fspiop-source'] ?? '',
        destination: headers['fspiop-destination'],
        date: headers['date'] ?? '',
        body,
      }),
  }
}

function privateKeyOf(pem: string, setting: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new StartError(`${setting} holds no private key in PEM.`)
  }
}
