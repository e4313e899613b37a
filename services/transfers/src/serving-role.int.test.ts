/** Where another role owns the tables, the ledger, settlements and transfers pay with roles that change none. */
import { randomUUID } from 'node:crypto'
import { newEvent } from '@causeway/events'
import { start as startLedger, settings as ledgerSettings } from '@causeway/participant-lifecycle'
import type { Service } from '@causeway/process'
import { defaultsOf, eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start as startSettlements, settings as settlementsSettings } from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings } from './settings.ts'
import { fulfilEvent, prepareEvent, relayOf } from './testing/messages.ts'
import { onboard, outcomeOf } from './testing/scheme.ts'

let parts: TestParts
let services: Service[]
let settlementModelId: number

beforeAll(async () => {
  parts = await openTestParts({ ownersApart: true })
  services = [
    await startLedger(defaultsOf(ledgerSettings), parts),
    await startSettlements(defaultsOf(settlementsSettings), parts),
    await start(defaultsOf(settings), parts),
  ]
  settlementModelId = await onboard(parts.grpc)
})

afterAll(async () => {
  for (const service of services.toReversed()) await service.stop()
  await parts.stop()
})

test('A transfer is reserved and paid', async () => {
  const now_ms = Date.now()
  const id = randomUUID()
  const relay = relayOf('{}')
  const { name, payload } = prepareEvent(id, {
    expiration: new Date(now_ms + 60_000).toISOString(),
    receivedAt: new Date(now_ms).toISOString(),
    settlementModelId,
    payerAccountId: undefined,
    payeeAccountId: undefined,
  })
  await parts.bus.publish([newEvent('settlements', name, payload, { relay })])
  const becomes = (outcome: string) =>
    eventually(async () => (await outcomeOf(parts.grpc, id)) === outcome, outcome)
  await becomes('RESERVED')
  const fulfil = fulfilEvent(id, { receivedAt: new Date().toISOString() })
  await parts.bus.publish([newEvent('fspiop-api', fulfil.name, fulfil.payload, { relay })])
  await becomes('POSTED')
  expect(await parts.bus.deadLetters(10)).toEqual([])
})
