import { afterAll, describe, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHsm } from '../open.ts'
import { openSeal } from '../seal.ts'
import { isSignature } from '../signature.ts'
import { openSigningKey } from '../signing-key.ts'
import { testProvider } from '../testing/provider-contract.ts'
import { makeSoftHsm } from '../testing/soft-hsm.ts'
import { attribute, flag, object } from './constants.ts'
import { openPkcs11Provider } from './provider.ts'
import type { Token } from './token.ts'

const hsm = makeSoftHsm()

afterAll(() => hsm.remove())

async function open(): Promise<Token> {
  const token = await openHsm(hsm.settings)
  if (token === undefined) throw new Error('an HSM is set, but none was opened')
  return token
}

testProvider('pkcs11', async () => {
  const token = await open()
  return { provider: openPkcs11Provider(token), close: () => token.close() }
})

describe('a key in the token', () => {
  test('A key that was made or imported is sensitive and cannot be extracted', async () => {
    const token = await open()
    const provider = openPkcs11Provider(token)
    const common = { label: 'kept', usage: 'ENCRYPT' } as const
    provider.newAesKey({ ...common, id: 'made' }, 256)
    provider.importSecret({ ...common, id: 'imported', type: 'AES' }, Buffer.alloc(32, 7))
    provider.newPair({ id: 'pair', label: 'kept', usage: 'SIGN', curve: 'P-256' })
    const read = (of: number, id: string, type: number) =>
      token.run(({ library, handle, find }) => {
        const key = find([
          { type: attribute.CLASS, value: of },
          { type: attribute.ID, value: Buffer.from(id) },
        ])
        if (key === undefined) throw new Error(`no key ${id}`)
        return library.C_GetAttributeValue(handle, key, [{ type }])[0]?.value
      })
    for (const [of, id] of [
      [object.SECRET_KEY, 'made'],
      [object.SECRET_KEY, 'imported'],
      [object.PRIVATE_KEY, 'pair'],
    ] as const) {
      expect(read(of, id, attribute.SENSITIVE)).toEqual(Buffer.of(1))
      expect(read(of, id, attribute.EXTRACTABLE)).toEqual(Buffer.of(0))
      expect(() => read(of, id, attribute.VALUE)).toThrow('CKR_ATTRIBUTE_SENSITIVE')
    }
    token.close()
  })

  test('A setting names a signing key by its label, and signatures verify outside', async () => {
    const token = await open()
    const provider = openPkcs11Provider(token)
    for (const curve of ['P-256', 'Ed25519'] as const) {
      const label = `signs ${curve}`
      provider.newPair({ id: label, label, usage: 'SIGN', curve })
      const uri = `pkcs11:object=${encodeURIComponent(label)}`
      const key = await openSigningKey(token, 'SIGNING_KEY_FILE', uri)
      expect(key.privateKey).toBeUndefined()
      const text = Buffer.from('a message')
      for (const signature of [await key.sign(text), key.signNow(text)]) {
        expect(isSignature(key.algorithm, key.publicKey, text, signature)).toBe(true)
      }
    }
    await expect(openSigningKey(token, 'SIGNING_KEY_FILE', 'pkcs11:object=none')).rejects.toThrow(
      'SIGNING_KEY_FILE: the token has no key pair with the label none.',
    )
    token.close()
  })

  test('An RSA key that another program made signs RS256', async () => {
    execFileSync('openssl', ['genrsa', '-out', join(hsm.folder, 'rsa.pem'), '2048'])
    const pkcs8 = join(hsm.folder, 'rsa.p8')
    execFileSync('openssl', [
      'pkcs8',
      '-topk8',
      '-nocrypt',
      '-in',
      join(hsm.folder, 'rsa.pem'),
      '-out',
      pkcs8,
    ])
    const load = ['--import', pkcs8, '--token', 'causeway', '--label', 'rsa', '--id', 'a1']
    execFileSync('softhsm2-util', [...load, '--pin', '123456'])
    const token = await open()
    const key = await openSigningKey(token, 'SIGNING_KEY_FILE', 'pkcs11:object=rsa')
    const text = Buffer.from('a message')
    expect(key.algorithm).toBe('RS256')
    expect(isSignature('RS256', key.publicKey, text, await key.sign(text))).toBe(true)
    token.close()
  })

  test('A seal encrypts with a key of the token and still decrypts what a key outside encrypted', async () => {
    const token = await open()
    openPkcs11Provider(token).newAesKey({ id: 'seal', label: 'seal', usage: 'ENCRYPT' }, 256)
    const outside = Buffer.alloc(32, 5).toString('base64url')
    const before = openSeal('KEY', outside).encrypt(Buffer.from('old'), 'id')
    const seal = openSeal('KEY', `pkcs11:object=seal,${outside}`, token)
    const after = seal.encrypt(Buffer.from('new'), 'id')
    expect([seal.decrypt(before, 'id'), seal.decrypt(after, 'id')].map(String)).toEqual([
      'old',
      'new',
    ])
    expect(seal.isCurrent(before, 'id')).toBe(false)
    expect(seal.decrypt(after, 'other')).toBeUndefined()
    expect(openSeal('KEY', outside).decrypt(after, 'id')).toBeUndefined()
    token.close()
  })

  test('A session that the token has lost is opened again', async () => {
    const token = await open()
    const provider = openPkcs11Provider(token)
    const pair = provider.newPair({ id: 'lost', label: 'lost', usage: 'SIGN', curve: 'P-256' })
    await provider.sign(pair, Buffer.from('before'))
    token.run(({ library }) => {
      for (const slot of library.C_GetSlotList(true)) library.C_CloseAllSessions(slot)
    })
    const text = Buffer.from('after')
    const signature = await provider.sign(pair, text)
    expect(isSignature('ES256', pair.publicKey, text, signature)).toBe(true)
    expect(provider.random(16)).toHaveLength(16)
    token.close()
  })
})

test('A token whose sessions could not be opened for a time signs as soon as they can', async () => {
  const token = await open()
  const provider = openPkcs11Provider(token)
  const pair = provider.newPair({ id: 'away', label: 'away', usage: 'SIGN', curve: 'P-256' })
  const library = token.run((session) => session.library)
  library.C_Finalize()
  // As many as there can be sessions for signatures.
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await expect(provider.sign(pair, Buffer.from('away'))).rejects.toThrow('CKR_')
  }
  library.C_Initialize({ flags: flag.OS_LOCKING_OK })
  const text = Buffer.from('back')
  const signature = await provider.sign(pair, text)
  expect(isSignature('ES256', pair.publicKey, text, signature)).toBe(true)
  token.close()
})

describe('a start with an HSM that is not there', () => {
  test.each([
    [{ CRYPTO_PKCS11_LIBRARY: undefined }, 'CRYPTO_PKCS11_LIBRARY is not set'],
    [{ CRYPTO_PKCS11_LIBRARY: '/none.so' }, /^CRYPTO_PKCS11_LIBRARY: .*none\.so/],
    [{ CRYPTO_PKCS11_TOKEN: undefined }, 'CRYPTO_PKCS11_TOKEN is not set'],
    [{ CRYPTO_PKCS11_TOKEN: 'other' }, 'the HSM has no token with the label other'],
    [{ CRYPTO_PKCS11_PIN_FILE: undefined }, 'CRYPTO_PKCS11_PIN_FILE is not set'],
    [{ CRYPTO_PKCS11_PIN_FILE: '/none' }, /^CRYPTO_PKCS11_PIN_FILE: .*\/none/],
  ])('The settings %j are refused in one sentence', async (changed, sentence) => {
    await expect(openHsm({ ...hsm.settings, ...changed })).rejects.toThrow(sentence)
  })

  test('A wrong PIN is refused in one sentence that does not contain it', async () => {
    const wrong = join(hsm.folder, 'wrong-pin')
    writeFileSync(wrong, '654321')
    const refused = openHsm({ ...hsm.settings, CRYPTO_PKCS11_PIN_FILE: wrong })
    await expect(refused).rejects.toThrow('the token refused the log-in')
    await expect(refused).rejects.not.toThrow('654321')
  })
})
