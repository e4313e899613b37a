import { describe, expect, test } from '@jest/globals'
import { renumberedEncryption } from './signatures/encryption-header.ts'

function headerOf(...names: readonly string[]): string {
  return JSON.stringify({
    encryptedFields: {
      encryptedField: names.map((fieldName) => ({
        fieldName,
        encryptedKey: 'k',
        protectedHeader: 'p',
        initializationVector: 'i',
        authenticationTag: 't',
      })),
    },
  })
}

const list = 'individualQuotes'

describe('the encryption header of a list of which items are left out', () => {
  test('The encryption header names each field by the position that its item has now', () => {
    const header = headerOf(
      'payer.personalInfo',
      `${list}.0.note`,
      `${list}.1.payee.personalInfo`,
      `${list}.3.note`,
    )
    expect(renumberedEncryption(header, list, [1, 3])).toBe(
      headerOf('payer.personalInfo', `${list}.0.payee.personalInfo`, `${list}.1.note`),
    )
  })

  test('The encryption header follows items that move behind one that was in no original', () => {
    const header = headerOf(`${list}.0.note`, `${list}.1.note`)
    expect(renumberedEncryption(header, list, [undefined, 0, undefined, 1])).toBe(
      headerOf(`${list}.1.note`, `${list}.3.note`),
    )
  })

  test('The encryption header leaves out fields outside the list where only the list is taken', () => {
    const header = headerOf('geoCode', `${list}.0.note`)
    expect(renumberedEncryption(header, list, [0], false)).toBe(headerOf(`${list}.0.note`))
  })

  test('There is no encryption header when no field of the remaining items is encrypted', () => {
    expect(renumberedEncryption(headerOf(`${list}.0.note`), list, [1])).toBeUndefined()
    expect(renumberedEncryption(undefined, list, [0])).toBeUndefined()
  })

  test('There is no encryption header when the received one cannot be read', () => {
    expect(renumberedEncryption('none', list, [0])).toBeUndefined()
  })
})
