/** Messages about bulks are bounded by the work that they cause, at the port and while it is not done. */
import { randomUUID } from 'node:crypto'
import { bulkTransfersService } from '@causeway/protos'
import { eventually } from '@causeway/process/testing'
import { afterEach, expect, test } from '@jest/globals'
import type { FspiopApiSettings } from '../settings.ts'
import { bulkTransferAnswer, bulkTransferRequest } from '../testing/bulk-messages.ts'
import { message, withMembers, type TestMessage } from '../testing/messages.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

let world: EdgeWorld
/** Up to where transfers has processed what it got; of each large answer whether it knows the bulk. */
const transfers = { processedUntil: new Date(0), knows: true }
const announced: string[] = []

async function openWith(settings: Partial<FspiopApiSettings>): Promise<void> {
  world = await openWorld(settings)
  world.parts.grpc.serve(bulkTransfersService, {
    GetBulkProgress: () =>
      Promise.resolve({ processedUntil: transfers.processedUntil.toISOString() }),
    AwaitBulkAnswer({ bulkTransferId, receivedAt }) {
      announced.push(bulkTransferId)
      const until = new Date(Date.parse(receivedAt) + 60_000).toISOString()
      return Promise.resolve(
        transfers.knows ? { outcome: 'AWAITED', until } : { outcome: 'UNKNOWN' },
      )
    },
  })
}

afterEach(() => world.stop())

const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
const query = () => message('GET', `/bulkTransfers/${randomUUID()}`)
const answer = (items: number) =>
  message('PUT', `/bulkTransfers/${randomUUID()}`, bulkTransferAnswer(items))

test('A query of a bulk counts as the largest bulk, a bulk and the answer to one by their size', async () => {
  await openWith({ FSPIOP_API_RATE_PER_FSP_MAX: 1, FSPIOP_API_BURST_PER_FSP_MAX: 150 })
  expect([await ask(query()), await ask(query())]).toEqual(['202', '503 2005'])
  // About 260 bytes for an item.
  const bulk = withMembers(message('POST', '/bulkTransfers', bulkTransferRequest(1_000)), {
    bulkTransferId: randomUUID(),
  })
  expect([await ask(bulk), await ask(bulk)]).toEqual(['202', '503 2005'])
  // Answers have a rate of their own: 130 KB count as 16 requests.
  const answers = []
  for (let at = 0; at < 12; at += 1) answers.push(await ask(answer(1_200 - 200)))
  expect(answers.filter((outcome) => outcome === '200').length).toBeLessThan(12)
  expect(answers[0]).toBe('200')
  expect(answers.at(-1)).toBe('503 2005')
})

test('An FSP has a bounded number of messages about bulks that are not processed, and its answers apart', async () => {
  await openWith({ FSPIOP_API_BULK_BACKLOG_PER_FSP_MAX: 200 })
  transfers.processedUntil = new Date(0)
  expect([await ask(query()), await ask(query()), await ask(query())]).toEqual([
    '202',
    '202',
    '503 2005',
  ])
  expect(await ask(answer(1))).toBe('200')
  transfers.processedUntil = new Date(Date.now() + 60_000)
  await eventually(async () => ((await ask(query())) === '202' ? true : undefined), 'room again')
})

test('A large answer about a bulk that transfers does not know is refused, and nothing is stored', async () => {
  await openWith({})
  transfers.knows = true
  const known = answer(1_000)
  expect(await ask(known)).toBe('200')
  expect(announced.at(-1)).toBe(known.path.split('/').at(-1))
  transfers.knows = false
  expect(await ask(answer(1_000))).toBe('400 3210')
  const before = announced.length
  expect(await ask(answer(1))).toBe('200')
  expect(announced).toHaveLength(before)
})
