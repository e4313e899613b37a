import { describe, expect, test } from '@jest/globals'
import { itemVerdict, resultsIn } from './item-verdict.ts'

const accepted = { state: 'ACCEPTED', reason: null, error: null } as const
const results = resultsIn(
  Buffer.from(
    JSON.stringify({
      individualQuoteResults: [
        { quoteId: 'agreed', transferAmount: { currency: 'USD', amount: '98.5' } },
        { quoteId: 'encrypted', condition: 'c' },
        { quoteId: 'refused', errorInformation: { errorCode: '5103' } },
      ],
    }),
  ),
)

describe('Items of an answered bulk quote:', () => {
  test('An agreed item is ACCEPTED with the payee FSP’s amount', () => {
    expect(itemVerdict('agreed', null, accepted, results)).toEqual({
      state: 'ACCEPTED',
      reason: null,
      error: null,
      transferAmount: 985_000n,
    })
  })

  test('An item with an encrypted amount is ACCEPTED without an amount', () => {
    expect(itemVerdict('encrypted', null, accepted, results)).toMatchObject({
      state: 'ACCEPTED',
      transferAmount: null,
    })
  })

  test.each([
    ['refused', null, 'REFUSED', '{"errorCode":"5103"}'],
    ['left out', null, 'UNANSWERED', null],
    ['agreed', '{"errorCode":"4200"}', 'ITEMS', '{"errorCode":"4200"}'],
  ])('An item that is %s with refusal %s is REJECTED for %s', (id, refusal, reason, error) => {
    expect(itemVerdict(id, refusal, accepted, results)).toEqual({
      state: 'REJECTED',
      reason,
      error,
      transferAmount: null,
    })
  })

  test('An item whose answer is archived has the state of the bulk quote', () => {
    expect(itemVerdict('left out', null, accepted, undefined)).toMatchObject({ state: 'ACCEPTED' })
  })
})

test('An item of a bulk quote without answer has the state of the bulk quote', () => {
  const rejected = {
    state: 'REJECTED',
    reason: 'UNDELIVERED',
    error: '{"errorCode":"1001"}',
  } as const
  expect(itemVerdict('agreed', null, rejected, undefined)).toEqual({
    ...rejected,
    transferAmount: null,
  })
})
