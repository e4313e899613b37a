import { conditionOf, decodePacket, type PostTransfers } from '@causeway/fspiop'
import { describe, expect, test } from '@jest/globals'
import { agree, fulfilAgreement } from './agreement.ts'

const secret = Buffer.alloc(32, 7)
const amount = { currency: 'USD', amount: '99.5' }
const data = Buffer.from('{"transactionId":"t"}')
const now = new Date('2030-01-01T00:00:00.000Z')

function agreed(payeeSecret = secret) {
  const agreement = agree(payeeSecret, { payeeFsp: 'payeefsp', amount, data })
  if (agreement === undefined) throw new Error('no agreement')
  return agreement
}

function transfer(changes: Partial<PostTransfers> = {}): PostTransfers {
  return {
    transferId: 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61',
    payerFsp: 'payerfsp',
    payeeFsp: 'payeefsp',
    amount,
    expiration: '2030-01-01T00:00:00.001Z',
    ...agreed(),
    ...changes,
  }
}

describe('agreeing', () => {
  test('A packet has the amount in the smallest unit, and the data unchanged', () => {
    expect(decodePacket(agreed().ilpPacket)).toEqual({
      amount: 9950n,
      address: 'g.payeefsp',
      data,
    })
  })

  test('The same terms give the same packet and condition, and another secret gives others', () => {
    expect(agreed()).toEqual(agreed())
    expect(agreed(Buffer.alloc(32, 8)).condition).not.toBe(agreed().condition)
  })

  test.each([
    ['more decimals than the currency has', { currency: 'JPY', amount: '1.5' }],
    ['no currency', { currency: 'ZZZ', amount: '1' }],
    ['no amount', { currency: 'USD', amount: '1.50' }],
  ])('No packet is made with %s', (_what, wrong) => {
    expect(agree(secret, { payeeFsp: 'payeefsp', amount: wrong, data })).toBeUndefined()
  })
})

describe('keeping an agreement', () => {
  test('A transfer that matches its quote gets the fulfilment of the condition', () => {
    const fulfilled = fulfilAgreement(secret, transfer(), now)
    expect('fulfilment' in fulfilled && conditionOf(fulfilled.fulfilment)).toBe(
      transfer().condition,
    )
  })

  test.each([
    ['at its expiration', '3303', transfer({ expiration: now.toISOString() })],
    ['for another amount', '5105', transfer({ amount: { currency: 'USD', amount: '99.51' } })],
    ['to the address of another FSP', '5105', transfer({ payeeFsp: 'otherfsp' })],
    ['with a malformed packet', '5105', transfer({ ilpPacket: 'AAAA' })],
    ['with a condition of another FSP', '5105', transfer({ ...agreed(Buffer.alloc(32, 8)) })],
  ])('A transfer %s is refused', (_what, errorCode, broken) => {
    expect(fulfilAgreement(secret, broken, now)).toMatchObject({ error: { errorCode } })
  })
})
