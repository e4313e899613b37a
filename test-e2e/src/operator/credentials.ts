/**
 * Keys and certificate of an FSP, obtained as a real FSP obtains them: it creates its own keys and
 * sends the public parts to the administration API.
 */
import { readJwks, readSigning, type FspOptions, type Tls } from '@causeway/fsp'
import { signatureHeader } from '@causeway/fspiop'
import { makeCsr } from '@causeway/pki'
import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Credentials, Sign } from '../fsp/fsp.ts'
import { answered, type Operator } from './operator.ts'

const newKeyPair = promisify(generateKeyPair)

export interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

/** A certificate from a signing request, and a first signing key. */
export async function enrol(operator: Operator, name: string): Promise<Credentials> {
  const certified = await enrolCertificate(operator, name)
  return { ...certified, sign: signer(await registerKey(operator, name)) }
}

/** For a key that it creates itself. */
export async function enrolCertificate(
  operator: Operator,
  name: string,
): Promise<Pick<Credentials, 'certificate' | 'key' | 'ca'>> {
  const { csr, key } = makeCsr({
    subject: { commonName: name, organization: undefined },
    names: { dns: ['localhost'], ip: ['127.0.0.1'] },
  })
  const { certificate, ca } = await answered<{ certificate: string; ca: string }>(
    operator.call('POST', `/participants/${name}/certificates`, { csr }),
  )
  return { certificate, key, ca }
}

/**
 * What an FSP of `@causeway/fsp` authenticates with in a scheme with signatures. It accepts
 * messages of others only when they are signed with a key that the scheme publishes.
 */
export async function proofOf(
  operator: Operator,
  name: string,
): Promise<Required<Pick<FspOptions, 'signing' | 'keysOf'>> & { readonly tls: Required<Tls> }> {
  const { key } = await registerKey(operator, name)
  return {
    tls: await enrolCertificate(operator, name),
    signing: await readSigning(key.export({ type: 'pkcs8', format: 'pem' }).toString()),
    async keysOf(fspId) {
      const keys = await answered<readonly { publicKey: object }[]>(
        operator.call('GET', `/participants/${fspId}/keys`),
      )
      return readJwks({ keys: keys.map(({ publicKey }) => publicKey) })
    },
  }
}

/** Creates a key pair and registers its public half with the hub. */
export async function registerKey(operator: Operator, name: string): Promise<SigningKey> {
  const privateKey = await newSigningKey()
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  const { kid } = await answered<{ kid: string }>(
    operator.call('POST', `/participants/${name}/keys`, { use: 'sig', publicKey }),
  )
  return { kid, key: privateKey }
}

/** RSA, not registered anywhere. */
export async function newSigningKey(): Promise<KeyObject> {
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  return privateKey
}

/** Signs the messages of the FSP as FSPIOP requires. */
export function signer({ kid, key }: SigningKey): Sign {
  return ({ method, path, headers, body }) =>
    signatureHeader({
      alg: 'RS256',
      kid,
      key,
      method,
      uri: path,
      source: headers['fspiop-source'] ?? '',
      destination: headers['fspiop-destination'],
      date: headers['date'] ?? '',
      encryption: headers['fspiop-encryption'],
      body,
    })
}
