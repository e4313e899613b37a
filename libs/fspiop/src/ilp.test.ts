import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  conditionOf,
  decodePacket,
  encodePacket,
  fulfilmentOf,
  fulfils,
  isCondition,
} from './ilp.ts'

/** The bytes 00 01 02 … 1f. */
const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const address = 'g.payeefsp.msisdn.123456789'

const enveloped = {
  text: 'ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A',
  hex: '012800000000000026ac1b672e70617965656673702e6d736973646e2e313233343536373839027b7d00',
}
const flat = {
  text: 'AQAAAAAAACasG2cucGF5ZWVmc3AubXNpc2RuLjEyMzQ1Njc4OQJ7fQ',
  hex: '0100000000000026ac1b672e70617965656673702e6d736973646e2e313233343536373839027b7d',
}

/** The Transaction that a realistic packet carries, 432 bytes. */
const transaction =
  '{"transactionId":"3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5",' +
  '"quoteId":"b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b",' +
  '"payee":{"partyIdInfo":{"partyIdType":"MSISDN","partyIdentifier":"123456789","fspId":"payeefsp"}},' +
  '"payer":{"partyIdInfo":{"partyIdType":"MSISDN","partyIdentifier":"987654321","fspId":"payerfsp"}},' +
  '"amount":{"amount":"99","currency":"USD"},' +
  '"transactionType":{"scenario":"TRANSFER","initiator":"PAYER","initiatorType":"CONSUMER"}}'

describe('a packet', () => {
  test('A packet is written in the enveloped form', () => {
    expect(encodePacket({ amount: 9900n, address, data: Buffer.from('{}') })).toBe(enveloped.text)
    expect(Buffer.from(enveloped.text, 'base64url').toString('hex')).toBe(enveloped.hex)
  })

  test.each([
    ['enveloped', enveloped.text],
    ['flat', flat.text],
    ['padded', `${enveloped.text}==`],
  ])('A packet is read in the %s form', (_, text) => {
    expect(decodePacket(text)).toEqual({ amount: 9900n, address, data: Buffer.from('{}') })
  })

  test('A packet with a whole transaction has lengths of two bytes', () => {
    const data = Buffer.from(transaction)
    const text = encodePacket({ amount: 9900n, address, data }) ?? ''
    expect(data).toHaveLength(432)
    expect(text).toHaveLength(635)
    expect(Buffer.from(text, 'base64url').toString('hex')).toMatch(/^018201d8/)
    expect(decodePacket(text)).toEqual({ amount: 9900n, address, data })
    expect(fulfilmentOf(secret, text)).toBe('x8nZqTPjgW4Q9OAr81tcoj0NwYaCz4127-yyHVxUpXo')
    expect(conditionOf(fulfilmentOf(secret, text))).toBe(
      'NHJAB_mTVcKIz3zBe2BvNR7B-rEtpt3oL14UmdqI43E',
    )
  })

  test('A packet of any legal parts comes back as it was', () => {
    const parts = fc.record({
      amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      address: fc.stringMatching(/^[A-Za-z0-9_~-]{1,20}(\.[A-Za-z0-9_~-]{1,20}){0,10}$/),
      data: fc.uint8Array({ maxLength: 2_000 }).map((data) => Buffer.from(data)),
    })
    fc.assert(
      fc.property(parts, (packet) => {
        expect(decodePacket(encodePacket(packet) ?? '')).toEqual(packet)
      }),
    )
  })

  test.each([
    ['a negative amount', { amount: -1n }],
    ['an amount of 2^64', { amount: 2n ** 64n }],
    ['an empty address', { address: '' }],
    ['an address with a blank', { address: 'g.a b' }],
    ['an address with an empty part', { address: 'g..a' }],
    ['an address too long', { address: `g.${'a'.repeat(1_022)}` }],
    ['data too long', { data: Buffer.alloc(32_768) }],
    ['data that makes the text too long', { data: Buffer.alloc(24_576) }],
  ])('A packet with %s is not written', (_, wrong) => {
    const data = Buffer.from('{}')
    expect(encodePacket({ amount: 1n, address, data, ...wrong })).toBeUndefined()
  })

  test('A packet with the greatest of all its parts fits the element', () => {
    const greatest = { amount: 2n ** 64n - 1n, address: `g.${'a'.repeat(1_021)}` }
    const text = encodePacket({ ...greatest, data: Buffer.alloc(23_500) })
    expect(text?.length).toBeLessThanOrEqual(32_768)
    expect(decodePacket(text ?? '')?.amount).toBe(greatest.amount)
  })

  test.each([
    ['nothing', ''],
    ['a prepare of a later protocol', Buffer.from('0c00', 'hex').toString('base64url')],
    ['only the type', 'AQ'],
    ['cut off', enveloped.text.slice(0, 40)],
    ['longer than it says', `${enveloped.text}AAAA`],
    [
      'a length beyond all bounds',
      Buffer.from('0188ffffffffffffffff', 'hex').toString('base64url'),
    ],
    ['flat and longer than it says', `${flat.text}AAAA`],
    ['flat and cut off', flat.text.slice(0, 50)],
    ['a length of lengths cut off', Buffer.from('0182', 'hex').toString('base64url')],
    ['text', 'this is no packet at all'],
  ])('A packet that is %s is not read', (_, text) => {
    expect(decodePacket(text)).toBeUndefined()
  })

  test('Any bytes are read as a packet or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, payment) => {
        const all = payment ? Buffer.concat([Buffer.of(1), bytes]) : Buffer.from(bytes)
        const packet = decodePacket(all.toString('base64url'))
        expect(packet === undefined || packet.amount >= 0n).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a fulfilment', () => {
  test.each([
    [
      enveloped.text,
      'wHLiDoXs3Kr7Kf4jLWwHeCKQmuzgF4_Qw8vDt0Ghh70',
      '31mEPsoCTiT3CbL_wRJkXW_rXz0WqDrKiR9a8PJMgnw',
    ],
    [
      flat.text,
      'eHX3kWwpBSYioY_nSihmXSzMvq_SNrzwPOVAFAIl2mo',
      'JRIfjyZnTFD-Fb_6xLSZK7MtQ9_Eyu-afh2jjkZsWmk',
    ],
  ])('A fulfilment of %s is the HMAC of its bytes', (packet, fulfilment, condition) => {
    expect(fulfilmentOf(secret, packet)).toBe(fulfilment)
    expect(conditionOf(fulfilment)).toBe(condition)
    expect(fulfils(fulfilment, condition)).toBe(true)
  })

  const condition = 'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM'
  const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'

  test('A fulfilment fulfils its condition and no other', () => {
    expect(fulfils(fulfilment, condition)).toBe(true)
    expect(fulfils(fulfilment, '31mEPsoCTiT3CbL_wRJkXW_rXz0WqDrKiR9a8PJMgnw')).toBe(false)
    expect(fulfils(condition, fulfilment)).toBe(false)
    expect(fulfils(condition, condition)).toBe(false)
  })

  test('A fulfilment is compared by its bytes: the spare bits of the last character do not count', () => {
    expect(fulfils(`${fulfilment.slice(0, -1)}B`, condition)).toBe(true)
    expect(fulfils(fulfilment, `${condition.slice(0, -1)}N`)).toBe(true)
    expect(fulfils(`${fulfilment.slice(0, -1)}E`, condition)).toBe(false)
  })

  test.each(['', 'x', fulfilment.slice(1), `${fulfilment}A`, `${fulfilment}=`, `${fulfilment}\n`])(
    'A fulfilment of another form, %j, fulfils nothing',
    (text) => {
      expect(fulfils(text, condition)).toBe(false)
      expect(fulfils(fulfilment, text)).toBe(false)
      expect(isCondition(text)).toBe(false)
    },
  )

  test('A fulfilment of any secret and packet fulfils the condition made of it', () => {
    const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(secrets, fc.uint8Array({ maxLength: 200 }), (key, bytes) => {
        const packet = Buffer.from(bytes).toString('base64url')
        const made = fulfilmentOf(Buffer.from(key), packet)
        expect(isCondition(made)).toBe(true)
        expect(fulfils(made, conditionOf(made))).toBe(true)
      }),
    )
  })
})
