import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { conditionOf, decodePacket, encodePacket, fulfilmentOf, amountToIlp } from './ilp.ts'
import { readTransaction, type Transaction, writeTransaction } from './ilp-transaction.ts'

/** The bytes 00 01 02 … 1f. */
const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => index))

const transaction: Transaction = {
  transactionId: '3f1c2a90-5b7e-4d21-9c44-0a6be2f1d7c5',
  quoteId: 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b',
  payee: {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '123456789', fspId: 'payeefsp' },
  },
  payer: {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '987654321', fspId: 'payerfsp' },
  },
  amount: { amount: '99', currency: 'USD' },
  transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
}
const json = Buffer.from(JSON.stringify(transaction))

describe('the transaction of a packet', () => {
  test('The transaction determines the packet, fulfilment and condition that two FSPs agree on', () => {
    const data = writeTransaction(transaction)
    const amount = amountToIlp('99', 'USD') ?? 0n
    const packet = encodePacket({ amount, address: 'g.payeefsp.msisdn.123456789', data }) ?? ''
    expect(data).toHaveLength(432)
    expect(packet).toHaveLength(635)
    expect(packet.slice(0, 60)).toBe('AYIB2AAAAAAAACasG2cucGF5ZWVmc3AubXNpc2RuLjEyMzQ1Njc4OYIBsHsi')
    const fulfilment = fulfilmentOf(secret, packet)
    expect(fulfilment).toBe('x8nZqTPjgW4Q9OAr81tcoj0NwYaCz4127-yyHVxUpXo')
    expect(conditionOf(fulfilment)).toBe('NHJAB_mTVcKIz3zBe2BvNR7B-rEtpt3oL14UmdqI43E')
    const decoded = decodePacket(packet)?.data ?? Buffer.alloc(0)
    expect(readTransaction(decoded)).toMatchObject({ ok: true, value: transaction })
  })

  test.each([
    ['JSON', json],
    ['base64url of JSON', Buffer.from(json.toString('base64url'))],
    ['padded base64url of JSON', Buffer.from(`${json.toString('base64url')}==`)],
  ])('The transaction of a packet is read from %s', (_, data) => {
    expect(readTransaction(data)).toMatchObject({ ok: true, value: transaction })
  })

  test('The transaction of a packet may be in any script and hold what the API does not know', () => {
    const more = { ...transaction, note: 'ကျော်', unknown: { a: 1 } }
    expect(readTransaction(writeTransaction(more))).toMatchObject({ ok: true, value: more })
  })

  test.each([
    ['nothing', '', '3101'],
    ['an empty object', '{}', '3102'],
    ['a header block of older FSPs', 'PSK/1.0\nNonce: x\n\n', '3101'],
    ['base64url of something else', 'bm8ganNvbg', '3101'],
    ['a list', '[]', '3101'],
    ['an amount of a wrong form', json.toString().replace('"99"', '"99.0"'), '3101'],
  ])('A packet with the transaction %s is refused', (_, text, code) => {
    expect(readTransaction(Buffer.from(text))).toMatchObject({ ok: false, code })
  })

  test('A packet with any bytes as its transaction is read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(readTransaction(Buffer.from(bytes))).toHaveProperty('ok')
      }),
    )
  })
})

describe('the amount of a packet', () => {
  test.each([
    ['99', 'USD', 9_900n],
    ['99', 'JPY', 99n],
    ['1.5', 'BHD', 1_500n],
    ['0.01', 'USD', 1n],
    ['0', 'USD', 0n],
    ['0.0001', 'CLF', 1n],
    ['100000000000000000', 'USD', 10_000_000_000_000_000_000n],
  ])('In a packet the amount %s %s is %s', (amount, currency, coins) => {
    expect(amountToIlp(amount, currency)).toBe(coins)
  })

  test.each([
    ['1.5', 'JPY'],
    ['1.005', 'USD'],
    ['1.50', 'USD'],
    ['-1', 'USD'],
    ['x', 'USD'],
    ['1', 'ZZZ'],
    ['999999999999999999', 'USD'],
  ])('An amount of %s %s cannot be written in a packet', (amount, currency) => {
    expect(amountToIlp(amount, currency)).toBeUndefined()
  })
})
