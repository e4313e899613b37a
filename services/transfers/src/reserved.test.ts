import { expect, test } from '@jest/globals'
import { claimedBy } from './contract.ts'
import { rememberReserved } from './reserved.ts'
import type { TransferMove } from './store.ts'
import { prepareEvent } from './testing/messages.ts'
import { simulateStore } from './testing/store-simulation.ts'

const now = new Date('2026-01-01T00:00:00.000Z')

function openCounted() {
  const { store: tables } = simulateStore()
  const read: string[] = []
  const counted = {
    ...tables,
    read: (ids: readonly string[]) => {
      read.push(...ids)
      return tables.read(ids)
    },
  }
  return { read, store: rememberReserved(counted), other: rememberReserved(tables) }
}

function reservation(id: string): TransferMove {
  const transfer = { ...claimedBy(prepareEvent(id)), state: 'RESERVED' as const }
  return { transfer, fromReserved: false, windowId: undefined, message: undefined }
}

function abort(id: string): TransferMove {
  const transfer = {
    ...claimedBy(prepareEvent(id)),
    state: 'ABORTED' as const,
    reason: 'TIMEOUT' as const,
    error: { errorCode: '3303', errorDescription: 'Transfer expired' },
    completedTimestamp: now.toISOString(),
    outcomeEventId: undefined,
    outcomeHash: undefined,
    payeeVersion: undefined,
    extensionList: undefined,
  }
  return { transfer, fromReserved: true, windowId: undefined, message: undefined }
}

async function reserve(store: ReturnType<typeof openCounted>['store'], ids: readonly string[]) {
  const claims = ids.map((id) => ({
    transfer: claimedBy(prepareEvent(id)),
    receivedAt: now.toISOString(),
    sweepAt: now,
    relay: undefined,
  }))
  await store.claim(claims, now)
  await store.move(ids.map(reservation), now, () => [])
}

const statesOf = async (store: ReturnType<typeof openCounted>['store'], ...ids: string[]) =>
  [...(await store.lastSeen(ids)).values()].map(({ transferId, state }) => `${transferId} ${state}`)

test('A transfer that this process reserved is not read again until it has moved on', async () => {
  const { read, store } = openCounted()
  await reserve(store, ['a'])
  expect(await statesOf(store, 'a')).toEqual(['a RESERVED'])
  expect(read).toEqual([])
  await store.move([abort('a')], now, () => [])
  expect(await statesOf(store, 'a')).toEqual(['a ABORTED'])
  expect(read).toEqual(['a'])
})

test('A transfer that another process reserved is read', async () => {
  const { read, store, other } = openCounted()
  await reserve(store, ['a'])
  await reserve(other, ['b'])
  expect((await statesOf(store, 'a', 'b', 'c')).sort()).toEqual(['a RESERVED', 'b RESERVED'])
  expect(read).toEqual(['b', 'c'])
})

test('A transfer that another process ended is seen as reserved until a move finds it', async () => {
  const { store, other } = openCounted()
  await reserve(store, ['a'])
  await other.move([abort('a')], now, () => [])
  expect(await statesOf(store, 'a')).toEqual(['a RESERVED'])
  const { unmoved } = await store.move([abort('a')], now, () => [])
  expect(unmoved.get('a')?.state).toBe('ABORTED')
  expect(await statesOf(store, 'a')).toEqual(['a ABORTED'])
})

test('Only the latest reservations are cached, up to a bound', async () => {
  const { read, store } = openCounted()
  const ids = Array.from({ length: 10_001 }, (_, at) => `transfer ${at}`)
  await reserve(store, ids)
  await store.lastSeen(ids)
  expect(read).toEqual(['transfer 0'])
})
