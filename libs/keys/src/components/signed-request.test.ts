import { expect, test } from '@jest/globals'
import { publicComponentKey, verifyComponentSignature } from './component-key.ts'
import { readSignature, signRequest } from './signed-request.ts'
import { makeComponentKey } from './testing.ts'

const asked = { method: 'GET', path: '/config/secrets/quoting/values' }

test('A signed request is read with its key, and its signature is valid', async () => {
  const { key, remove } = await makeComponentKey()
  const { signer, timestamp, nonce, signature } = signRequest(key, 'quoting', asked, new Date(0))
  expect({ signer, timestamp }).toEqual({
    signer: 'quoting',
    timestamp: '1970-01-01T00:00:00.000Z',
  })
  expect(nonce).toHaveLength(22)
  const read = readSignature(signature, { ...asked, timestamp, nonce })
  const publicKey = publicComponentKey(key.publicKey)
  if (read === undefined || publicKey === undefined) throw new Error('the signature is not read')
  expect(read.keyId).toBe(key.id)
  expect(verifyComponentSignature(publicKey, read.content, read.signature)).toBe(true)
  remove()
})

test('A signature over another method, path, time or nonce is not read', async () => {
  const { key, remove } = await makeComponentKey()
  const { timestamp, nonce, signature } = signRequest(key, 'quoting', asked, new Date(0))
  const request = { ...asked, timestamp, nonce }
  for (const change of [
    { method: 'POST' },
    { path: '/config/secrets/transfers/values' },
    { timestamp: '1970-01-01T00:00:01.000Z' },
    { nonce: `${nonce}A` },
  ]) {
    expect(readSignature(signature, { ...request, ...change })).toBeUndefined()
  }
  remove()
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each([
  ['no signature', ''],
  ['a part too many', 'a.b.c.d'],
  ['another algorithm', part({ alg: 'none', kid: 'k' })],
  ['no key', part({ alg: 'ES256' })],
  ['critical extensions', part({ alg: 'ES256', kid: 'k', crit: ['exp'] })],
  ['a header that is no object', part('ES256')],
  ['a header that is no JSON', 'AAAA'],
])('A text with %s is not read', (_what, header) => {
  const request = { ...asked, timestamp: '1970-01-01T00:00:00.000Z', nonce: 'n' }
  const payload = Buffer.from(
    `GET\n${asked.path}\n${request.timestamp}\n${request.nonce}`,
  ).toString('base64url')
  const text = header.includes('.') ? header : `${header}.${payload}.AAAA`
  expect(readSignature(text, request)).toBeUndefined()
})
