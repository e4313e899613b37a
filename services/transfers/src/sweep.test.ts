import { expect, test } from '@jest/globals'
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
