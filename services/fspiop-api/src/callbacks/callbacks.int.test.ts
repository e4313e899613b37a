import { createHash, randomUUID } from 'node:crypto'
import type { Message } from '@causeway/bus'
import { derivedId, newEvent, type Payload } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { headersOf, transferBody } from '../testing/messages.ts'
import { openWorld, participant, send, type EdgeWorld } from '../testing/world.ts'

let world: EdgeWorld
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  world.received.length = 0
})

function received(...types: readonly string[]): Message[] {
  return world.received.filter(({ type }) => types.includes(type))
}

function expectReceived(count: number, ...types: readonly string[]): Promise<Message[]> {
  return eventually(() => {
    const found = received(...types)
    return found.length >= count ? found : undefined
  }, `${count} of ${types.join()}`)
}

function notifyOf(message: Message | undefined): Payload<'NotifyRequested'> {
  return message?.payload as Payload<'NotifyRequested'>
}

function sha256(bytes: string | Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
}

const errorInformation = { errorCode: '3303', errorDescription: 'Transfer expired' }

function timedOut(transferId: string, payeeFsp = 'bluewallet') {
  return newEvent('transfers', 'TransferFulfilComitRequestTimedout', {
    transferId,
    payerFsp: 'greenbank',
    payeeFsp,
    payerVersion: '1.0',
    errorInformation,
  })
}

test("The payer FSP's bytes and headers reach the payee FSP's lane unchanged", async () => {
  const body = transferBody({ note: 'ünïcode' }).replace('{', '{ \n')
  const { transferId } = JSON.parse(body) as { transferId: string }
  const headers = headersOf('POST', 'greenbank', { 'fspiop-signature': 'junk', 'x-own': 'z' })
  await send(world.edge.url, { method: 'POST', path: '/transfers', headers, body })
  const [asked] = await expectReceived(1, 'TransferPrepareRequested')
  const relay = {
    body: asked?.headers['relay-body'] as Buffer,
    headers: asked?.headers['relay-headers'] as Buffer,
  }
  const prepared = newEvent(
    'transfers',
    'TransferPrepared',
    {
      transferId,
      payerFsp: 'greenbank',
      payeeFsp: 'bluewallet',
      amount: { currency: 'USD', amount: '99' },
      expiration: '2030-01-01T00:00:00.000Z',
      condition: 'c',
      settlementModelId: 1,
      preparedAt: new Date().toISOString(),
      payerPosition: {
        participantId: 'greenbank',
        accountId: 3,
        currency: 'USD',
        value: '99',
        reservedValue: '99',
        changedAt: new Date().toISOString(),
      },
    },
    { relay },
  )
  await world.parts.bus.publish([prepared])
  const [message] = await expectReceived(1, 'NotifyRequested')
  const notificationId = derivedId(prepared.id, 'NotifyRequested', 'PAYEE POST')
  expect(message?.id).toBe(notificationId)
  expect(notifyOf(message)).toEqual({
    notificationId,
    entityId: transferId,
    cause: { msgName: 'TransferPrepared', entityId: transferId },
    legRole: 'PAYEE',
    destinationFspId: 'bluewallet',
    transport: {
      type: 'HTTP',
      method: 'POST',
      url: 'http://bluewallet.example/transfers',
      path: '/transfers',
    },
    headers: {},
    deadline: '2030-01-01T00:00:00.000Z',
    reportRequired: true,
  })
  expect(sha256(message?.headers['relay-body'])).toBe(sha256(body))
  expect(JSON.parse(String(message?.headers['relay-headers']))).toEqual({
    ...headers,
    'fspiop-destination': 'bluewallet',
  })
})

test('A message of the hub has exactly its headers, and is tried for a day', async () => {
  const transferId = randomUUID()
  const before_ms = Date.now()
  await world.parts.bus.publish([timedOut(transferId)])
  const messages = await expectReceived(2, 'NotifyRequested')
  const toPayer = messages.map(notifyOf).find(({ legRole }) => legRole === 'PAYER')
  expect(toPayer?.transport).toEqual({
    type: 'HTTP',
    method: 'PUT',
    url: `http://greenbank.example/transfers/${transferId}/error`,
    path: `/transfers/${transferId}/error`,
  })
  expect(toPayer?.headers).toEqual({
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.0',
    date: expect.stringMatching(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/),
    'fspiop-source': 'Hub',
    'fspiop-destination': 'greenbank',
    'fspiop-http-method': 'PUT',
    'fspiop-uri': `/transfers/${transferId}/error`,
  })
  const date_ms = Date.parse(toPayer?.headers['date'] ?? '')
  expect(Math.abs(date_ms - Date.now())).toBeLessThan(3_000)
  const day_ms = 86_400_000
  expect(Date.parse(toPayer?.deadline ?? '')).toBeGreaterThanOrEqual(before_ms + day_ms)
  const bodies = messages.map(({ headers }) => String(headers['relay-body']))
  expect(bodies).toEqual([
    JSON.stringify({ errorInformation }),
    JSON.stringify({ errorInformation }),
  ])
  expect(messages.every(({ headers }) => headers['relay-headers'] === undefined)).toBe(true)
})

test('PATCH is sent to the address of PUT', async () => {
  const transferId = randomUUID()
  await world.parts.bus.publish([
    newEvent('transfers', 'TransferQueryResponse', {
      transferId,
      requesterFspId: 'bluewallet',
      legRole: 'PAYEE',
      version: '1.1',
      notices: ['PATCH'],
      transferState: 'COMMITTED',
      completedTimestamp: '2026-11-21T10:00:00.000Z',
    }),
  ])
  const [message] = await expectReceived(1, 'NotifyRequested')
  expect(notifyOf(message)).toMatchObject({
    transport: {
      method: 'PATCH',
      url: `http://bluewallet.example/transfers/${transferId}`,
    },
    headers: { 'fspiop-http-method': 'PATCH', 'fspiop-uri': `/transfers/${transferId}` },
  })
})

describe('Callbacks without an address', () => {
  test('A callback without an address is not sent, and is reported at once', async () => {
    const transferId = randomUUID()
    const event = timedOut(transferId, 'nobody')
    await world.parts.bus.publish([event])
    const [report] = await expectReceived(1, 'TransferFulfilCommitRequestTimedoutCallbackReport')
    expect(report?.payload).toEqual({
      reports: [
        {
          notificationId: derivedId(event.id, 'NotifyRequested', 'PAYEE PUT error'),
          entityId: transferId,
          legRole: 'PAYEE',
          destinationFspId: 'nobody',
          status: 'FAILED',
          attempts: 0,
          duration_ms: 0,
          lastError: 'no endpoint',
          errorInformation: expect.objectContaining({ errorCode: '3201' }),
          reportedAt: expect.any(String),
        },
      ],
    })
    const messages = await expectReceived(1, 'NotifyRequested')
    expect(messages.map((message) => notifyOf(message).legRole)).toEqual(['PAYER'])
  })

  test('An FSP without a cached address is read again before its callback fails', async () => {
    const { register, parts } = world
    register.participants.set('latecomer', participant('latecomer', { endpoints: [] }))
    await parts.bus.publish([timedOut(randomUUID(), 'latecomer')])
    await expectReceived(1, 'TransferFulfilCommitRequestTimedoutCallbackReport')
    register.participants.set('latecomer', participant('latecomer'))
    world.received.length = 0
    await parts.bus.publish([timedOut(randomUUID(), 'latecomer')])
    await expectReceived(2, 'NotifyRequested')
  })
})

test('Delivery reports become reports of callbacks, one per kind', async () => {
  const line = (msgName: string) => ({
    notificationId: randomUUID(),
    cause: { msgName, entityId: randomUUID() },
    legRole: 'PAYER' as const,
    destinationFspId: 'greenbank',
    status: 'SUCCESS' as const,
    httpStatus: 200,
    attempts: 1,
    duration_ms: 3,
    reportedAt: new Date().toISOString(),
  })
  const reports = [
    line('TransferPrepared'),
    line('TransferPrepared'),
    line('TransferQueryResponse'),
  ]
  await world.parts.bus.publish([newEvent('notifications', 'NotifyReport', { reports })])
  await expectReceived(1, 'TransferQueryResponseCallbackReport')
  const [prepared] = received('TransferPrepareCallbackReport')
  expect(
    (prepared?.payload as Payload<'TransferPrepareCallbackReport'> | undefined)?.reports,
  ).toEqual(
    reports.slice(0, 2).map(({ cause, ...report }) => ({ ...report, entityId: cause.entityId })),
  )
})

test('Callbacks wait while no participant can be read', async () => {
  const early = await openWorld({}, { isServed: false })
  try {
    await early.parts.bus.publish([timedOut(randomUUID())])
    const answer = await send(early.edge.url, {
      method: 'POST',
      path: '/transfers',
      headers: headersOf('POST', 'greenbank'),
      body: transferBody(),
    })
    expect([answer.status, answer.error?.errorCode]).toEqual([503, '2003'])
    early.serve()
    await eventually(
      () =>
        early.received.filter(({ type }) => type === 'NotifyRequested').length === 2 || undefined,
      'both callbacks',
    )
    expect(await early.parts.bus.deadLetters(1)).toEqual([])
  } finally {
    await early.stop()
  }
})
