import { describe, expect, test } from '@jest/globals'
import { Outage } from '@causeway/process'
import { bulkPrepareEvent, bulkRejectEvent } from './testing/bulk-messages.ts'
import { heal, type SweepOptions } from './expiry/sweep.ts'
import { fulfilEvent, prepareEvent } from './testing/messages.ts'
import { openWorld, typesOf } from './testing/world.ts'

const early = 'transfer-a'
const late = 'transfer-b'

/** Two transfers that expire after one minute and after two. */
async function twoReserved() {
  const world = openWorld()
  await world.handle(
    prepareEvent(early, { expiration: '2026-01-01T00:01:00.000Z' }),
    prepareEvent(late, { expiration: '2026-01-01T00:02:00.000Z' }),
  )
  return world
}

test('The sweeper goes up to the oldest message that is not processed, and no further', async () => {
  const world = await twoReserved()
  world.time(61_000)
  world.holdBack(true)
  world.time(120_000)
  const published = await world.sweep()
  expect(typesOf(published)).toEqual(['TransferFulfilComitRequestTimedout'])
  expect(published[0]?.key).toBe(early)
  expect(await world.sweep()).toEqual([])
  // What held it back: the answer of the payee FSP, received before the second one expired.
  const fulfil = fulfilEvent(late, { receivedAt: '2026-01-01T00:01:01.000Z' })
  expect(typesOf(await world.handle(fulfil))).toEqual(['TransferCommittedFulfiled'])
  world.holdBack(false)
  expect(await world.sweep()).toEqual([])
})

test('The sweeper takes the transfers that it left once the message is processed', async () => {
  const world = await twoReserved()
  world.holdBack(true)
  world.time(200_000)
  expect(await world.sweep()).toEqual([])
  world.holdBack(false)
  expect((await world.sweep()).length).toBe(2)
})

test('The comparison of every minute waits for unprocessed messages as well', async () => {
  const world = await twoReserved()
  const forgotten = openWorld()
  await forgotten.handle(prepareEvent('transfer-c', { expiration: '2026-01-01T00:02:00.000Z' }))
  const entry = forgotten.ledger.entries.get('transfer-c')
  if (entry === undefined) throw new Error('not reserved')
  world.ledger.put(entry)
  world.time(179_000)
  world.holdBack(true)
  world.time(600_000)
  const published = await world.heal()
  expect(published.map(({ key }) => key)).toEqual([early])
  expect(world.ledger.entries.get('transfer-c')?.outcome).toBe('RESERVED')
  expect(world.ledger.entries.get(late)?.outcome).toBe('RESERVED')
  world.holdBack(false)
  expect((await world.heal()).map(({ key }) => key)).toEqual([late])
  expect(world.ledger.entries.get('transfer-c')?.outcome).toBe('VOIDED')
})

test('Time-outs that are held back for more than a minute raise an alarm, once a minute', async () => {
  const world = await twoReserved()
  world.holdBack(true)
  const alarmsAfter = async (ms: number) => {
    world.time(ms)
    await world.sweep()
    return world.alarms
  }
  expect(await alarmsAfter(60_000)).toEqual([])
  expect(await alarmsAfter(1)).toEqual(['TIMEOUTS_HELD_BACK'])
  expect((await alarmsAfter(59_999)).length).toBe(1)
  expect((await alarmsAfter(1)).length).toBe(2)
  world.holdBack(false)
  expect((await alarmsAfter(120_000)).length).toBe(2)
})

describe('Items of bulks:', () => {
  const bulk = 'bulk-1'

  async function bulkBesideSingle() {
    const world = openWorld()
    await world.handle(prepareEvent(early, { expiration: '2026-01-01T00:01:00.000Z' }))
    await world.handleBulks(bulkPrepareEvent(bulk, ['item-1', 'item-2']))
    return world
  }

  test('A message about a bulk that is not processed holds back items, and no other transfer', async () => {
    const world = await bulkBesideSingle()
    world.holdBack(true, 'items')
    world.time(120_000)
    expect((await world.sweep()).map(({ key }) => key)).toEqual([early])
    expect((await world.heal()).map(({ key }) => key)).toEqual([])
    expect(world.row('item-1')?.state).toBe('RESERVED')
    expect(world.alarms).toEqual(['TIMEOUTS_HELD_BACK'])
    // What held them back: the answer of the payee FSP, received in time.
    await world.handleBulks(bulkRejectEvent(bulk, { receivedAt: '2026-01-01T00:00:59.000Z' }))
    expect(world.row('item-1')).toMatchObject({ state: 'ABORTED', reason: 'REJECTED' })
  })

  test('A message about a single transfer that is not processed holds back no item', async () => {
    const world = await bulkBesideSingle()
    world.holdBack(true, 'singles')
    world.time(61_000)
    expect(typesOf(await world.sweep())).toEqual([
      'BulkTransferItemsEnded',
      'BulkTransferCompleted',
    ])
    expect(world.row(early)?.state).toBe('RESERVED')
  })
})

describe('A transfer that cannot be ended:', () => {
  /** What it announces is larger than any message may be. */
  async function withUnannounceable(ids: readonly string[], bad: string) {
    const world = openWorld()
    await world.handle(...ids.map((id) => prepareEvent(id)))
    const row = world.row(bad)
    if (row === undefined) throw new Error(`${bad} is not stored`)
    world.tables.put({ ...row, payerVersion: 'x'.repeat(13 * 2 ** 20) })
    return world
  }
  function now(world: ReturnType<typeof openWorld>): SweepOptions {
    const clock = () => Promise.resolve(new Date(world.iso()))
    return { batch_max: 10, clock }
  }
  const ids = ['transfer-1', 'transfer-2', 'transfer-3', 'transfer-4', 'transfer-5']
  const bad = 'transfer-3'
  const others = ids.filter((id) => id !== bad)

  test('A transfer whose end cannot be announced raises an alarm, and the others of its batch expire', async () => {
    const world = await withUnannounceable(ids, bad)
    world.time(61_000)
    expect((await world.sweep()).map(({ key }) => key)).toEqual(others)
    expect(world.alarms).toEqual(['NOT_ENDED'])
    expect(world.row(bad)?.state).toBe('RESERVED')
  })

  test('The comparison of every minute reaches its last step past a transfer that cannot be ended', async () => {
    const world = await withUnannounceable(ids, bad)
    const forgotten = openWorld()
    await forgotten.handle(prepareEvent('transfer-9'))
    const entry = forgotten.ledger.entries.get('transfer-9')
    if (entry === undefined) throw new Error('not reserved')
    world.ledger.put(entry)
    world.time(200_000)
    const passed: string[] = []
    await heal(
      world.depsThrough((at) => void passed.push(at)),
      now(world),
    )
    expect(others.map((id) => world.row(id)?.state)).toEqual(others.map(() => 'ABORTED'))
    expect(world.alarms).toEqual(['NOT_ENDED', 'RESERVATION_UNKNOWN'])
    expect(world.ledger.entries.get('transfer-9')?.outcome).toBe('VOIDED')
    expect(passed.at(-1)).toBe('after miscounted')
  })

  test('A step of the comparison that an outage ends keeps none after it from being done', async () => {
    const world = openWorld()
    const passed: string[] = []
    const healing = heal(
      world.depsThrough((at) => {
        if (at === 'before openSince') throw new Outage('away')
        passed.push(at)
      }),
      now(world),
    )
    await expect(healing).rejects.toThrow('away')
    expect(passed.at(-1)).toBe('after miscounted')
  })
})
