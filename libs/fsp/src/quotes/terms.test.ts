import {
  decodePacket,
  fulfilmentOf,
  fulfils,
  type PutQuotes,
  readTransaction,
} from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { faultOfAnswer, quoteAnswer, type QuoteAnswer } from './terms.ts'

const own = { name: 'payeefsp', secret: Buffer.alloc(32, 7) }
const now = new Date('2030-01-01T00:00:00.000Z')
const expiration = new Date('2030-01-01T00:01:00.000Z')
const usd = (amount: string) => ({ currency: 'USD', amount })
const party = (partyIdentifier: string) => ({
  partyIdInfo: { partyIdType: 'MSISDN' as const, partyIdentifier },
})

function request(
  changes: { amountType?: 'SEND' | 'RECEIVE'; amount?: string; fees?: string } = {},
) {
  const { amountType = 'SEND', amount = '10', fees } = changes
  return {
    quoteId: '6b1d5a0e-3f0c-4f5e-9a57-0a4c8a1d2e11',
    transactionId: '0f4b3c2d-8a5e-4c1b-b6d7-1e2f3a4b5c6d',
    payer: { ...party('12025550101'), name: 'Amara Example' },
    payee: party('12025550111'),
    amountType,
    amount: usd(amount),
    ...(fees === undefined ? {} : { fees: usd(fees) }),
    transactionType: {
      scenario: 'TRANSFER' as const,
      initiator: 'PAYER' as const,
      initiatorType: 'CONSUMER' as const,
    },
  }
}

function answered(
  asked: ReturnType<typeof request>,
  terms: { payeeFspFee?: string; payeeFspCommission?: string } = {},
): QuoteAnswer {
  const { payeeFspFee: fee, payeeFspCommission: commission } = terms
  const answer = quoteAnswer(own, 'payerfsp', asked, {
    expiration,
    ...(fee === undefined ? {} : { payeeFspFee: usd(fee) }),
    ...(commission === undefined ? {} : { payeeFspCommission: usd(commission) }),
  })
  if ('error' in answer) throw new Error(answer.error.errorDescription)
  return answer
}

describe('what the payee FSP answers', () => {
  test('The payer FSP accepts the answer of the payee FSP, whatever the amounts', () => {
    const cents = (min: bigint, max: bigint) =>
      fc.bigInt({ min, max }).map((each) => formatAmount(each * 100n))
    fc.assert(
      fc.property(
        fc.constantFrom('SEND' as const, 'RECEIVE' as const),
        cents(1_000n, 10_000_000n),
        fc.option(cents(0n, 300n), { nil: undefined }),
        cents(0n, 300n),
        cents(0n, 300n),
        (amountType, amount, fees, payeeFspFee, payeeFspCommission) => {
          const asked = request({ amountType, amount, ...(fees === undefined ? {} : { fees }) })
          const answer = answered(asked, { payeeFspFee, payeeFspCommission })
          expect(faultOfAnswer(asked, answer as PutQuotes, now)).toBeUndefined()
          if (amountType === 'RECEIVE') expect(answer.payeeReceiveAmount.amount).toBe(amount)
          expect(parseAmount(answer.transferAmount.amount)).toBeGreaterThan(0n)
        },
      ),
    )
  })

  test('The packet is for exactly the transfer, and only the payee FSP can fulfil its condition', () => {
    const { ilpPacket, condition } = answered(request(), { payeeFspCommission: '0.5' })
    const packet = decodePacket(ilpPacket)
    expect(packet?.amount).toBe(950n)
    expect(fulfils(fulfilmentOf(own.secret, ilpPacket), condition)).toBe(true)
    expect(fulfils(fulfilmentOf(Buffer.alloc(32, 8), ilpPacket), condition)).toBe(false)
  })

  test('The packet names the transaction request that came before, and only then', () => {
    const transactionRequestId = '5e0f8a5c-2f5d-4f38-8b8e-6a3a4f1b9d20'
    const named = (asked: ReturnType<typeof request>) => {
      const packet = decodePacket(answered(asked).ilpPacket)
      const reading = packet && readTransaction(packet.data)
      return reading?.ok === true ? reading.value.transactionRequestId : 'no packet'
    }
    expect(named({ ...request(), transactionRequestId } as ReturnType<typeof request>)).toBe(
      transactionRequestId,
    )
    expect(named(request())).toBeUndefined()
  })

  test('The packet names the FSPs and the expiration, and no person', () => {
    const { data } = decodePacket(answered(request()).ilpPacket) ?? { data: Buffer.alloc(0) }
    expect(readTransaction(data)).toMatchObject({
      ok: true,
      value: {
        payer: { partyIdInfo: { fspId: 'payerfsp' } },
        payee: { partyIdInfo: { fspId: 'payeefsp' } },
        extensionList: {
          extension: [{ key: 'quoteExpiration', value: expiration.toISOString() }],
        },
      },
    })
    expect(data.toString()).not.toContain('Amara')
  })

  test.each([
    ['5103', request({ amount: '1' }), { payeeFspFee: usd('2') }],
    ['5103', request(), { payeeFspFee: { currency: 'EUR', amount: '1' } }],
    ['5103', request({ amount: '1' }), { payeeFspCommission: usd('1') }],
    ['3100', request({ amount: '1.001' }), {}],
  ])('The answer is %s when the terms come to no amount', (errorCode, asked, terms) => {
    expect(quoteAnswer(own, 'payerfsp', asked, { ...terms, expiration })).toMatchObject({
      error: { errorCode },
    })
  })
})

test.each([
  ['another amount to transfer', { transferAmount: usd('11') }, '3100'],
  ['another amount to receive', { payeeReceiveAmount: usd('9') }, '3100'],
  ['another currency', { transferAmount: { currency: 'EUR', amount: '10' } }, '3100'],
  ['an expiration in the past', { expiration: now.toISOString() }, '3302'],
])('The payer FSP rejects an answer with %s', (_what, changes, errorCode) => {
  const asked = request()
  const answer = { ...answered(asked), ...changes } as PutQuotes
  expect(faultOfAnswer(asked, answer, now)).toMatchObject({ errorCode })
})
