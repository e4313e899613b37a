import { afterAll, expect, test } from '@jest/globals'
import { StartError } from '@causeway/process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHsm } from './open.ts'
import { openSeal } from './seal.ts'
import { noHsm } from './settings.ts'
import { isSignature } from './signature.ts'
import { openSigningKey } from './signing-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-keys-'))
const pinFile = join(folder, 'pin')
writeFileSync(pinFile, '1234')

afterAll(() => rmSync(folder, { recursive: true }))

test('Without settings of an HSM there is none, and nothing is loaded', async () => {
  expect(await openHsm(noHsm)).toBeUndefined()
})

test.each([
  [{ CRYPTO_PROVIDER: 'pkcs11' }, 'CRYPTO_PROVIDER is pkcs11, but CRYPTO_PKCS11_LIBRARY is not'],
  [{ CRYPTO_PKCS11_LIBRARY: '/none.so' }, 'CRYPTO_PKCS11_TOKEN is not set'],
  [
    { CRYPTO_PKCS11_LIBRARY: '/none.so', CRYPTO_PKCS11_TOKEN: 'causeway' },
    'CRYPTO_PKCS11_PIN_FILE is not set',
  ],
  [
    {
      CRYPTO_PKCS11_LIBRARY: '/none.so',
      CRYPTO_PKCS11_TOKEN: 'causeway',
      CRYPTO_PKCS11_PIN_FILE: pinFile,
    },
    // The module is not built, or the library is not there.
    'CRYPTO_PKCS11_LIBRARY',
  ],
] as const)('The settings %j refuse the start in one sentence', async (changed, sentence) => {
  const refused = openHsm({ ...noHsm, ...changed })
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(sentence)
})

test('A setting that names a key of an HSM refuses the start where there is none', async () => {
  const words = 'names a key in an HSM, but CRYPTO_PKCS11_LIBRARY is not set'
  await expect(openSigningKey(undefined, 'KEY', 'pkcs11:object=key')).rejects.toThrow(words)
  expect(() => openSeal('KEY', 'pkcs11:object=key')).toThrow(words)
})

test('A key in a file signs in both ways, by its own algorithm', async () => {
  const pairs = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ]
  const algorithms: string[] = []
  for (const { privateKey } of pairs) {
    const file = join(folder, 'key.pem')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const key = await openSigningKey(undefined, 'KEY', file)
    const text = Buffer.from('a text')
    for (const signature of [await key.sign(text), key.signNow(text)]) {
      expect(isSignature(key.algorithm, key.publicKey, text, signature)).toBe(true)
    }
    algorithms.push(key.algorithm)
  }
  expect(algorithms).toEqual(['ES256', 'EdDSA', 'RS256'])
})
