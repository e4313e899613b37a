import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { readBody } from '../bodies/body.ts'
import { bulkMessages } from '../testing/bulk-messages.ts'
import { type JsonObject, uuid } from '../testing/messages.ts'
import { postBulkQuotes, putBulkQuotes } from './bulkQuotes.ts'
import { postBulkTransfers, putBulkTransfers } from './bulkTransfers.ts'

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

function outcome(schema: z.ZodType, json: unknown): string {
  const reading = readBody(schema, Buffer.from(JSON.stringify(json)))
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

function bodyOf(schema: z.ZodType): JsonObject {
  const message = bulkMessages.find((each) => each.schema === schema)
  if (message === undefined) throw new Error('no such message')
  return message.body
}

/** The body with the same item so many times. */
function withItems(schema: z.ZodType, list: string, count: number): JsonObject {
  const body = bodyOf(schema)
  const [item] = body[list] as readonly JsonObject[]
  return { ...body, [list]: Array.from({ length: count }, () => item) }
}

function withItem(schema: z.ZodType, list: string, changes: JsonObject): JsonObject {
  const body = bodyOf(schema)
  const [item] = body[list] as readonly JsonObject[]
  return { ...body, [list]: [{ ...item, ...changes }] }
}

describe.each([
  ['POST /bulkQuotes', postBulkQuotes, 'individualQuotes', '3100'],
  ['PUT /bulkQuotes/{ID}', putBulkQuotes, 'individualQuoteResults', 'accepted'],
  ['POST /bulkTransfers', postBulkTransfers, 'individualTransfers', '3100'],
  ['PUT /bulkTransfers/{ID}', putBulkTransfers, 'individualTransferResults', 'accepted'],
] as const)('%s', (_, schema, list, empty) => {
  test('A bulk may have a thousand items and not one more', () => {
    expect(outcome(schema, withItems(schema, list, 1_000))).toBe('accepted')
    expect(outcome(schema, withItems(schema, list, 1_001))).toBe(
      `3103 /${list}: more than 1000 elements`,
    )
  })

  test('A bulk request has items, and an answer may be without', () => {
    expect(outcome(schema, withItems(schema, list, 0)).slice(0, empty.length)).toBe(empty)
  })
})

test.each([
  ['individualQuoteResults', putBulkQuotes],
  ['individualTransferResults', putBulkTransfers],
] as const)('An answer may leave %s out', (list, schema) => {
  const { [list]: _items, ...rest } = bodyOf(schema)
  expect(outcome(schema, rest)).toBe('accepted')
})

test.each([
  [postBulkQuotes, { bulkQuoteId: ulid.toLowerCase() }, '3101 /bulkQuoteId'],
  [postBulkTransfers, { bulkTransferId: 'x' }, '3101 /bulkTransferId'],
  [postBulkTransfers, { bulkQuoteId: uuid.toUpperCase() }, '3101 /bulkQuoteId'],
  [putBulkTransfers, { bulkTransferState: 'COMMITTED' }, '3101 /bulkTransferState'],
  [putBulkTransfers, { bulkTransferState: 'completed' }, '3101 /bulkTransferState'],
  [putBulkQuotes, { expiration: '' }, '3101 /expiration'],
] as const)(
  'A wrong form of the bulk is refused with its path (%#)',
  (schema, changes, expected) => {
    const sentence = outcome(schema, { ...bodyOf(schema), ...changes })
    expect(sentence.slice(0, expected.length)).toBe(expected)
  },
)

test.each([
  [postBulkQuotes, 'individualQuotes', { amountType: 'BOTH' }, '/amountType'],
  [putBulkQuotes, 'individualQuoteResults', { condition: 'x' }, '/condition'],
  [postBulkTransfers, 'individualTransfers', { ilpPacket: 'a b' }, '/ilpPacket'],
  [putBulkTransfers, 'individualTransferResults', { fulfilment: 'x' }, '/fulfilment'],
] as const)(
  'A wrong form of an item is refused with its position (%#)',
  (schema, list, changes, at) => {
    const expected = `3101 /${list}/0${at}`
    const sentence = outcome(schema, withItem(schema, list, changes))
    expect(sentence.slice(0, expected.length)).toBe(expected)
  },
)
