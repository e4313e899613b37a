import { describe, expect, test } from '@jest/globals'
import { constants, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { FlattenedEncrypt, flattenedDecrypt } from 'jose'
import {
  type ContentEncryption,
  decryptFields,
  decryptValue,
  encryptFields,
  encryptValue,
} from './jwe.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const encs: readonly ContentEncryption[] = ['A128GCM', 'A192GCM', 'A256GCM']

const body = {
  payer: {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '15295558888', fspId: 'payerfsp' },
    personalInfo: { complexName: { firstName: 'Zoë' }, dateOfBirth: '1986-02-14' },
  },
  individualQuotes: [{ note: 'one' }, { note: 'two' }],
  extensionList: { extension: [{ key: 'a', value: 'b' }] },
  note: '',
}
const paths = [
  'payer.partyIdInfo.partyIdentifier',
  'payer.personalInfo',
  'individualQuotes.1.note',
  'extensionList.extension',
  'note',
]

interface Entry {
  fieldName: string
  encryptedKey: string
  protectedHeader: string
  initializationVector: string
  authenticationTag: string
}

function encrypted(
  fields: readonly string[] = paths,
  options: Parameters<typeof encryptFields>[3] = {},
  of: object = body,
) {
  const encryption = encryptFields(of, fields, rsa.publicKey, options)
  if (!encryption.ok) throw new Error(encryption.detail)
  const { encryptedFields } = JSON.parse(encryption.header) as {
    encryptedFields: { encryptedField: Entry[] }
  }
  return { ...encryption, entries: encryptedFields.encryptedField }
}

function headerOf(entries: readonly object[]): string {
  return JSON.stringify({ encryptedFields: { encryptedField: entries } })
}

/** One field, `note`, encrypted with these parameters, right or wrong. */
function handmade({
  content = Buffer.from('hello'),
  method = {},
  vector = randomBytes(12),
  contentKey = randomBytes(32),
}: {
  content?: Buffer
  method?: object
  vector?: Buffer
  contentKey?: Buffer
}) {
  const json = JSON.stringify({ alg: 'RSA-OAEP-256', enc: 'A256GCM', ...method })
  const protectedHeader = Buffer.from(json).toString('base64url')
  const cipher = {
    enc: 'A256GCM',
    contentKey,
    initializationVector: vector,
    protectedHeader,
  } as const
  const { ciphertext, tag } = encryptValue(content, cipher)
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const key = { key: rsa.publicKey, padding, oaepHash: 'sha256' }
  const entry = {
    fieldName: 'note',
    encryptedKey: publicEncrypt(key, contentKey).toString('base64url'),
    protectedHeader,
    initializationVector: vector.toString('base64url'),
    authenticationTag: tag.toString('base64url'),
  }
  return { entry, body: { note: ciphertext.toString('base64url') } }
}

describe('a field', () => {
  test.each([
    ['15295558888', 'BN7x2SpBZSFMDQQ', 'pnkn4x_dsbY03gpzDZIIHw'],
    [
      '{"complexName":{"firstName":"Bill","lastName":"Lee"},"dateOfBirth":"1986-02-14"}',
      'Tsmgj3IEPHwMe12BW1Zk6LHAhToyAE3Y7A3cEoP8obkwGBClW--ut_Ls_hYG_1OzpanJDCiKChz8sAgC6Wp16m6i1nCoK8F' +
        'fYoorvNv3n40',
      'rw6OjSKKKMaGSyrmB7lI7w',
    ],
  ])('%s is encrypted as the vectors say', (plaintext, ciphertext, tag) => {
    const cipher = {
      enc: 'A256GCM',
      contentKey: Buffer.from(
        '404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f',
        'hex',
      ),
      initializationVector: Buffer.from('202122232425262728292a2b', 'hex'),
      protectedHeader: 'eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIn0',
    } as const
    const made = encryptValue(Buffer.from(plaintext), cipher)
    expect(made.ciphertext.toString('base64url')).toBe(ciphertext)
    expect(made.tag.toString('base64url')).toBe(tag)
    expect(decryptValue(made.ciphertext, made.tag, cipher)?.toString()).toBe(plaintext)
    expect(decryptValue(made.ciphertext, made.tag.subarray(0, 12), cipher)).toBeUndefined()
  })

  test.each(encs.flatMap((enc) => [[enc, undefined] as const, [enc, 'DEF'] as const]))(
    'A field encrypted under %s, compressed: %s, is opened by its recipient alone',
    (enc, zip) => {
      const { body: hidden, header } = encrypted(paths, { enc, zip })
      expect(JSON.stringify(hidden)).not.toMatch(/Zoë|15295558888|two|"b"/)
      expect(hidden).toMatchObject({ payer: { partyIdInfo: { fspId: 'payerfsp' } } })
      expect(decryptFields(header, hidden, rsa.privateKey)).toEqual({ ok: true, body })
      expect(decryptFields(header, hidden, otherRsa.privateKey)).toEqual({
        ok: false,
        code: '3100',
        detail: 'payer.partyIdInfo.partyIdentifier cannot be decrypted',
      })
    },
  )

  test('Each field has its own vector of 12 bytes, and the method in its protected header', () => {
    const { entries, body: hidden } = encrypted()
    expect(entries.map(({ fieldName }) => fieldName)).toEqual(paths)
    expect(new Set(entries.map((entry) => entry.initializationVector)).size).toBe(paths.length)
    for (const entry of entries) {
      expect(Buffer.from(entry.initializationVector, 'base64url')).toHaveLength(12)
      expect(Buffer.from(entry.protectedHeader, 'base64url').toString()).toBe(
        '{"alg":"RSA-OAEP-256","enc":"A256GCM"}',
      )
    }
    expect(hidden).toMatchObject({
      payer: { personalInfo: expect.stringMatching(/^[\w-]+$/) },
      individualQuotes: [{ note: 'one' }, { note: expect.stringMatching(/^[\w-]{4}$/) }],
    })
  })

  test('Encryption of a field leaves the body that was given as it was', () => {
    const before = structuredClone(body)
    const { body: hidden, header } = encrypted()
    expect(body).toEqual(before)
    const hiddenBefore = structuredClone(hidden)
    decryptFields(header, hidden, rsa.privateKey)
    expect(hidden).toEqual(hiddenBefore)
  })

  test('A field that is encrypted here is opened by jose', async () => {
    const { entries, body: hidden } = encrypted(['note'], { enc: 'A192GCM' }, { note: 'Zoë' })
    const [entry] = entries
    const { plaintext } = await flattenedDecrypt(
      {
        protected: entry?.protectedHeader ?? '',
        encrypted_key: entry?.encryptedKey ?? '',
        iv: entry?.initializationVector ?? '',
        tag: entry?.authenticationTag ?? '',
        ciphertext: (hidden as { note: string }).note,
      },
      rsa.privateKey,
    )
    expect(Buffer.from(plaintext).toString()).toBe('Zoë')
  })

  test.each(encs)('A field that jose encrypted under %s is opened here', async (enc) => {
    const made = await new FlattenedEncrypt(Buffer.from('{"a":"é"}'))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc })
      .encrypt(rsa.publicKey)
    const entry = {
      fieldName: 'note',
      encryptedKey: made.encrypted_key,
      protectedHeader: made.protected,
      initializationVector: made.iv,
      authenticationTag: made.tag,
    }
    expect(decryptFields(headerOf([entry]), { note: made.ciphertext }, rsa.privateKey)).toEqual({
      ok: true,
      body: { note: { a: 'é' } },
    })
  })

  test('A field is opened in either shape of the header, with a vector of any length', () => {
    const { entry, body: hidden } = handmade({ vector: randomBytes(16) })
    for (const encryptedFields of [[entry], entry, { encryptedField: entry }]) {
      const header = JSON.stringify({ encryptedFields })
      expect(decryptFields(header, hidden, rsa.privateKey)).toEqual({
        ok: true,
        body: { note: 'hello' },
      })
    }
  })

  test('A field of any text comes back, unless it reads as an object or a list', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, compressed) => {
        fc.pre(!/^\s*[[{]/.test(text))
        const { body: hidden, header } = encrypted(
          ['a.0'],
          { zip: compressed ? 'DEF' : undefined },
          { a: [text] },
        )
        expect(decryptFields(header, hidden, rsa.privateKey)).toEqual({
          ok: true,
          body: { a: [text] },
        })
      }),
    )
  })

  test('A field of broken JSON stays a text', () => {
    const { body: hidden, header } = encrypted(['note'], {}, { note: '{"a":' })
    expect(decryptFields(header, hidden, rsa.privateKey)).toEqual({
      ok: true,
      body: { note: '{"a":' },
    })
  })
})

describe('fields are not encrypted', () => {
  test.each([
    [['nothing'], /^nothing is no text, object or list of the body$/],
    [['payer.nothing.deeper'], /^payer\.nothing/],
    [['note.length'], /^note\.length/],
    [['individualQuotes.2'], /^individualQuotes\.2/],
    [['individualQuotes.length'], /^individualQuotes\.length/],
    [['individualQuotes.-1'], /^individualQuotes\.-1/],
    [['__proto__'], /^__proto__/],
    [['constructor.name'], /^constructor/],
    [[''], /no text/],
    [['payer.'], /no text/],
    [[], /^no field is named$/],
    [['note', 'note'], /twice/],
    [['payer.personalInfo', 'payer'], /is part of payer/],
  ])('Fields are not encrypted at %j', (fields, detail) => {
    expect(encryptFields(body, fields, rsa.publicKey)).toEqual({
      ok: false,
      detail: expect.stringMatching(detail),
    })
  })

  test('Fields are not encrypted beyond the size of a header', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, 'x']))
    expect(encryptFields(many, Object.keys(many), rsa.publicKey)).toEqual({
      ok: false,
      detail: 'too many fields for one header',
    })
    const long = 'x'.repeat(513)
    expect(encryptFields({ [long]: 'a' }, [long], rsa.publicKey)).toMatchObject({ ok: false })
  })
})

describe('a message is invalid as a whole', () => {
  test('A message is invalid as a whole with one flipped bit anywhere in what was encrypted', () => {
    const { body: hidden, entries } = encrypted(['note'], {}, { note: 'a text' })
    const [entry] = entries
    const parts = { ...entry, value: (hidden as { note: string }).note } as Entry & {
      value: string
    }
    const names = [
      'encryptedKey',
      'protectedHeader',
      'initializationVector',
      'authenticationTag',
      'value',
    ] as const
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const bytes = Buffer.from(parts[name], 'base64url')
        const index = (at >> 3) % bytes.length
        bytes[index] = (bytes[index] ?? 0) ^ (1 << (at & 7))
        const { value, ...changed } = { ...parts, [name]: bytes.toString('base64url') }
        expect(decryptFields(headerOf([changed]), { note: value }, rsa.privateKey)).toEqual({
          ok: false,
          code: '3100',
          detail: 'note cannot be decrypted',
        })
      }),
    )
  })

  test.each([
    ['another alg', { method: { alg: 'RSA-OAEP' } }],
    ['RSA of the first version', { method: { alg: 'RSA1_5' } }],
    ['a content key that is no RSA', { method: { alg: 'dir' } }],
    ['another enc', { method: { enc: 'A256CBC-HS512' } }],
    ['an inherited name for enc', { method: { enc: 'toString' } }],
    ['an enc of another length of key', { method: { enc: 'A128GCM' } }],
    ['another zip', { method: { zip: 'GZ' } }],
    ['crit', { method: { crit: ['exp'] } }],
    ['zip over what is not compressed', { method: { zip: 'DEF' } }],
    ['content that is no UTF-8', { content: Buffer.from([0xff]) }],
    [
      'content that inflates beyond 5 MiB',
      { method: { zip: 'DEF' }, content: deflateRawSync(Buffer.alloc(5_242_881)) },
    ],
  ])('A message is invalid as a whole with %s', (_, how) => {
    const { entry, body: hidden } = handmade(how)
    expect(decryptFields(headerOf([entry]), hidden, rsa.privateKey)).toMatchObject({
      ok: false,
      code: '3100',
    })
  })

  test('A message is invalid as a whole with fields that inflate to more than 5 MiB together', () => {
    const half = deflateRawSync(Buffer.alloc(2_621_440, 'a'))
    const one = handmade({ method: { zip: 'DEF' }, content: half })
    const entries = ['a', 'b', 'c'].map((fieldName) => ({ ...one.entry, fieldName }))
    const hidden = { a: one.body.note, b: one.body.note, c: one.body.note }
    expect(decryptFields(headerOf(entries.slice(0, 2)), hidden, rsa.privateKey).ok).toBe(true)
    expect(decryptFields(headerOf(entries), hidden, rsa.privateKey)).toMatchObject({
      ok: false,
      detail: 'c cannot be decrypted',
    })
  })

  test.each([
    ['is missing', {}],
    ['is an object', { note: {} }],
    ['is not base64url', { note: 'a=b' }],
    ['is in a text', { note: 'x' }],
  ])('A message is invalid as a whole when the field %s', (_, hidden) => {
    const { entry } = handmade({})
    expect(decryptFields(headerOf([entry]), hidden, rsa.privateKey)).toMatchObject({
      ok: false,
      code: '3100',
    })
  })

  test('A message is invalid as a whole when its header is malformed', () => {
    expect(decryptFields('{}', {}, rsa.privateKey)).toMatchObject({
      ok: false,
      code: '3101',
      detail: expect.stringMatching(/^header fspiop-encryption/),
    })
  })
})
