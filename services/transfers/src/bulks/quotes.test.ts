import type { BulkQuote } from '@causeway/protos'
import { openLog } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { openBulkQuotes } from './quotes.ts'

const quote: BulkQuote = {
  id: 'quote-1',
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  items: 2,
  itemsRefused: 0,
  state: 'ACCEPTED',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:01:00.000Z',
  validUntil: '2026-01-01T01:00:00.000Z',
  completedAt: '2026-01-01T00:00:01.000Z',
}
const bulk = {
  bulkQuoteId: 'quote-1',
  payerFsp: 'mangobank',
  payeeFsp: 'riverwallet',
  receivedAt: '2026-01-01T00:30:00.000Z',
}

function refusalOf(stored: readonly BulkQuote[], noneIsStored = false) {
  const log = openLog({ name: 'test', level: 'silent' })
  const { signal } = new AbortController()
  const calls = { GetBulkQuotes: () => Promise.resolve({ bulkQuotes: [...stored], noneIsStored }) }
  return openBulkQuotes(calls, { log, signal }).refusalOf(bulk)
}

test('A bulk may name an accepted bulk quote of the same two FSPs that was valid when it was received', async () => {
  expect(await refusalOf([quote])).toBeUndefined()
  expect(await refusalOf([{ ...quote, validUntil: bulk.receivedAt }])).toBeUndefined()
})

test.each<[string, Partial<BulkQuote> | undefined]>([
  ['that is unknown', undefined],
  ['of another payer FSP', { payerFsp: 'redmoney' }],
  ['of another payee FSP', { payeeFsp: 'redmoney' }],
  ['that is rejected', { state: 'REJECTED' }],
  ['that is not answered', { state: 'PENDING', validUntil: undefined }],
  ['that was not answered in time', { state: 'EXPIRED', validUntil: undefined }],
])('A bulk quote %s is unknown to the payer FSP of a bulk', async (_what, changes) => {
  const stored = changes === undefined ? [] : [{ ...quote, ...changes }]
  expect(await refusalOf(stored)).toBe('QUOTE_UNKNOWN')
})

test('A bulk that is received after its bulk quote has ended is refused as expired', async () => {
  const ended = { ...quote, validUntil: '2026-01-01T00:29:59.999Z' }
  expect(await refusalOf([ended])).toBe('QUOTE_EXPIRED')
})

test('Where quoting stores no quotes, a bulk may name any', async () => {
  expect(await refusalOf([], true)).toBeUndefined()
})
