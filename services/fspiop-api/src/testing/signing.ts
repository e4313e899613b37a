/** Messages signed correctly, and in the ways that are refused. */
import {
  signatureHeader,
  writeHttpDate,
  type MessageToSign,
  type VerificationKey,
} from '@causeway/fspiop'
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { withHeaders, type TestMessage } from './messages.ts'

export interface Signer {
  readonly kid: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export function newSigner(kid: string, type: 'rsa' | 'ec' = 'rsa'): Signer {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, ...pair }
}

export function verificationKey(
  { kid, publicKey }: Signer,
  changed: Partial<VerificationKey> = {},
): VerificationKey {
  return { kid, key: publicKey, validFrom: undefined, validTo: undefined, ...changed }
}

/** With its signature, the headers of a signed message, and the Date of now if none is given. */
export async function signed(
  sent: TestMessage,
  { kid, privateKey }: Signer,
  changed: Partial<MessageToSign> = {},
): Promise<TestMessage> {
  const { date = writeHttpDate(new Date()) } = changed
  const dated = withHeaders(sent, { date })
  const { method, path, headers, body = '' } = dated
  const value = await signatureHeader({
    alg: privateKey.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256',
    kid,
    key: privateKey,
    method,
    uri: path,
    source: headers['fspiop-source'] ?? '',
    destination: headers['fspiop-destination'],
    date,
    body: Buffer.from(body),
    ...changed,
  })
  return withHeaders(dated, {
    'fspiop-uri': path,
    'fspiop-http-method': method,
    'fspiop-signature': value,
  })
}

/** With a protected header that the test made, signed with RS256. */
export function signedWith(
  sent: TestMessage,
  { privateKey }: Signer,
  protectedHeader: Readonly<Record<string, unknown>>,
): TestMessage {
  const { method, path, body = '' } = sent
  const encoded = Buffer.from(JSON.stringify(protectedHeader)).toString('base64url')
  const input = `${encoded}.${Buffer.from(body).toString('base64url')}`
  const signature = createSign('sha256').update(input).sign(privateKey).toString('base64url')
  return withHeaders(sent, {
    'fspiop-uri': path,
    'fspiop-http-method': method,
    'fspiop-signature': JSON.stringify({ signature, protectedHeader: encoded }),
  })
}
