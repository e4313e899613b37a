import { wordOf } from '@causeway/approvals/testing'
import type { OutgoingMessage } from '@causeway/bus'
import { catalogue, onEvents, type Payload } from '@causeway/events'
import { keyAtInfinity, keylessKeys } from '@causeway/pki/testing'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compactDecrypt, exportJWK } from 'jose'
import {
  createCipheriv,
  createHash,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import { secretsKey } from '../testing/world.ts'
import { actor, define, openWorld, outcomeOf, type CryptographyWorld } from './testing/world.ts'

let world: CryptographyWorld

beforeAll(async () => {
  world = await openWorld()
}, 60_000)

afterAll(() => world.stop())

const none = Buffer.alloc(0)
const text = Buffer.from('a text')
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

const load = (...of: Parameters<CryptographyWorld['load']>) => world.load(...of)

describe('encryption', () => {
  test('What was encrypted is decrypted, and any flipped bit is refused', async () => {
    const keyId = await world.newKey('ENCRYPT', 'AES')
    const bytes = (minLength: number) =>
      fc.uint8Array({ minLength, maxLength: 200 }).map((array) => Buffer.from(array))
    await fc.assert(
      fc.asyncProperty(bytes(1), bytes(0), fc.nat(), async (plaintext, aad, at) => {
        const { ciphertext, iv, tag } = await world.calls.Encrypt({ keyId, plaintext, aad })
        const read = await world.calls.Decrypt({ keyId, ciphertext, iv, tag, aad })
        expect(read.plaintext).toEqual(plaintext)
        const whole = Buffer.concat([ciphertext, iv, tag])
        const bit = at % (whole.length * 8)
        whole.writeUInt8(whole.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const flipped = {
          ciphertext: whole.subarray(0, ciphertext.length),
          iv: whole.subarray(ciphertext.length, -16),
          tag: whole.subarray(-16),
        }
        const refused = await world.calls.Decrypt({ keyId, ...flipped, aad })
        expect(outcomeOf(refused)).toBe('CIPHERTEXT_INVALID')
      }),
      { numRuns: 20 },
    )
  })

  test.each([
    ['a text of another key', {}, 'CIPHERTEXT_INVALID'],
    ['an iv of 11 bytes', { iv: Buffer.alloc(11) }, 'CIPHERTEXT_INVALID'],
    ['a tag of 4 bytes', { tag: Buffer.alloc(4) }, 'CIPHERTEXT_INVALID'],
    ['more than 64 KiB', { ciphertext: Buffer.alloc(65_537) }, 'INVALID'],
  ])('Decryption of %s is refused', async (_, changed, reason) => {
    const [keyId, other] = [
      await world.newKey('ENCRYPT', 'AES'),
      await world.newKey('ENCRYPT', 'AES'),
    ]
    const { ciphertext, iv, tag } = await world.calls.Encrypt({
      keyId: other,
      plaintext: text,
      aad: none,
    })
    const sent = { keyId, ciphertext, iv, tag, aad: none, ...changed }
    expect(outcomeOf(await world.calls.Decrypt(sent))).toBe(reason)
  })
})

describe('signatures', () => {
  test('A signature verifies with the key, and with no other key, text or algorithm', async () => {
    const [keyId, other] = [await world.newKey('SIGN', 'EC'), await world.newKey('SIGN', 'EC')]
    const made = await world.calls.GenerateSignature({ keyId, data: text })
    expect(made.algorithm).toBe('ES256')
    const asked = { keyId, algorithm: 'ES256', data: text, signature: made.signature }
    const verdicts = [
      asked,
      { ...asked, keyId: other },
      { ...asked, data: Buffer.from('another') },
      { ...asked, algorithm: 'ES384' },
    ].map(async (each) => (await world.calls.VerifySignature(each)).valid)
    expect(await Promise.all(verdicts)).toEqual([true, false, false, false])
  })

  test('The digest of a text can take its place, in the length of the algorithm', async () => {
    const keyId = await world.newKey('SIGN', 'EC')
    const digest = createHash('sha256').update(text).digest()
    const { signature } = await world.calls.GenerateSignature({ keyId, digest })
    const asked = { keyId, algorithm: 'ES256', signature }
    const verdicts = [
      { ...asked, data: text },
      { ...asked, digest },
      { ...asked, digest: Buffer.alloc(32) },
    ].map(async (each) => (await world.calls.VerifySignature(each)).valid)
    expect(await Promise.all(verdicts)).toEqual([true, true, false])
    const refused = [
      { keyId },
      { keyId, data: text, digest },
      { keyId, digest: digest.subarray(1) },
    ].map(async (each) => outcomeOf(await world.calls.GenerateSignature(each)))
    expect(await Promise.all(refused)).toEqual(Array(3).fill('INVALID'))
  })

  test('The digest that an RSA key outside has signed verifies, and Ed25519 needs the text', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const signature = sign('sha256', text, privateKey)
    const digest = createHash('sha256').update(text).digest()
    const asked = { publicKey: pem, algorithm: 'RS256', signature }
    expect((await world.calls.VerifySignature({ ...asked, digest })).valid).toBe(true)
    const other = { ...asked, digest: Buffer.alloc(32) }
    expect((await world.calls.VerifySignature(other)).valid).toBe(false)
    const edwards = await world.calls.VerifySignature({ ...asked, algorithm: 'EdDSA', digest })
    expect(outcomeOf(edwards)).toBe('INVALID')
  })

  test('A public key from outside verifies, in PEM and as a JWK; a private one is refused', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const signature = sign(null, text, privateKey)
    const asked = { algorithm: 'EdDSA', data: text, signature }
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    for (const given of [pem, JSON.stringify(publicKey.export({ format: 'jwk' }))]) {
      const { valid } = await world.calls.VerifySignature({ ...asked, publicKey: given })
      expect(valid).toBe(true)
    }
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const keyless = keylessKeys().map(({ key }) => JSON.stringify(key.export({ format: 'jwk' })))
    const body = keyAtInfinity.toString('base64')
    const infinite = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----`
    for (const given of [secret, 'junk', '{}', infinite, ...keyless]) {
      const refused = await world.calls.VerifySignature({ ...asked, publicKey: given })
      expect(outcomeOf(refused)).toBe('INVALID')
    }
  })

  test('A key signs with its own algorithm only', async () => {
    const keyId = await world.newKey('SIGN', 'EC')
    const asked = { keyId, data: text }
    const outcomes = ['ES256', 'ES384', 'RS256', 'none'].map(async (algorithm) =>
      outcomeOf(await world.calls.GenerateSignature({ ...asked, algorithm })),
    )
    expect(await Promise.all(outcomes)).toEqual([
      'done',
      'KEY_USAGE_WRONG',
      'KEY_USAGE_WRONG',
      'INVALID',
    ])
  })
})

describe('usage and validity', () => {
  test('A key does nothing but its usage', async () => {
    const ids = {
      SIGN: await world.newKey('SIGN', 'EC'),
      TLS: await world.newKey('TLS', 'EC'),
      ENCRYPT: await world.newKey('ENCRYPT', 'AES'),
      PIN: await world.newKey('PIN', 'AES'),
      WRAP: await world.newKey('WRAP', 'AES'),
    }
    const pin = {
      pinBlock: Buffer.alloc(16),
      sourceFormat: 4,
      targetFormat: 4,
      pan: '1'.repeat(16),
    }
    const outcomes = await Promise.all(
      Object.entries(ids).map(async ([usage, keyId]) => [
        usage,
        outcomeOf(await world.calls.GenerateSignature({ keyId, data: text })),
        outcomeOf(await world.calls.Encrypt({ keyId, plaintext: text, aad: none })),
        outcomeOf(
          await world.calls.TranslatePin({ ...pin, sourceKeyId: keyId, targetKeyId: keyId }),
        ),
      ]),
    )
    const wrong = 'KEY_USAGE_WRONG'
    expect(outcomes).toEqual([
      ['SIGN', 'done', wrong, wrong],
      ['TLS', wrong, wrong, wrong],
      ['ENCRYPT', wrong, 'done', wrong],
      ['PIN', wrong, wrong, 'PIN_BLOCK_INVALID'],
      ['WRAP', wrong, wrong, wrong],
    ])
  })

  test('A key that has ended decrypts and encrypts no more', async () => {
    const soon = new Date(Date.now() + 700).toISOString()
    const keyId = await world.newKey('ENCRYPT', 'AES', soon)
    const closed = await world.calls.Encrypt({ keyId, plaintext: text, aad: none })
    await eventually(async () => {
      const refused = await world.calls.Encrypt({ keyId, plaintext: text, aad: none })
      return outcomeOf(refused) === 'KEY_NOT_VALID' ? true : undefined
    }, 'the key has ended')
    const { ciphertext, iv, tag } = closed
    const { plaintext } = await world.calls.Decrypt({ keyId, ciphertext, iv, tag, aad: none })
    expect(plaintext).toEqual(text)
  })

  test('A key that is not known is refused by every operation', async () => {
    const keyId = randomUUID()
    expect([
      outcomeOf(await world.calls.Encrypt({ keyId, plaintext: text, aad: none })),
      outcomeOf(await world.calls.GenerateSignature({ keyId, data: text })),
    ]).toEqual(['KEY_UNKNOWN', 'KEY_UNKNOWN'])
  })
})

describe('making keys', () => {
  test('The same request is answered with the same definition and key; another content is refused', async () => {
    const definition = {
      requestId: randomUUID(),
      label: 'payments',
      usage: 'ENCRYPT',
      type: 'AES',
      validTo: tomorrow(),
      actor,
    } as const
    const [one, two] = await Promise.all([
      world.keys.DefineKey(definition),
      world.keys.DefineKey(definition),
    ])
    const keyDefinitionId = one.definition?.keyDefinitionId ?? ''
    expect(two.definition?.keyDefinitionId).toBe(keyDefinitionId)
    expect(outcomeOf(await world.keys.DefineKey({ ...definition, label: 'other' }))).toBe(
      'MODIFIED',
    )
    const request = { requestId: randomUUID(), keyDefinitionId, bits: 256, actor }
    const made = await Promise.all([
      world.keys.GenerateAesKey(request),
      world.keys.GenerateAesKey(request),
    ])
    expect(made[0].key?.keyId).toBe(made[1].key?.keyId)
    expect(made[0].key?.kcv).toMatch(/^[\dA-F]{10}$/)
    expect(outcomeOf(await world.keys.GenerateAesKey({ ...request, bits: 128 }))).toBe('MODIFIED')
    const entries = await eventually(() => {
      const found = world.audited.filter(
        ({ after }) => after?.['keyDefinitionId'] === keyDefinitionId,
      )
      return Promise.resolve(found.length > 0 ? found : undefined)
    }, 'the key is in the audit log')
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      actionType: 'GenerateAesKey',
      securityContext: { userId: actor },
      subject: `keys/${made[0].key?.keyId ?? ''}`,
    })
  })

  test.each([
    ['an unknown definition', {}, 'KEY_DEFINITION_UNKNOWN'],
    ['100 bits', { bits: 100 }, 'INVALID'],
    ['an empty requestId', { requestId: '' }, 'INVALID'],
  ])('An AES key with %s is refused', async (_, changed, reason) => {
    const request = { requestId: randomUUID(), keyDefinitionId: randomUUID(), bits: 256, actor }
    expect(outcomeOf(await world.keys.GenerateAesKey({ ...request, ...changed }))).toBe(reason)
  })

  test('A definition makes keys of its own type only', async () => {
    const keyDefinitionId = await define(world.keys, 'SIGN', 'EC')
    const request = { requestId: randomUUID(), keyDefinitionId, bits: 256, actor }
    expect(outcomeOf(await world.keys.GenerateAesKey(request))).toBe('KEY_USAGE_WRONG')
  })

  test('No list and no row has key material in the clear', async () => {
    const plain = randomBytes(32)
    const keyId = await load('ENCRYPT', 'AES', plain)
    const listed = JSON.stringify(await world.keys.ListKeys({}))
    expect(listed).toContain(keyId)
    for (const form of ['base64', 'base64url', 'hex'] as const) {
      expect(listed).not.toContain(plain.toString(form))
    }
  })

  test('Keys are encrypted again when the key of the settings is replaced', async () => {
    const other = await openWorld()
    const keyId = await other.newKey('ENCRYPT', 'AES')
    const { ciphertext, iv, tag } = await other.calls.Encrypt({ keyId, plaintext: text, aad: none })
    const next = randomBytes(32).toString('base64url')
    const both = await other.restart({ AUTH_SERVICE_SECRETS_KEY: `${next},${secretsKey}` })
    const renewed = await both.restart({ AUTH_SERVICE_SECRETS_KEY: next })
    const read = await renewed.calls.Decrypt({ keyId, ciphertext, iv, tag, aad: none })
    expect(read.plaintext).toEqual(text)
    await renewed.stop()
  })
})

describe('loading keys', () => {
  test('A key wrapped by an AES key of the hub is the same key in the hub', async () => {
    const kek = randomBytes(32)
    const wrappingKeyId = await load('WRAP', 'AES', kek)
    const plain = randomBytes(24)
    const cipher = createCipheriv('id-aes256-wrap', kek, Buffer.alloc(8, 0xa6))
    const wrapped = Buffer.concat([cipher.update(plain), cipher.final()])
    const keyDefinitionId = await define(world.keys, 'ENCRYPT', 'AES')
    const request = { requestId: randomUUID(), keyDefinitionId, wrappingKeyId, actor }
    const wrappedKey = wrapped.toString('base64')
    const { key } = await world.keys.LoadKey({ ...request, wrappedKey })
    const keyId = key?.keyId ?? ''
    const { ciphertext, iv, tag } = await world.calls.Encrypt({ keyId, plaintext: text, aad: none })
    const outside = createCipheriv('aes-192-gcm', plain, iv)
    expect(Buffer.concat([outside.update(text), outside.final()])).toEqual(ciphertext)
    expect(outside.getAuthTag()).toEqual(tag)
    const again = await world.keys.LoadKey({ ...request, wrappedKey })
    expect(again.key?.keyId).toBe(keyId)
  })

  test('A key that was wrapped by another key, or is none of the type, is refused', async () => {
    const wrappingKeyId = await load('WRAP', 'AES', randomBytes(32))
    const cipher = createCipheriv('id-aes256-wrap', randomBytes(32), Buffer.alloc(8, 0xa6))
    const wrapped = Buffer.concat([cipher.update(randomBytes(32)), cipher.final()])
    const keyDefinitionId = await define(world.keys, 'ENCRYPT', 'AES')
    const loadWrapped = async (wrappedKey: string) =>
      outcomeOf(
        await world.keys.LoadKey({
          requestId: randomUUID(),
          keyDefinitionId,
          wrappingKeyId,
          actor,
          wrappedKey,
        }),
      )
    expect(await loadWrapped(wrapped.toString('base64'))).toBe('CIPHERTEXT_INVALID')
    expect(await loadWrapped('junk')).toBe('CIPHERTEXT_INVALID')
    await expect(load('ENCRYPT', 'AES', randomBytes(15))).rejects.toThrow('not a key of this type')
  })
})

describe('PIN translation', () => {
  const pan = '43219876543210987'
  const tdes = Buffer.from('0123456789abcdeffedcba9876543210', 'hex')
  const aes = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

  function underTdes(block: string): Buffer {
    const cipher = createCipheriv('des-ede-ecb', tdes, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(Buffer.from(block, 'hex')), cipher.final()])
  }

  async function translate(
    changed: Partial<Parameters<CryptographyWorld['calls']['TranslatePin']>[0]> = {},
  ): Promise<{ readonly pinBlock: Buffer; readonly outcome: string }> {
    const key = await load('PIN', 'TDES', tdes)
    const answer = await world.calls.TranslatePin({
      pinBlock: underTdes('0412ac89abcdef67'),
      sourceFormat: 0,
      targetFormat: 0,
      sourceKeyId: key,
      targetKeyId: key,
      pan,
      ...changed,
    })
    return { pinBlock: answer.pinBlock, outcome: outcomeOf(answer) }
  }

  test('A published block of format 0 is the same block under another TDES key', async () => {
    const other = Buffer.from('fedcba98765432100123456789abcdef1122334455667788', 'hex')
    const targetKeyId = await load('PIN', 'TDES', other)
    const { pinBlock } = await translate({ targetKeyId })
    const cipher = createCipheriv('des-ede3-ecb', other, null).setAutoPadding(false)
    const block = Buffer.from('0412ac89abcdef67', 'hex')
    expect(pinBlock).toEqual(Buffer.concat([cipher.update(block), cipher.final()]))
  })

  test('A published block of format 4 is read, and a PIN survives the way over both formats', async () => {
    const [key0, key4] = [await load('PIN', 'TDES', tdes), await load('PIN', 'AES', aes)]
    const of4 = {
      pinBlock: Buffer.from('28b41fddd29b743e93124bd8e32d921e', 'hex'),
      sourceFormat: 4,
      targetFormat: 0,
      sourceKeyId: key4,
      targetKeyId: key0,
      pan: '1234567890123456789',
    }
    const published = await world.calls.TranslatePin(of4)
    // PIN 1234 and the digits 789012345678 before the check digit.
    expect(published.pinBlock).toEqual(underTdes('04124c6fedcba987'))
    const there = await translate({ targetFormat: 4, targetKeyId: key4 })
    const back = await world.calls.TranslatePin({ ...of4, pinBlock: there.pinBlock, pan })
    expect(back.pinBlock).toEqual(underTdes('0412ac89abcdef67'))
  })

  test.each<[string, Partial<Parameters<CryptographyWorld['calls']['TranslatePin']>[0]>, string]>([
    ['another account', { pan: '43219876543210000' }, 'PIN_BLOCK_INVALID'],
    ['a block that is none', { pinBlock: Buffer.alloc(8) }, 'PIN_BLOCK_INVALID'],
    ['a block of 16 bytes', { pinBlock: Buffer.alloc(16) }, 'INVALID'],
    ['no account', { pan: '' }, 'INVALID'],
    ['format 2', { sourceFormat: 2 }, 'INVALID'],
    ['the target format 1', { targetFormat: 1 }, 'INVALID'],
    ['the target format 4 under a TDES key', { targetFormat: 4 }, 'KEY_USAGE_WRONG'],
  ])('A translation with %s is refused', async (_, changed, reason) => {
    expect((await translate(changed)).outcome).toBe(reason)
  })
})

/** As a component outside the hub publishes it. */
function asked(payload: Payload<'/random-number-gen'>): OutgoingMessage {
  const { requestId: key } = payload
  const { topic } = catalogue['/random-number-gen']
  const message = { id: randomUUID(), type: '/random-number-gen', source: 'vault', headers: {} }
  return { ...message, topic, key, payload }
}

/** Argon2id takes long where other tests run beside it. */
const patient = { deadline_ms: 30_000 }

describe('hashes and random numbers', () => {
  test.each([
    ['SHA-256', 32, undefined],
    ['SHA-512', 64, undefined],
    ['argon2id', 32, 16],
  ])(
    '%s hashes the same data with the same salt to the same value',
    async (algorithm, hash, salt) => {
      const first = await world.calls.GenerateHash({ data: text, algorithm }, patient)
      expect([first.hash.length, first.salt?.length]).toEqual([hash, salt])
      const same = { data: text, algorithm, salt: first.salt ?? none }
      const again = await world.calls.GenerateHash(same, patient)
      expect(again.hash).toEqual(first.hash)
      const other = Buffer.from('another salt')
      const salted = await world.calls.GenerateHash({ data: text, algorithm, salt: other }, patient)
      expect(salted.hash).not.toEqual(first.hash)
    },
  )

  test('A random number by call has from 16 to 64 bytes, and does not repeat', async () => {
    const outcomes = [15, 16, 64, 65].map(async (byteLength) => {
      const { value } = await world.calls.GenerateRandomNumber({ byteLength })
      return value.length
    })
    expect(await Promise.all(outcomes)).toEqual([0, 16, 64, 0])
  })

  test('A random number by event is readable for the asking component alone', async () => {
    const answers: Payload<'RandomNumberGenerated'>[] = []
    const subscribed = await onEvents(
      world.parts.bus,
      'asker',
      ['RandomNumberGenerated'],
      (events) => {
        answers.push(...events.map(({ payload }) => payload))
        return Promise.resolve()
      },
    )
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = await exportJWK(own.publicKey)
    const publicJwk = { kty: 'EC', crv: 'P-256', x, y } as const
    const request = { purpose: 'SECRET', byteLength: 32, encoding: 'hex' } as const
    const requestId = randomUUID()
    await world.parts.bus.publish([
      // No point of the curve, so that no one could read an answer.
      asked({ ...request, requestId: randomUUID(), publicJwk: { ...publicJwk, y: x } }),
      asked({ ...request, requestId, publicJwk }),
    ])
    const answer = await eventually(
      () => Promise.resolve(answers.find((each) => each.requestId === requestId)),
      'the request is answered',
    )
    const { plaintext } = await compactDecrypt(answer.encryptedValue, own.privateKey)
    expect(Buffer.from(plaintext).toString()).toMatch(/^[\da-f]{64}$/)
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expect(compactDecrypt(answer.encryptedValue, other.privateKey)).rejects.toThrow(
      'decryption operation failed',
    )
    expect(answers).toHaveLength(1)
    await subscribed.stop()
  })
})

describe('the adapter', () => {
  test('An adapter that the process does not have is refused', async () => {
    for (const [adapter, word] of [
      ['PKCS11', 'ADAPTER_UNAVAILABLE'],
      ['CLOUD', 'INVALID'],
    ] as const) {
      expect(wordOf(await world.approvals.request('CryptoAdapter', { adapter }))).toBe(word)
    }
    const { adapter } = await world.keys.ListKeys({})
    expect(adapter).toMatchObject({ active: 'NODE', available: ['NODE'] })
  })
})
