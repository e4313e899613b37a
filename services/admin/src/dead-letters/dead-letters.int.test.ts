import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as authService from '@causeway/auth-service'
import { newEvent, type Payload } from '@causeway/events'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openAdminOfFsps, time, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'

const services = [participantLifecycle, authService, settlements, notifications] as const

let admin: AdminWorld
let fsp: Server
let url: string
let status: number
const received: string[] = []

beforeAll(async () => {
  admin = await openAdminOfFsps(services)
  fsp = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`)
    request.resume()
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => fsp.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(fsp.address() as AddressInfo).port}`
})

afterAll(async () => {
  await admin.stop()
  fsp.closeAllConnections()
  await new Promise((resolve) => fsp.close(resolve))
})

/** A request that its FSP refuses permanently, and so a dead letter of that FSP. */
async function givenUp(fspId: string, deadline_ms = 60_000): Promise<string> {
  const notificationId = randomUUID()
  const payload: Payload<'NotifyRequested'> = {
    notificationId,
    entityId: notificationId,
    cause: { msgName: 'TransferPrepared', entityId: notificationId },
    legRole: 'PAYEE',
    destinationFspId: fspId,
    transport: { type: 'HTTP', method: 'POST', url: `${url}/transfers` },
    headers: { 'content-type': 'text/plain' },
    deadline: new Date(Date.now() + deadline_ms).toISOString(),
    reportRequired: true,
  }
  status = 404
  const relay = { body: Buffer.from('{}') }
  await admin.parts.bus.publish([
    newEvent('fspiop-api', 'NotifyRequested', payload, { id: notificationId, relay }),
  ])
  await eventually(async () => (await idsOf(fspId)).includes(notificationId), 'the dead letter')
  return notificationId
}

async function idsOf(fspId: string): Promise<readonly string[]> {
  const { json } = await admin.call('GET', `/dead-letters?fspId=${fspId}`)
  return (json as readonly { readonly notificationId: string }[]).map(
    ({ notificationId }) => notificationId,
  )
}

test('Dead letters are listed by FSP or all, newest first', async () => {
  const older = await givenUp('listed')
  const newer = await givenUp('listed')
  const other = await givenUp('other')
  expect(await idsOf('listed')).toEqual([newer, older])
  const { status: answer, json } = await admin.call('GET', '/dead-letters?limit=2')
  expect(answer).toBe(200)
  expect(json).toMatchObject([{ notificationId: other }, { notificationId: newer }])
  expect((json as readonly object[])[0]).toEqual({
    notificationId: other,
    fspId: 'other',
    entityId: other,
    role: 'PAYEE',
    cause: 'TransferPrepared',
    method: 'POST',
    url: `${url}/transfers`,
    attempts: 1,
    httpStatus: 404,
    lastError: 'answered 404',
    takenAt: expect.stringMatching(time),
  })
})

test('A dead letter that is sent again and delivered is removed from the list', async () => {
  const id = await givenUp('resent')
  status = 202
  const before = received.length
  const answer = await admin.call('POST', `/dead-letters/${id}/resend`)
  expect([answer.status, answer.json]).toEqual([202, { notificationId: id, outcome: 'RESENT' }])
  await eventually(() => received.length > before, 'it arrives')
  await eventually(async () => (await idsOf('resent')).length === 0, 'it is gone')
  expect(refusalOf(await admin.call('POST', `/dead-letters/${id}/resend`))).toBe('404 3200')
})

test('Several dead letters are sent again, each with its own result', async () => {
  const [one, two] = [await givenUp('many'), await givenUp('many')]
  const unknown = randomUUID()
  status = 202
  const answer = await admin.call('POST', '/dead-letters/resend', {
    notificationIds: [one, unknown, two],
  })
  expect([answer.status, answer.json]).toEqual([
    202,
    [
      { notificationId: one, outcome: 'RESENT' },
      { notificationId: unknown, outcome: 'UNKNOWN' },
      { notificationId: two, outcome: 'RESENT' },
    ],
  ])
  await eventually(async () => (await idsOf('many')).length === 0, 'both are delivered')
})

test('A request whose own deadline has passed stays a dead letter', async () => {
  const deadline_ms = 1_000
  const id = await givenUp('late', deadline_ms)
  const resent = await eventually(async () => {
    const answer = await admin.call('POST', `/dead-letters/${id}/resend`)
    return answer.status === 400 ? answer : undefined
  }, 'the deadline passes')
  expect(refusalOf(resent)).toBe('400 3300')
  expect(await idsOf('late')).toEqual([id])
})

test('Dead letters are shown as missing in the readiness of the FSP', async () => {
  await admin.call('POST', '/participants', { name: 'deadbank', currency: 'USD' })
  await givenUp('deadbank')
  const { json } = await admin.call('GET', '/participants/deadbank/readiness')
  const { items } = json as { readonly items: readonly object[] }
  expect(items).toContainEqual({
    item: 'deliveries',
    ok: false,
    text: expect.stringContaining('GET /dead-letters?fspId=deadbank'),
  })
})

describe('refused is', () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID())

  test.each([
    ['a list of none', 'GET', '?limit=0', undefined, '400 3100'],
    ['a list of too many', 'GET', '?limit=1001', undefined, '400 3100'],
    ['a list of a word', 'GET', '?limit=all', undefined, '400 3100'],
    ['a list of no FSP', 'GET', '?fspId=', undefined, '400 3100'],
    ['a list of an FSP with a NUL', 'GET', '?fspId=a%00b', undefined, '400 3101'],
    ['sending nothing', 'POST', '/resend', undefined, '400 3102'],
    ['sending without ids', 'POST', '/resend', {}, '400 3102'],
    ['sending no ids', 'POST', '/resend', { notificationIds: [] }, '400 3100'],
    ['sending too many', 'POST', '/resend', { notificationIds: ids(1_001) }, '400 3103'],
    ['sending what is no id', 'POST', '/resend', { notificationIds: ['x'] }, '400 3101'],
    ['sending one that is no id', 'POST', '/x/resend', undefined, '400 3101'],
    ['sending an unknown one', 'POST', `/${randomUUID()}/resend`, undefined, '404 3200'],
    ['deleting', 'DELETE', '', undefined, '405 3000'],
  ])('The request %s is refused', async (_, method, where, body, expected) => {
    expect(refusalOf(await admin.call(method, `/dead-letters${where}`, body))).toBe(expected)
  })
})
