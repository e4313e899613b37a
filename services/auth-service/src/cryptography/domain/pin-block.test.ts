import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { mayTranslate, panFieldOf, pinFieldOf, pinFormats, pinIn } from './pin-block.ts'

const random = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

function combined(one: Buffer, other: Buffer): string {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0))).toString('hex')
}

describe('published examples', () => {
  test.each([
    ['1234', '43219876543210987', '0412ac89abcdef67'],
    ['1234', '5432101234567891', '041215fedcba9876'],
    ['123456', '5413339000001513', '0612076ffffffeae'],
  ])('The block of format 0 of PIN %s and account %s is %s', (pin, pan, block) => {
    expect(combined(pinFieldOf(0, pin, random), panFieldOf(0, pan))).toBe(block)
  })

  test.each([
    ['12345', '517f9481ba5275fa', '4512345aaaaaaaaa517f9481ba5275fa'],
    ['1234567', 'caf92e156b7d4489', '471234567aaaaaaacaf92e156b7d4489'],
    ['123456789012', '8a268c65e92c3b39', '4c123456789012aa8a268c65e92c3b39'],
  ])('The PIN field of format 4 of PIN %s with %s is %s', (pin, filler, field) => {
    expect(pinFieldOf(4, pin, Buffer.from(filler, 'hex')).toString('hex')).toBe(field)
  })

  test.each([
    ['123456789012', '01234567890120000000000000000000'],
    ['1234567890123456', '41234567890123456000000000000000'],
    ['1234567890123456789', '71234567890123456789000000000000'],
  ])('The account field of format 4 of account %s is %s', (pan, field) => {
    expect(panFieldOf(4, pan).toString('hex')).toBe(field)
  })
})

const digits = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((all) => all.join(''))

test('Each format yields the PIN that was put in, whatever the filler is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...pinFormats),
      digits(4, 12),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      (format, pin, filler) => {
        expect(pinIn(format, pinFieldOf(format, pin, Buffer.from(filler)))).toBe(pin)
      },
    ),
  )
})

test.each([
  [0, '241234ffffffffff'],
  [0, '031234ffffffffff'],
  [0, '0d1234567890123f'],
  [0, '04123affffffffff'],
  [0, '041234fffffffff0'],
  [3, '341234fffffff9ff'],
  [4, '441234aaaaaaaaab0000000000000000'],
  [4, '041234aaaaaaaaaa0000000000000000'],
] as const)('No PIN is read from %s %s, which is no field of the format', (format, field) => {
  expect(pinIn(format, Buffer.from(field, 'hex'))).toBeUndefined()
})

test('A block with an account number cannot become one without', () => {
  const refused = pinFormats.flatMap((from) =>
    pinFormats.filter((to) => !mayTranslate(from, to)).map((to) => `${from} to ${to}`),
  )
  expect(refused).toEqual(['0 to 1', '3 to 1', '4 to 1'])
})
