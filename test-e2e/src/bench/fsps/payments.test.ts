import { fulfils } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { legNames } from '../options.ts'
import { numberOf, partyOf, paymentOf } from './payments.ts'

const names = ['payer', 'payee']
const options = {
  names,
  legs: legNames,
  pairOf: () => [0, 1] as const,
  valid_ms: 60_000,
}

function legsOf(n: number) {
  const { legs, condition } = paymentOf(n, options)
  const [lookup, quote, transfer] = legs
  if (lookup === undefined || quote === undefined || transfer === undefined) {
    throw new Error('a payment has three legs')
  }
  return { lookup, quote, transfer, condition }
}

function jsonOf({ body }: { readonly body: Buffer | undefined }) {
  return JSON.parse(body?.toString() ?? '{}') as Record<string, string>
}

test('The number of a payment is read from the id of each of its messages', () => {
  const { quote, transfer } = legsOf(123_456)
  expect(numberOf(partyOf(123_456))).toBe(123_456)
  expect(numberOf(jsonOf(quote.request)['quoteId'] ?? '')).toBe(123_456)
  expect(numberOf(jsonOf(transfer.request)['transferId'] ?? '')).toBe(123_456)
  expect(numberOf('something else')).toBeNaN()
})

test('Quote and transfer carry one packet and condition, and the fulfilment matches', () => {
  const { quote, transfer, condition } = legsOf(7)
  expect(jsonOf(quote.answer)).toMatchObject({ condition })
  expect(jsonOf(transfer.request)).toMatchObject({
    condition,
    ilpPacket: jsonOf(quote.answer)['ilpPacket'],
    payerFsp: 'payer',
    payeeFsp: 'payee',
  })
  expect(fulfils(jsonOf(transfer.answer)['fulfilment'] ?? '', condition)).toBe(true)
})

test('A lookup names no destination, and every other message does', () => {
  const { lookup, quote, transfer } = legsOf(7)
  expect(lookup.request).toMatchObject({ from: 0, to: undefined })
  for (const { request } of [quote, transfer]) expect(request).toMatchObject({ from: 0, to: 1 })
  for (const { answer } of [lookup, quote, transfer]) {
    expect(answer).toMatchObject({ from: 1, to: 0 })
  }
})
