import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { overlapOf, readEncryptionHeader } from './encryption-header.ts'

const entry = {
  fieldName: 'payer.personalInfo',
  encryptedKey: 'a2V5',
  protectedHeader: 'e30',
  initializationVector: 'aXY',
  authenticationTag: 'dGFn',
}
const other = { ...entry, fieldName: 'payee.partyIdInfo.partyIdentifier' }

function read(value: unknown) {
  return readEncryptionHeader(JSON.stringify(value))
}

describe('the encryption header', () => {
  test.each([
    ["the data model's", { encryptedFields: { encryptedField: [entry, other] } }, [entry, other]],
    ["the examples'", { encryptedFields: [entry, other] }, [entry, other]],
    ["the data model's, with one object", { encryptedFields: { encryptedField: entry } }, [entry]],
    ["the examples', with one object", { encryptedFields: entry }, [entry]],
    ['with unknown members', { a: 1, encryptedFields: [{ ...entry, b: 2 }] }, [entry]],
  ])('The encryption header is read in the shape: %s', (_, header, fields) => {
    expect(read(header)).toEqual({ fields })
  })

  test.each([
    ['a list', [entry]],
    ['without the list', {}],
    ['with an empty list', { encryptedFields: { encryptedField: [] } }],
    ['with a text for the list', { encryptedFields: 'payer' }],
    ['with a text for an entry', { encryptedFields: ['payer'] }],
    ['with an entry of nothing', { encryptedFields: [{}] }],
    ['with an empty name', { encryptedFields: [{ ...entry, fieldName: '' }] }],
    ['with an empty segment', { encryptedFields: [{ ...entry, fieldName: 'payer..x' }] }],
    ['with a dot at the end', { encryptedFields: [{ ...entry, fieldName: 'payer.' }] }],
    ['with a long name', { encryptedFields: [{ ...entry, fieldName: 'x'.repeat(513) }] }],
    ['with a number for the key', { encryptedFields: [{ ...entry, encryptedKey: 1 }] }],
    ['with a long key', { encryptedFields: [{ ...entry, encryptedKey: 'x'.repeat(513) }] }],
    ['with padding', { encryptedFields: [{ ...entry, protectedHeader: 'e30=' }] }],
    ['with blanks', { encryptedFields: [{ ...entry, initializationVector: 'a b' }] }],
    ['with an empty tag', { encryptedFields: [{ ...entry, authenticationTag: '' }] }],
    ['with a field twice', { encryptedFields: [entry, other, entry] }],
    ['with a field in a field', { encryptedFields: [entry, { ...entry, fieldName: 'payer' }] }],
  ])('%s is malformed', (_, header) => {
    expect(read(header)).toMatchObject({
      status: 400,
      code: '3101',
      detail: expect.stringMatching(/^header fspiop-encryption: ./),
    })
  })

  test('The encryption header beyond the size of all headers is malformed', () => {
    const text = JSON.stringify({ encryptedFields: [entry] })
    expect(readEncryptionHeader(text.padEnd(65_536))).toEqual({ fields: [entry] })
    expect(readEncryptionHeader(text.padEnd(65_537))).toMatchObject({ code: '3101' })
  })

  test('The encryption header of any text or JSON is read or refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.json(), (text, inner) => {
        for (const header of [text, `{"encryptedFields":${inner}}`]) {
          const reading = readEncryptionHeader(header)
          expect('fields' in reading || reading.code === '3101').toBe(true)
        }
      }),
    )
  })
})

test.each([
  [['payer', 'payee'], undefined],
  [['payer', 'payers.name'], undefined],
  [['a.b', 'a.c'], undefined],
  [['a', 'a'], /twice/],
  [['a.b.c', 'a'], /^a\.b\.c is part of a,/],
])('Whether the paths %j exclude each other is known', (paths, expected) => {
  if (expected === undefined) expect(overlapOf(paths)).toBeUndefined()
  else expect(overlapOf(paths)).toMatch(expected)
})
