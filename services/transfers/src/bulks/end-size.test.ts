/** The end of a bulk, and every answer that shows it, fits into a message however the payee FSP answers. */
import type { OutgoingMessage } from '@causeway/bus'
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  bulkFulfilEvent,
  bulkPrepareEvent,
  bulkQueryEvent,
  bulkRejectEvent,
} from '../testing/bulk-messages.ts'
import { fulfilment, otherFulfilment, payee, payer } from '../testing/messages.ts'
import { openWorld } from '../testing/world.ts'
import type { BulkFulfilEvent } from './contract.ts'
import { withinBytes, withinBound } from './domain/extensions.ts'

/** FSPIOP 3.1. */
const body_bytes_max = 5 * 2 ** 20

/** The longest that is legal: a control character takes six bytes in JSON. */
function listOf(character: string, entries: number): ExtensionList {
  const extension = { key: character.repeat(32), value: character.repeat(128) }
  return { extension: Array.from({ length: entries }, () => extension) }
}

const lists = fc.constantFrom(
  undefined,
  listOf('a', 16),
  listOf('\u0001', 4),
  listOf('\u0001', 16),
  listOf('\u{1f4b0}', 16),
)
const errors: fc.Arbitrary<ErrorInformation> = fc
  .record({ list: lists, description: fc.constantFrom('no', '\u0001'.repeat(128)) })
  .map(({ list, description }) => ({
    errorCode: '5104',
    errorDescription: description,
    ...(list === undefined ? {} : { extensionList: list }),
  }))

type Result = Omit<BulkFulfilEvent['payload']['individualTransferResults'][number], 'transferId'>

const results: fc.Arbitrary<Result> = fc
  .record({
    paid: fc.constantFrom(fulfilment, otherFulfilment, undefined),
    error: fc.option(errors, { nil: undefined }),
    list: lists,
  })
  .map(({ paid, error, list }) => ({
    ...(paid === undefined ? {} : { fulfilment: paid }),
    ...(error === undefined ? {} : { errorInformation: error }),
    ...(list === undefined ? {} : { extensionList: list }),
  }))

/** Every `step`th item from `first` on has the result. */
const answers = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reject' as const), error: errors }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('fulfil' as const),
      state: fc.constantFrom('PROCESSING' as const, 'COMPLETED' as const, 'REJECTED' as const),
      result: results,
      first: fc.nat(3),
      step: fc.integer({ min: 1, max: 4 }),
    }),
  },
)

const sizes = fc.constantFrom(1, 320, 1_000)

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

function bytesOf({ payload }: OutgoingMessage): number {
  return Buffer.byteLength(JSON.stringify(payload))
}

test('Any legal answers of the payee FSP end the bulk, and its end and what is shown of it fit into 5 MiB', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(answers, { maxLength: 4 }), async (items, given) => {
      const world = openWorld()
      const ids = Array.from({ length: items }, (_item, at) => uuid(at))
      await world.handleBulks(bulkPrepareEvent('bulk', ids))
      for (const one of given) {
        await world.handleBulks(
          one.kind === 'reject'
            ? bulkRejectEvent('bulk', { errorInformation: one.error })
            : bulkFulfilEvent(
                'bulk',
                ids
                  .filter((_id, at) => at >= one.first && (at - one.first) % one.step === 0)
                  .map((transferId) => ({ transferId, ...one.result })),
                { bulkTransferState: one.state },
              ),
        )
      }
      world.time(61_000)
      await world.sweep()
      expect(world.bulk('bulk')?.end).toBeDefined()
      expect(world.alarms).toEqual([])
      await world.handleBulks(bulkQueryEvent('bulk', payer))
      await world.handleBulks(bulkQueryEvent('bulk', payee))
      const largest = Math.max(...world.tables.published.map(bytesOf))
      expect(largest).toBeLessThanOrEqual(body_bytes_max)
    }),
    { numRuns: 10 },
  )
}, 300_000)

describe('Extension lists of a bulk:', () => {
  test('Of 1,000 items each may have 16 extensions of the longest ASCII texts', async () => {
    const world = openWorld()
    const ids = Array.from({ length: 1_000 }, (_item, at) => uuid(at))
    await world.handleBulks(bulkPrepareEvent('bulk', ids))
    const extensionList = listOf('a', 16)
    const results = ids.map((transferId) => ({ transferId, fulfilment, extensionList }))
    const published = await world.handleBulks(bulkFulfilEvent('bulk', results))
    const end = published.find(({ type }) => type === 'BulkTransferCompleted')
    expect(end?.payload).toMatchObject({ individualTransferResults: results })
  })

  test('Lists that are longer than the share of an item are left out, and its outcome stays', () => {
    const error = { errorCode: '5104', errorDescription: 'no' }
    const result = {
      errorInformation: { ...error, extensionList: listOf('a', 1) },
      extensionList: listOf('a', 1),
    }
    expect(withinBytes(result, 1_000)).toBe(result)
    expect(withinBytes(result, 300)).toEqual({ errorInformation: error })
    expect(withinBytes({ fulfilment, extensionList: listOf('a', 2) }, 300)).toEqual({ fulfilment })
  })

  test('Of lists that were stored before they were bounded those that fit are shown', () => {
    const stored = Array.from({ length: 1_000 }, () => ({ extensionList: listOf('\u0001', 16) }))
    const shown = withinBound(stored)
    expect(shown.slice(0, 200)).toEqual(stored.slice(0, 200))
    expect(shown.at(-1)).toEqual({})
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(body_bytes_max)
  })
})
