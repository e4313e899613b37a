/** Settlement windows: each posted transfer is in exactly one, and a closed one never changes. */
import {
  differencesIn,
  fulfil,
  fulfilItem,
  onboard,
  openHubAccounts,
  openWorld,
  prepare,
  prepareItem,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, afterEach, beforeAll, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld
let windowId: number

beforeAll(async () => {
  hub = await openWorld()
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank', '100000', '100000')
  await onboard(hub, 'bluewallet', '100000', '100000')
})

afterAll(() => hub.stop())

beforeEach(async () => {
  const [row] = await hub.sql<{ window_id: number }>(`select window_id from current_window`)
  windowId = row?.window_id ?? 0
})

afterEach(async () => {
  expect(await differencesIn(hub)).toEqual([])
})

function rotate(requestId: string, from = windowId, to = from + 1) {
  const rotation = { requestId, windowId: from, nextWindowId: to }
  return hub.ledger.RotateSettlementWindow(rotation, { deadline_ms: 20_000 })
}

/** The participant by its name and its number. */
async function numberOf(participantId: string) {
  const { participants } = await hub.participants.GetParticipantInfo({ names: [participantId] })
  return { participantId, participantNumber: participants[0]?.id ?? 0 }
}

async function pay(amount: string, changes: Parameters<typeof prepareItem>[0] = {}) {
  const item = prepareItem({ amount, ...changes })
  await prepare(hub, item)
  const [posted] = await fulfil(hub, fulfilItem(item.transferId))
  return posted
}

test('A window without posted transfers is empty and stays open', async () => {
  await prepare(hub, prepareItem())
  const requestId = randomUUID()
  expect(await rotate(requestId)).toEqual({ outcome: 'EMPTY', nets: [] })
  expect((await pay('5'))?.windowId).toBe(windowId)
  expect((await rotate(requestId)).outcome).toBe('ROTATED')
})

test('Closing a window returns its nets per model and account, and again for the same request', async () => {
  await pay('10')
  await pay('4', { payerFsp: 'bluewallet', payeeFsp: 'greenbank' })
  await pay('7', { settlementModelId: 3, settles: 'GROSS_DEFERRED' })
  await pay('9', { settlementModelId: 2, settles: 'GROSS_IMMEDIATE' })
  const requestId = randomUUID()
  const rotated = await rotate(requestId)
  const nets = rotated.nets.map((net) => ({ ...net, accountId: 0 }))
  const usd = { accountId: 0, currency: 'USD' }
  const [green, blue] = await Promise.all(['greenbank', 'bluewallet'].map(numberOf))
  expect(rotated.outcome).toBe('ROTATED')
  expect(nets).toEqual([
    { ...usd, settlementModelId: 1, ...green, net: '6', transfersCount: '2' },
    { ...usd, settlementModelId: 1, ...blue, net: '-6', transfersCount: '2' },
    { ...usd, settlementModelId: 3, ...green, net: '7', transfersCount: '1' },
    { ...usd, settlementModelId: 3, ...blue, net: '-7', transfersCount: '1' },
  ])
  await pay('1')
  expect(await rotate(requestId)).toEqual(rotated)
})

test('Only the current window can be closed, and only by one request', async () => {
  await pay('1')
  const requestId = randomUUID()
  expect((await rotate(randomUUID(), windowId + 1)).outcome).toBe('NOT_CURRENT')
  expect((await rotate(randomUUID(), windowId, windowId)).outcome).toBe('NOT_CURRENT')
  const both = await Promise.all([rotate(requestId), rotate(randomUUID())])
  expect(both.map(({ outcome }) => outcome)).toEqual(['ROTATED', 'NOT_CURRENT'])
  expect((await rotate(requestId, windowId, windowId + 5)).outcome).toBe('NOT_CURRENT')
})

test('Another request for a closed window gets the result of its closing', async () => {
  await pay('3')
  const first = await rotate(randomUUID(), windowId, windowId + 2)
  expect(first).toMatchObject({ outcome: 'ROTATED', nextWindowId: windowId + 2 })
  expect(await rotate(randomUUID(), windowId)).toEqual({ ...first, outcome: 'NOT_CURRENT' })
  const other = await rotate(randomUUID(), windowId + 1)
  expect(other).toEqual({ outcome: 'NOT_CURRENT', nets: [] })
})

test('Windows closed while transfers are posted contain each of them exactly once', async () => {
  const items = Array.from({ length: 400 }, () => prepareItem())
  await prepare(hub, ...items)
  const windows = new Map<number, number>()
  let current = windowId
  const posting = Promise.all(
    items.map(async ({ transferId }) => {
      const [posted] = await fulfil(hub, fulfilItem(transferId))
      const stamped = posted?.windowId ?? 0
      windows.set(stamped, (windows.get(stamped) ?? 0) + 1)
    }),
  )
  const counts = new Map<number, number>()
  for (let round = 0; round < 10; round++) {
    const { outcome, nets } = await rotate(randomUUID(), current)
    if (outcome !== 'ROTATED') continue
    const payer = nets.find(({ participantId }) => participantId === 'greenbank')
    counts.set(current, Number(payer?.transfersCount))
    current++
  }
  await posting
  const [last] = (await rotate(randomUUID(), current)).nets
  if (last !== undefined) counts.set(current, Number(last.transfersCount))
  expect(counts).toEqual(new Map([...windows].sort(([one], [other]) => one - other)))
})
