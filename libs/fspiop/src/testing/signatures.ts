/** Test data for signatures: a message, a signature made elsewhere, and helpers to make wrong ones. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { FlattenedSign } from 'jose'
import type { Refusal } from '../errors.ts'
import {
  type MessageToSign,
  readSignature,
  type ReceivedMessage,
  rsaAlgorithms,
  type SignatureAlgorithm,
  signatureHeader,
  verifySignature,
  type VerificationKey,
} from '../signatures/jws.ts'

export const now = new Date('2022-11-15T10:14:03Z')
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const all: readonly SignatureAlgorithm[] = [...rsaAlgorithms, 'ES256']

export const vector = {
  jwk: {
    kty: 'RSA',
    e: 'AQAB',
    n:
      'uP7hap-cPWdX2D5CxFaBW_ynAtd6PeUQsd5Q1xxIH1sHwpOER_2x3CU98nH5Y5qaEFapybzzFtvmxCtOZYO5u9halpP6Wm00' +
      'sNp4tRD48CWayxQLX-6ZPdN-1HnXvycWpNpunpjdTOpii9M31Cpif7gbVShWV5WqQLqnE8h2n-Ylp7ff4cRcUQ2cnCB5BS9m' +
      'Gt4-xZCyVv9DXgC-nr2I7EQGnzjfd9sIsd2kWXJytcQ5LJvqZL-7_ghPRrftBoRiwjvO7qKqczvvNh0UKFaNEi2fQs86udlS' +
      'sJYSFUNExkaEpU9SmqQSzjRlsEbnyULKa69eMgppJqhIrsxaJz3_fQ',
  },
  body: Buffer.from(
    '{"fulfilment":"mhPUT9ZAwd-BXLfeSd7-YPh46rBWRNBiTCSWjpku90s",' +
      '"completedTimestamp":"2022-11-15T10:14:02.000Z","transferState":"COMMITTED"}',
  ),
  header: JSON.stringify({
    signature:
      'mDo83OJUqxJtjP8gD26F5BUTJW39nW3xf-b-D3R7cKLBiVUWjI0uwyaY7XT1zrG6tznVMQ-_j3f-l-J1BiswHslK8njABRpU' +
      'xZpTZ1VeHQj9o_hLjx5trVpdkMkzLC2w6YFdFpo_-mb7sEmqIAbCGt-wCRqKoLB5iShDe7bmFJEt68YskQcsQ7mNN8rEs8Xd' +
      'AHAnZb5mJKteauDsgqXsXqMjyjnCGO_U2jYJYXINweWK_qc_PQzqSX8zLUX6VTlcbHrcyli5fznG6Nv8qBhNXSuBboQtM1u5' +
      '10HM9cEWsl5b3mvAj09bdar2NiV29xcWL-habVTUJ6t_7lwtDyYDUw',
    protectedHeader:
      'eyJhbGciOiJSUzI1NiIsIkZTUElPUC1VUkkiOiIvdHJhbnNmZXJzLzExNDM2YjE3LWM2OTAtNGEzMC04NTA1LTQyYTJjNGVh' +
      'ZmI5ZCIsIkZTUElPUC1IVFRQLU1ldGhvZCI6IlBVVCIsIkZTUElPUC1Tb3VyY2UiOiJwYXllZWZzcCIsIkZTUElPUC1EZXN0' +
      'aW5hdGlvbiI6InBheWVyZnNwIiwiRGF0ZSI6IlR1ZSwgMTUgTm92IDIwMjIgMTA6MTQ6MDIgR01UIn0',
  }),
}

/** The message of the vector, which is also signed in the other tests. */
export const sent = {
  method: 'PUT',
  uri: '/transfers/11436b17-c690-4a30-8505-42a2c4eafb9d',
  source: 'payeefsp',
  destination: 'payerfsp',
  date: 'Tue, 15 Nov 2022 10:14:02 GMT',
  body: vector.body,
} as const

export function received(
  headers: Readonly<Record<string, string | undefined>> = {},
  message: Partial<ReceivedMessage> = {},
): ReceivedMessage {
  const complete = {
    date: sent.date,
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
    'fspiop-source': sent.source,
    'fspiop-destination': sent.destination,
    'fspiop-uri': sent.uri,
    'fspiop-http-method': sent.method,
  }
  return {
    method: sent.method,
    target: sent.uri,
    headers: { ...complete, ...headers },
    body: sent.body,
    ...message,
  }
}

export function keyOf(key: KeyObject, options: Partial<VerificationKey> = {}): VerificationKey {
  return { kid: 'first', key, validFrom: undefined, validTo: undefined, ...options }
}

export function verdictOf(
  header: string,
  message: ReceivedMessage,
  keys: readonly VerificationKey[],
  algorithms?: readonly SignatureAlgorithm[],
): string {
  const parsed = readSignature(header, algorithms)
  const refused: Refusal | undefined =
    'code' in parsed ? parsed : verifySignature(parsed, message, keys, { now })
  return refused === undefined ? 'verified' : `${refused.status}/${refused.code} ${refused.detail}`
}

export function signed(changes: Partial<MessageToSign> = {}): Promise<string> {
  return signatureHeader({ alg: 'RS256', key: rsa.privateKey, ...sent, ...changes })
}

export const parameters = {
  'FSPIOP-URI': sent.uri,
  'FSPIOP-HTTP-Method': sent.method,
  'FSPIOP-Source': sent.source,
}

/** Signs with a protected header as given, right or wrong. */
export async function signedOver(
  protectedHeader: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { signature, protected: encoded } = await new FlattenedSign(sent.body)
    .setProtectedHeader({ alg: 'RS256', ...protectedHeader })
    .sign(rsa.privateKey)
  return JSON.stringify({ signature, protectedHeader: encoded })
}

export function headerWith(protectedHeader: unknown, signature = 'AAAA'): string {
  const text =
    typeof protectedHeader === 'string' ? protectedHeader : JSON.stringify(protectedHeader)
  return JSON.stringify({ signature, protectedHeader: Buffer.from(text).toString('base64url') })
}
