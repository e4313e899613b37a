import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import {
  keyIdOf,
  publicComponentKey,
  readComponentKey,
  verifyComponentSignature,
} from './component-key.ts'
import { makeComponentKey } from './testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-key-'))

afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(text: string): string {
  const path = join(folder, `${Math.random()}.pem`)
  writeFileSync(path, text)
  return path
}

test('A signature is valid for its content and its key alone', async () => {
  const [one, other] = [await makeComponentKey(), await makeComponentKey()]
  const content = Buffer.from('GET /config/secrets/quoting/values')
  const signature = one.key.sign(content)
  const keyOf = ({ key }: typeof one) => {
    const publicKey = publicComponentKey(key.publicKey)
    if (publicKey === undefined) throw new Error('the public key cannot be read')
    return publicKey
  }
  expect(signature).toHaveLength(64)
  expect(verifyComponentSignature(keyOf(one), content, signature)).toBe(true)
  expect(verifyComponentSignature(keyOf(other), content, signature)).toBe(false)
  expect(verifyComponentSignature(keyOf(one), Buffer.from('GET /'), signature)).toBe(false)
  expect(verifyComponentSignature(keyOf(one), content, signature.subarray(1))).toBe(false)
  one.remove()
  other.remove()
})

test('The id of a key is its thumbprint, the same for its private and its public part', async () => {
  const { key, remove } = await makeComponentKey()
  const publicKey = publicComponentKey(key.publicKey)
  expect(key.id).toMatch(/^[\w-]{43}$/)
  expect(publicKey && keyIdOf(publicKey)).toBe(key.id)
  remove()
})

/** The example of RFC 7517 appendix A.1, whose thumbprint is computed as RFC 7638 section 3 does. */
test('The thumbprint covers crv, kty, x and y in this order', () => {
  const pem = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMKBCTNIcKUSDii11ySs3526iDZ8A
iTo7Tu6KPAqv7D7gS2XpJFbZiItSs3m9+9Ue6GnvHw/GW2ZZaVtszggXIw==
-----END PUBLIC KEY-----
`
  const publicKey = publicComponentKey(pem)
  expect(publicKey && keyIdOf(publicKey)).toBe('cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s')
})

const pemOf = (pair: { privateKey: { export(options: object): string | Buffer } }) =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

test.each([
  ['of another curve', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }))],
  ['of another kind', pemOf(generateKeyPairSync('ed25519'))],
  ['that is no key', 'PEM'],
])('A start with a key %s is refused with the name of the setting', async (_what, text) => {
  const read = readComponentKey('QUOTING_COMPONENT_KEY_FILE', fileWith(text))
  await expect(read).rejects.toThrow('QUOTING_COMPONENT_KEY_FILE is not an EC private key on P-256')
})

test.each([
  ['a private key', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))],
  [
    'a public key of another curve',
    generateKeyPairSync('ec', { namedCurve: 'P-384' })
      .publicKey.export({ type: 'spki', format: 'pem' })
      .toString(),
  ],
  ['no key', ''],
])('A public key is not read from %s', (_what, pem) => {
  expect(publicComponentKey(pem)).toBeUndefined()
})
