import { fulfils, readSignature } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { legNames } from './options.ts'
import { headersOf, newKeys, numberOf, partyOf, paymentOf, sign } from './payments.ts'

const names = ['payer', 'payee']
const options = {
  names,
  legs: legNames,
  pairOf: () => [0, 1] as const,
  now: new Date('2026-01-01T00:00:00.000Z'),
  expiration: new Date('2026-01-01T01:00:00.000Z'),
}
const date = 'Thu, 01 Jan 2026 00:00:00 GMT'

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
  const { lookup, transfer } = legsOf(7)
  expect(headersOf(lookup.request, names, date)).not.toHaveProperty('fspiop-destination')
  expect(headersOf(lookup.answer, names, date)).toMatchObject({
    'fspiop-source': 'payee',
    'fspiop-destination': 'payer',
  })
  expect(headersOf(transfer.request, names, date)).toMatchObject({
    'fspiop-source': 'payer',
    'fspiop-destination': 'payee',
    accept: 'application/vnd.interoperability.transfers+json;version=1.1',
  })
})

test('A message with a body is signed by its sender', async () => {
  const { lookup, transfer } = legsOf(7)
  const keys = await newKeys('ES256', 2)
  const signing = { algorithm: 'ES256', keys, names, date } as const
  await sign(lookup.request, signing)
  await sign(transfer.answer, signing)
  expect(lookup.request.signature).toBeUndefined()
  expect(readSignature(transfer.answer.signature ?? '')).toBeDefined()
  expect(headersOf(transfer.answer, names, date)['fspiop-signature']).toBe(
    transfer.answer.signature,
  )
})
