import { expect, test } from '@jest/globals'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { VerificationKey } from '@causeway/fspiop'
import { openKeyring, readJwks } from './keys.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function keyNamed(kid: string, key: KeyObject = publicKey): VerificationKey {
  return { kid, key, validFrom: undefined, validTo: undefined }
}

test('Keys are fetched once, also for concurrent callers, and then cached', async () => {
  const asked: string[] = []
  const keyring = openKeyring((fspId) => {
    asked.push(fspId)
    return Promise.resolve([keyNamed('one')])
  })
  await Promise.all([keyring.keysOf('payerfsp', 'one'), keyring.keysOf('payerfsp', undefined)])
  expect(await keyring.keysOf('payerfsp', 'one')).toMatchObject([{ kid: 'one' }])
  expect(asked).toEqual(['payerfsp'])
})

test('An unknown key is fetched at most once a second', async () => {
  let asked = 0
  const keyring = openKeyring(() => {
    asked += 1
    return Promise.resolve([keyNamed('one')])
  })
  for (const kid of ['one', 'two', 'three']) await keyring.keysOf('payerfsp', kid)
  expect(asked).toBe(1)
})

test('A failed fetch of keys is reported, and the keys are fetched again', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve([keyNamed('one')])]
  const keyring = openKeyring(() => answers.shift() ?? Promise.resolve([]))
  expect(await keyring.keysOf('payerfsp', 'one')).toBeUndefined()
  expect(await keyring.keysOf('payerfsp', 'one')).toMatchObject([{ kid: 'one' }])
})

test('The keys of a JWK set that can verify are read', async () => {
  const jwk = publicKey.export({ format: 'jwk' })
  const keys = [{ ...jwk, kid: 'one' }, { ...jwk, use: 'enc' }, { kty: 'oct', k: 'AAAA' }, null]
  expect(await readJwks({ keys })).toMatchObject([{ kid: 'one' }])
})

test.each([null, [], {}, { keys: 'none' }])('%j is rejected as a JWK set', async (json) => {
  await expect(readJwks(json)).rejects.toThrow('not a JWK set')
})
