import { describe, expect, test } from '@jest/globals'
import { constants, generateKeyPairSync, publicEncrypt } from 'node:crypto'
import { openFieldEncryption } from './field-encryption.ts'

const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })

/**
 * Known texts under a known content key (A256GCM) that is wrapped for this FSP. FSPIOP
 * (Encryption).
 */
const contentKey = Buffer.from(
  '404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f',
  'hex',
)
const method = {
  protectedHeader: 'eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIn0',
  initializationVector: 'ICEiIyQlJicoKSor',
  encryptedKey: publicEncrypt(
    { key: own.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    contentKey,
  ).toString('base64url'),
}
const number = {
  fieldName: 'payee.partyIdInfo.partyIdentifier',
  authenticationTag: 'pnkn4x_dsbY03gpzDZIIHw',
  ...method,
}
const person = {
  fieldName: 'payee.personalInfo',
  authenticationTag: 'rw6OjSKKKMaGSyrmB7lI7w',
  ...method,
}
const sent = Buffer.from(
  JSON.stringify({
    payee: {
      partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: 'BN7x2SpBZSFMDQQ' },
      personalInfo:
        'Tsmgj3IEPHwMe12BW1Zk6LHAhToyAE3Y7A3cEoP8obkwGBClW--ut_Ls_hYG_1OzpanJDCiKChz8sAgC6Wp16m6i1n' +
        'CoK8FfYoorvNv3n40',
    },
    note: 'in clear',
  }),
)

describe('a message that another FSP has encrypted', () => {
  const fieldEncryption = openFieldEncryption({ key: own.privateKey })

  test.each([
    ['of the data model', { encryptedFields: { encryptedField: [number, person] } }],
    ['of the examples', { encryptedFields: [number, person] }],
  ])('A message that another FSP has encrypted is read in the form %s', (_form, header) => {
    expect(fieldEncryption.decrypt(JSON.stringify(header), sent)).toEqual({
      body: {
        payee: {
          partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '15295558888' },
          personalInfo: {
            complexName: { firstName: 'Bill', lastName: 'Lee' },
            dateOfBirth: '1986-02-14',
          },
        },
        note: 'in clear',
      },
    })
  })

  test.each([
    ['with another tag', { ...number, authenticationTag: person.authenticationTag }],
    ['in another position', { ...number, fieldName: 'payee.personalInfo' }],
    ['without a position', { ...number, fieldName: 'payer.name' }],
  ])('An encrypted field %s is not read, and the error names the cause', (_title, entry) => {
    const header = JSON.stringify({ encryptedFields: { encryptedField: [entry] } })
    expect(fieldEncryption.decrypt(header, sent)).toEqual({ why: expect.stringMatching(/./) })
  })

  test('An encrypted message is not read without the key or with another key', () => {
    const header = JSON.stringify({ encryptedFields: { encryptedField: [number] } })
    for (const key of [undefined, other.privateKey]) {
      const stranger = openFieldEncryption(key === undefined ? {} : { key })
      expect(stranger.decrypt(header, sent)).toHaveProperty('why')
    }
    expect(fieldEncryption.decrypt(header, Buffer.from('[]x'))).toHaveProperty('why')
  })
})

describe('a message to another FSP', () => {
  const quote = {
    quoteId: 'q',
    payer: { name: 'Amara', partyIdInfo: { fspId: 'greenbank', partyIdentifier: '1' } },
    payee: { partyIdInfo: { fspId: 'bluewallet', partyIdentifier: '2' } },
    amount: { currency: 'USD', amount: '10' },
    note: 'for the rent',
  }
  const peerKey = (fspId: string) => (fspId === 'bluewallet' ? own.publicKey : undefined)
  const fieldEncryption = openFieldEncryption({ peerKey })

  test('Names and notes are encrypted, where present, and nothing that the hub routes by', () => {
    const { body, encryption } = fieldEncryption.encrypt('bluewallet', quote)
    expect(body).toEqual({
      ...quote,
      payer: { ...quote.payer, name: expect.stringMatching(/^[\w-]+$/) },
      note: expect.stringMatching(/^[\w-]+$/),
    })
    const { encryptedFields } = JSON.parse(encryption ?? '') as {
      encryptedFields: { encryptedField: { fieldName: string }[] }
    }
    const names = encryptedFields.encryptedField.map(({ fieldName }) => fieldName)
    expect(names).toEqual(['payer.name', 'note'])
    const bytes = Buffer.from(JSON.stringify(body))
    const reader = openFieldEncryption({ key: own.privateKey })
    expect(reader.decrypt(encryption ?? '', bytes)).toEqual({ body: quote })
  })

  test('A message stays in clear without a known key or without a field to encrypt', () => {
    expect(fieldEncryption.encrypt('redmoney', quote)).toEqual({
      body: quote,
      encryption: undefined,
    })
    expect(fieldEncryption.encrypt(undefined, quote)).toEqual({
      body: quote,
      encryption: undefined,
    })
    const plain = { transactionState: 'COMPLETED' }
    expect(fieldEncryption.encrypt('bluewallet', plain)).toEqual({
      body: plain,
      encryption: undefined,
    })
  })

  test('Other fields are encrypted where the options name them', () => {
    const choosy = openFieldEncryption({ peerKey, fields: ['payee.partyIdInfo.partyIdentifier'] })
    const { body } = choosy.encrypt('bluewallet', quote)
    expect(body).toMatchObject({ note: 'for the rent', payer: { name: 'Amara' } })
    expect(JSON.stringify(body)).not.toContain('"partyIdentifier":"2"')
  })
})
