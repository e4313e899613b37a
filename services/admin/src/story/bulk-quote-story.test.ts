import type {
  BulkQuote,
  BulkQuoteItem,
  BulkQuoteRecord,
  QuoteReason,
  QuoteState,
} from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { bulkQuoteStory } from './bulk-quote-story.ts'

const pending: BulkQuote = {
  id: 'b-1',
  payerFsp: 'green',
  payeeFsp: 'blue',
  items: 3,
  itemsRefused: 0,
  state: 'PENDING',
  createdAt: '2030-01-01T00:00:00.000Z',
  expiresAt: '2030-01-01T00:01:00.000Z',
}

const ended = { completedAt: '2030-01-01T00:00:02.000Z' }
const accepted = {
  ...ended,
  state: 'ACCEPTED',
  validUntil: '2030-01-01T01:00:00.000Z',
} as const
const error = '{"errorCode":"5103","errorDescription":"No"}'
const rejected = { ...ended, state: 'REJECTED', error } as const

function itemOf(state: QuoteState, reason?: QuoteReason): BulkQuoteItem {
  const ids = { quoteId: 'q', transactionId: 't' }
  const amounts = { amountType: 'SEND', amount: '1', currency: 'USD' } as const
  return { ...ids, ...amounts, state, reason }
}

function storyOf(changes: Partial<BulkQuote>, record: Partial<BulkQuoteRecord> = {}) {
  const summary = { ...pending, ...changes }
  return bulkQuoteStory({ summary, items: [], deliveries: [], ...record }, [])
}

describe('The state is summarised in one sentence:', () => {
  test.each<[string, Partial<BulkQuote>, string]>([
    ['pending', {}, 'blue has not answered yet, and has until 2030-01-01T00:01:00.000Z.'],
    [
      'expired',
      { ...ended, state: 'EXPIRED' },
      'blue did not answer before 2030-01-01T00:01:00.000Z.',
    ],
    ['refused', { ...rejected, reason: 'REFUSED' }, 'blue refused it: 5103 No'],
    ['undelivered', { ...rejected, reason: 'UNDELIVERED' }, 'blue could not be asked: 5103 No'],
    [
      'of refused items',
      { ...rejected, reason: 'ITEMS' },
      'The hub refused each of 3 payments; the first for 5103 No',
    ],
    ['refused by the hub', { ...rejected, reason: 'PAYER_UNKNOWN' }, 'The hub refused it: 5103 No'],
  ])('%s', (_what, changes, sentence) => {
    expect(storyOf(changes).findings).toEqual([sentence])
  })

  test('The sentence on an accepted bulk quote counts its items by result', () => {
    const items = [
      itemOf('ACCEPTED'),
      itemOf('REJECTED', 'ITEMS'),
      itemOf('REJECTED', 'REFUSED'),
      itemOf('REJECTED', 'UNANSWERED'),
    ]
    expect(storyOf({ ...accepted, items: 4 }, { items }).findings).toEqual([
      '1 of 4 payments have terms, good until 2030-01-01T01:00:00.000Z; the hub refused 1; blue refused 1; blue left out 1.',
    ])
  })

  test('The sentence on an archived bulk quote names the place of its items', () => {
    expect(storyOf(accepted, { archivedMonth: '2030-01' }).findings).toEqual([
      'blue answered; its terms held until 2030-01-01T01:00:00.000Z.',
      'Its items, and what its FSPs sent, are archived with 2030-01: npm run restore puts them back.',
    ])
  })
})

describe('the steps are those that were taken:', () => {
  test.each<[string, Partial<BulkQuote>, readonly string[]]>([
    ['pending', {}, ['POST /bulkQuotes', 'PENDING']],
    ['accepted', accepted, ['POST /bulkQuotes', 'PENDING', 'PUT /bulkQuotes/{ID}', 'ACCEPTED']],
    [
      'refused',
      { ...rejected, reason: 'REFUSED' },
      ['POST /bulkQuotes', 'PENDING', 'PUT /bulkQuotes/{ID}/error', 'REJECTED'],
    ],
    [
      'undelivered',
      { ...rejected, reason: 'UNDELIVERED' },
      ['POST /bulkQuotes', 'PENDING', 'REJECTED'],
    ],
    ['refused at once', { ...rejected, reason: 'ITEMS' }, ['POST /bulkQuotes', 'REJECTED']],
    ['expired', { ...ended, state: 'EXPIRED' }, ['POST /bulkQuotes', 'PENDING', 'EXPIRED']],
  ])('%s', (_what, changes, expected) => {
    const shown = storyOf(changes).steps.map((step) => {
      if (step.type === 'MESSAGE') return step.message
      return step.type === 'DECISION' ? step.outcome : step.type
    })
    expect(shown).toEqual(expected)
  })
})
