import { describe, expect, test } from '@jest/globals'
import type { BulkOutcome } from '../bulk-messages.ts'
import { judgeBulk } from './bulk-oracle.ts'
import { newBulk, type BulkRecord } from '../bulks.ts'
import { listOf } from '../plan/lists.ts'
import type { PlannedBulk } from '../plan/plan.ts'

const planned: PlannedBulk = {
  payer: 'mango',
  payee: 'river',
  items: ['FULFIL', 'FULFIL'],
  twice: 1,
  speaks: 'ANSWER',
  parts: 1,
  begins_ms: 0,
  valid_ms: 1_000,
}

/** The payee FSP has spoken of one item after the other, with each message received at these moments. */
function answered(changes: Partial<PlannedBulk>, ...received_ms: readonly number[][]): BulkRecord {
  const record = newBulk({ ...planned, ...changes })
  Object.assign(record, { expires_ms: 1_000, prepare: { received_ms: [0], status: 202 } })
  for (const [at, moments] of received_ms.entries()) {
    const names = record.itemIds.slice(at, at + 1)
    record.answers.push({ names, sent: { received_ms: moments, status: 200 } })
  }
  return record
}

const paid = { fulfilment: 'f' }
const expired = { errorInformation: { errorCode: '3303', errorDescription: 'expired' } }
const used = { errorInformation: { errorCode: '3106', errorDescription: 'used' } }

function judged(record: BulkRecord, ...results: readonly object[]): readonly string[] {
  record.outcomes.push(
    record.requested.map((transferId, at) => ({ transferId, ...results[at] })) as BulkOutcome,
  )
  const isPaid = (at: number) => Object.hasOwn(results[at] ?? {}, 'fulfilment')
  const ledger = record.itemIds.map((id, at) => [id, isPaid(at) ? 'POSTED' : 'VOIDED'] as const)
  return judgeBulk(record, new Map(ledger), [])
}

describe('what is judged of a bulk', () => {
  test('Each item ends by the message that speaks of it: in time paid, too late void', () => {
    expect(judged(answered({}, [100], [1_001]), paid, expired, used)).toEqual([])
    expect(judged(answered({}, [100], [1_001]), paid, paid, used)).toHaveLength(1)
    expect(judged(answered({}, [999], [1_001]), expired, expired, used)).toHaveLength(1)
  })

  test('An item of which no message speaks is void', () => {
    expect(judged(answered({ speaks: 'PARTLY' }, [100]), paid, expired, used)).toEqual([])
    expect(judged(answered({ speaks: 'PARTLY' }, [100]), paid, paid, used)).toHaveLength(1)
  })

  test('The second item with an id is not paid', () => {
    const found = judged(answered({}, [100], [200]), paid, paid, paid)
    expect(found).toEqual([expect.stringContaining('paid twice')])
  })

  test('There is one result for each item, in the order of the request', () => {
    const record = answered({ twice: 0 }, [100], [200])
    const ids = record.itemIds.toReversed()
    record.outcomes.push(ids.map((transferId) => ({ transferId, ...paid })))
    const ledger = new Map(ids.map((id) => [id, 'POSTED']))
    expect(judgeBulk(record, ledger, [])).toEqual([expect.stringContaining('other items')])
  })

  test('A list of the payee FSP arrives with its result, as it was written', () => {
    const of = (at: number) => ({ ...paid, extensionList: listOf('LONGEST', 'PAYEE', at) })
    const bulk = () => answered({ lists: 'LONGEST' }, [100], [200])
    expect(judged(bulk(), of(0), of(1), used)).toEqual([])
    expect(judged(bulk(), of(1), of(1), used)).toHaveLength(1)
    expect(judged(bulk(), paid, of(1), used)).toHaveLength(1)
  })

  test('A list that does not fit into the share of its item does not arrive', () => {
    const items = Array.from({ length: 208 }, () => 'FULFIL' as const)
    const all = (of: (at: number) => object) => items.map((_, at) => ({ ...paid, ...of(at) }))
    const bulk = () => {
      const moments = items.map((_, at) => [at])
      return answered({ items, twice: 0, lists: 'LONGEST' }, ...moments)
    }
    const lists = all((at) => ({ extensionList: listOf('LONGEST', 'PAYEE', at) }))
    expect(judged(bulk(), ...all(() => ({})))).toEqual([])
    expect(judged(bulk(), ...lists)).toHaveLength(items.length)
  })
})
