import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { bulkFulfilEvent, bulkPrepareEvent, fulfilled } from '../testing/bulk-messages.ts'
import { payee, payer } from '../testing/messages.ts'
import { openWorld } from '../testing/world.ts'
import { awaited_ms } from './arrivals.ts'

const bulk = 'bulk-1'
const ids = ['transfer-1', 'transfer-2', 'transfer-3']
/** Of the bulk. */
const expires_ms = 60_000

async function acceptedWorld() {
  const world = openWorld()
  await world.handleBulks(bulkPrepareEvent(bulk, ids))
  const arrive = (payeeFsp = payee, bulkTransferId = bulk) => {
    const receivedAt = world.iso()
    const until = new Date(Date.parse(receivedAt) + awaited_ms)
    return world.deps.bulks.awaitAnswer({ bulkTransferId, payeeFsp, receivedAt, until })
  }
  const states = () => ids.map((id) => world.row(id)?.state)
  return { ...world, arrive, states }
}

describe('An answer that is being read:', () => {
  test('An answer that arrives in time is posted, however long it is read and however often transfers are swept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(expires_ms - 1),
        fc.nat(awaited_ms - 1),
        fc.array(fc.nat(30_000), { maxLength: 6 }),
        async (arrives_ms, reads_ms, sweeps) => {
          const world = await acceptedWorld()
          world.time(arrives_ms)
          const receivedAt = world.iso()
          expect(await world.arrive()).toBe('AWAITED')
          let left_ms = reads_ms
          for (const after_ms of sweeps) {
            world.time(Math.min(after_ms, left_ms))
            left_ms -= Math.min(after_ms, left_ms)
            await world.sweep()
            await world.heal()
          }
          world.time(left_ms)
          await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids), { receivedAt }))
          expect(world.states()).toEqual(['COMMITTED', 'COMMITTED', 'COMMITTED'])
        },
      ),
    )
  })

  test('Items expire once an answer is awaited no more', async () => {
    const world = await acceptedWorld()
    world.time(expires_ms - 1)
    await world.arrive()
    world.time(awaited_ms - 1)
    expect(await world.sweep()).toEqual([])
    world.time(1)
    await world.sweep()
    expect(world.states()).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  })

  test.each([
    ['of another FSP', payer, 0],
    ['after the expiration', payee, expires_ms + 1],
  ])('An answer %s is not awaited', async (_what, fspId, after_ms) => {
    const world = await acceptedWorld()
    world.time(after_ms)
    expect(await world.arrive(fspId)).toBe('NOT_AWAITED')
    world.time(expires_ms + 1_001)
    await world.sweep()
    expect(world.states()).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  })

  test('An answer to a bulk transfer that has ended is not awaited, and one to an unknown id is named so', async () => {
    const world = await acceptedWorld()
    await world.handleBulks(bulkFulfilEvent(bulk, fulfilled(ids)))
    expect(await world.arrive()).toBe('NOT_AWAITED')
    expect(await world.arrive(payee, 'bulk-9')).toBe('UNKNOWN')
  })
})
