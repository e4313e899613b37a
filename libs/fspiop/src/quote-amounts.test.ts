import { formatAmount, parseAmount } from '@causeway/money'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { payeeReceiveAmountOf, transferAmountOf } from './quote-amounts.ts'

const usd = (amount: string) => ({ currency: 'USD', amount })
const units = (amount: string | undefined) => parseAmount(amount ?? '') ?? -1n

describe('the transfer amount', () => {
  test.each([
    ['RECEIVE', '100', undefined, '1', '0.5', '100.5'],
    ['RECEIVE', '100', '3', '1', '0.5', '100.5'],
    ['RECEIVE', '100', undefined, undefined, undefined, '100'],
    ['SEND', '100', undefined, '1', '2', '98'],
    ['SEND', '100', undefined, '1', undefined, '100'],
    ['SEND', '100', '2', '1', '2', '100'],
    ['SEND', '100', '1', undefined, '3', '100'],
    ['SEND', '100', '3', '1', '2', '99'],
    ['SEND', '100', '0', undefined, undefined, '100'],
    ['SEND', '100', '0.0001', undefined, undefined, '99.9999'],
    ['SEND', '2', undefined, undefined, '2', '0'],
  ] as const)(
    'The transfer amount of %s %s with fees %s, fee %s and commission %s is %s',
    (amountType, amount, fees, payeeFspFee, payeeFspCommission, transferAmount) => {
      const terms = {
        amountType,
        amount: usd(amount),
        fees: fees === undefined ? undefined : usd(fees),
        payeeFspFee: payeeFspFee === undefined ? undefined : usd(payeeFspFee),
        payeeFspCommission: payeeFspCommission === undefined ? undefined : usd(payeeFspCommission),
      }
      expect(transferAmountOf(terms)).toEqual(usd(transferAmount))
    },
  )

  test.each([
    ['a fee in another currency', { payeeFspFee: { currency: 'EUR', amount: '1' } }],
    ['fees in another currency', { fees: { currency: 'EUR', amount: '1' } }],
    ['a commission above the amount', { payeeFspCommission: usd('101') }],
    ['an amount that is none', { amount: usd('1.0') }],
    [
      'a sum of more than 18 digits',
      { amountType: 'RECEIVE' as const, amount: usd('9'.repeat(18)), payeeFspFee: usd('1') },
    ],
  ])('The transfer amount with %s does not exist', (_, terms) => {
    expect(transferAmountOf({ amountType: 'SEND', amount: usd('100'), ...terms })).toBeUndefined()
  })
})

const small = fc.bigInt({ min: 0n, max: 10_000_000n }).map((each) => usd(formatAmount(each)))
const maybe = fc.option(small, { nil: undefined })
const large = fc
  .bigInt({ min: 10_000_000n, max: 10n ** 20n })
  .map((each) => usd(formatAmount(each)))

const anyTerms = fc.record({
  amountType: fc.constantFrom('SEND' as const, 'RECEIVE' as const),
  amount: large,
  fees: maybe,
  payeeFspFee: maybe,
  payeeFspCommission: maybe,
})

describe('with any terms', () => {
  test('RECEIVE gives the payee exactly the amount', () => {
    fc.assert(
      fc.property(anyTerms, (terms) => {
        const { amount, payeeFspFee, payeeFspCommission } = terms
        const transfer = transferAmountOf({ ...terms, amountType: 'RECEIVE' }) ?? usd('x')
        expect(payeeReceiveAmountOf(transfer, payeeFspFee, payeeFspCommission)).toEqual(amount)
      }),
    )
  })

  test('SEND with fees costs the payer FSP its amount less the fees that no commission covers', () => {
    fc.assert(
      fc.property(anyTerms, small, (terms, fees) => {
        const { amount, payeeFspCommission } = terms
        const transfer = transferAmountOf({ ...terms, amountType: 'SEND', fees })
        const relayed = units(amount.amount) - units(transfer?.amount)
        const commission = units(payeeFspCommission?.amount ?? '0')
        expect(relayed >= 0n && relayed <= units(fees.amount)).toBe(true)
        expect(relayed + commission >= units(fees.amount)).toBe(true)
        expect(relayed === 0n || relayed + commission === units(fees.amount)).toBe(true)
      }),
    )
  })

  test('SEND without fees does not depend on what the payee FSP charges', () => {
    fc.assert(
      fc.property(anyTerms, maybe, (terms, payeeFspFee) => {
        const send = { ...terms, amountType: 'SEND' as const, fees: undefined }
        expect(transferAmountOf({ ...send, payeeFspFee })).toEqual(transferAmountOf(send))
      }),
    )
  })

  test('With any terms both amounts are legal and in the currency of the quote', () => {
    fc.assert(
      fc.property(anyTerms, (terms) => {
        const transfer = transferAmountOf(terms)
        expect(transfer?.currency).toBe('USD')
        expect(units(transfer?.amount) >= 0n).toBe(true)
      }),
    )
  })
})

test('The payee receives no amount below zero or of another currency', () => {
  expect(payeeReceiveAmountOf(usd('1'), usd('2'))).toBeUndefined()
  expect(payeeReceiveAmountOf(usd('1'), { currency: 'EUR', amount: '1' })).toBeUndefined()
  expect(payeeReceiveAmountOf(usd('2'), usd('1'), usd('0.5'))).toEqual(usd('1.5'))
})
