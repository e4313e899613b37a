import type { AbortReason } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { causeOf, type CauseFacts } from './cause.ts'

const facts: CauseFacts = {
  payerFsp: 'green',
  payeeFsp: 'blue',
  amount: 100_0000n,
  currency: 'USD',
  expiresAt: '2030-01-01T00:00:30.000Z',
  receivedAt: '2030-01-01T00:00:00.000Z',
  limit: { position: 950_0000n, cover: 2_000_0000n, cap: 1_000_0000n },
  errorDescription: 'Payee rejected transaction',
  ledgerKind: 'FUNDS_IN',
  lateAnswerAt: undefined,
}

describe('the sentence names what an operator has to look at:', () => {
  test.each<[AbortReason, string]>([
    ['PAYEE_UNKNOWN', 'No participant is called blue.'],
    ['PAYER_INACTIVE', 'green or its account in USD was not active.'],
    [
      'CAP_SHORT',
      'green owed 950 USD; with 100 more it would be 1050, and its net debit cap was 1000.',
    ],
    ['TIMEOUT', 'blue had not answered when it expired at 2030-01-01T00:00:30.000Z.'],
    ['REJECTED', 'blue refused it: Payee rejected transaction.'],
    ['MISMATCH', 'The ledger holds something else under this id: FUNDS_IN.'],
  ])('The cause %s has a sentence with its figures', (reason, sentence) => {
    expect(causeOf(reason, facts)).toBe(sentence)
  })
})

test('A late answer is reported with both times', () => {
  const lateAnswerAt = '2030-01-01T00:00:31.000Z'
  expect(causeOf('TIMEOUT', { ...facts, lateAnswerAt })).toBe(
    'blue answered at 2030-01-01T00:00:31.000Z, after it had expired at 2030-01-01T00:00:30.000Z.',
  )
})
