import { onEvents, type DomainEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld
let isBroken = true
const processed: string[] = []
const audited: DomainEvent<'/audit-log-write'>['payload'][] = []

beforeAll(async () => {
  admin = await openWorld([])
  const { bus } = admin.parts
  await onEvents(bus, 'audit', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await bus.subscribe({
    group: 'transfers.bulks',
    topics: ['orders'],
    types: new Set(['Ordered']),
    read: (_type, json) => json,
    handleBatch(messages) {
      if (isBroken) return Promise.reject(new Error('no such member'))
      processed.push(...messages.map(({ id }) => id))
      return Promise.resolve()
    },
  })
})

afterAll(() => admin.stop())

async function listed() {
  const { json } = await admin.call('GET', '/event-dead-letters')
  return json as { deadLetters: { id: string }[]; unavailable: string[] }
}

/** An event that its group cannot process. */
async function failed(id: string): Promise<void> {
  isBroken = true
  const rest = {
    topic: 'orders',
    key: 'MSISDN/12025550101',
    type: 'Ordered',
    source: 'shop',
    payload: {},
  }
  await admin.parts.bus.publish([{ id, ...rest, headers: {} }])
  await eventually(async () => (await listed()).deadLetters.some((each) => each.id === id), id)
}

test('An event that a service could not process is listed with its group and its reason, and without the identifier of a person', async () => {
  await failed('one')
  expect(await listed()).toEqual({
    deadLetters: [
      {
        group: 'transfers.bulks',
        id: 'one',
        topic: 'orders',
        key: 'MSISDN/•••••0101',
        type: 'Ordered',
        reason: expect.stringContaining('no such member'),
        failedAt: expect.any(String),
      },
    ],
    unavailable: [],
  })
  expect((await admin.call('GET', '/event-dead-letters?limit=0')).status).toBe(400)
})

test.each([
  ['replay', 'REPLAYED', 'ReplayEventDeadLetter'],
  ['discard', 'DISCARDED', 'DiscardEventDeadLetter'],
])(
  'An operator may %s an event, which is on record with group and id',
  async (decision, outcome, action) => {
    await failed(decision)
    isBroken = false
    const name = { group: 'transfers.bulks', id: decision }
    const answer = await admin.call('POST', `/event-dead-letters/${decision}`, name)
    expect([answer.status, answer.json]).toEqual([202, { ...name, outcome }])
    const isListed = async () => (await listed()).deadLetters.some(({ id }) => id === decision)
    await eventually(async () => !(await isListed()), 'its removal')
    expect(processed.includes(decision)).toBe(decision === 'replay')
    const entry = await eventually(
      () => audited.find((each) => each.actionType === action),
      'entry',
    )
    expect(entry).toMatchObject({
      sourceBcName: 'admin',
      subject: 'event-dead-letters/transfers.bulks',
      before: name,
    })
  },
)

test('A dead letter that no group has is unknown, whatever the name of the group', async () => {
  for (const group of ['transfers', 'unknown']) {
    for (const decision of ['replay', 'discard']) {
      const path = `/event-dead-letters/${decision}`
      const answer = await admin.call('POST', path, { group, id: 'none' })
      expect([answer.status, refusalOf(answer)]).toEqual([404, '404 3200'])
    }
  }
})
