/** An FSP that moves: what waits for it, and what is sent to it again, goes where it is now. */
import { newEvent } from '@causeway/events'
import { notificationsService } from '@causeway/protos'
import { eventually } from '@causeway/runtime/testing'
import { afterEach, expect, test } from '@jest/globals'
import { countByFsp } from './dead-letters-store.ts'
import { notify, openSink, openStand, openStore, type Sink, type Stand } from './testing.ts'

const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function sinkThat(answers: Sink['answers']): Promise<Sink> {
  const sink = await openSink(answers)
  ends.push(() => sink.close())
  return sink
}

async function stands(...how: Parameters<typeof openStand>): Promise<Stand> {
  const stand = await openStand(...how)
  ends.push(() => stand.stop())
  return stand
}

function moves(fspId: string, url: string, version: number) {
  return newEvent('participant-lifecycle', 'ParticipantEndpointsUpdated', {
    participantId: fspId,
    endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: url }],
    version,
    changedAt: new Date().toISOString(),
  })
}

const path = '/transfers/1'
const address = {
  operation: 'PUT /transfers/{ID}',
  path,
  variables: { ID: '1', id: '1', transferId: '1' },
}

function outcomeTo(sink: Sink, deadline_ms = 60_000) {
  return notify({ url: `${sink.url}${path}`, address, deadline_ms })
}

test('a parked callback goes to the new address of its FSP, at once', async () => {
  const old = await sinkThat(() => 503)
  const current = await sinkThat(() => 200)
  // No further attempt is due before the test is over unless the move makes it so.
  const { publish, reports, parts } = await stands({
    NOTIFICATIONS_RETRY_FIRST_MS: 3_000_000,
    NOTIFICATIONS_RETRY_MAX_MS: 3_000_000,
  })
  await publish(outcomeTo(old), outcomeTo(old))
  const db = await openStore(parts)
  await eventually(async () => {
    const [parked] = await countByFsp(db)
    return parked?.count === 2 ? true : undefined
  }, 'both parked')
  await publish(moves('bluewallet', current.url, 2))
  await eventually(() => (reports.length === 2 ? true : undefined), 'the reports')
  expect(reports.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
  expect(current.received.map((received) => received.path)).toEqual([path, path])
})

test('a dead letter that is sent again goes to the new address, after a restart too', async () => {
  const old = await sinkThat(() => 503)
  const current = await sinkThat(() => 200)
  const { publish, reports, parts } = await stands()
  const letter = outcomeTo(old, 100)
  await publish(letter)
  await eventually(() => (reports.length === 1 ? true : undefined), 'the dead letter')
  await publish(moves('bluewallet', current.url, 3), moves('bluewallet', old.url, 2))
  const waiting = notify({ url: `${old.url}${path}`, address, deadline_ms: 60_000 })
  await publish(waiting)
  await eventually(() => (reports.length === 2 ? true : undefined), 'one that was parked after it')
  const operator = parts.grpc.client(notificationsService, 'notifications')
  await operator.ResendDeadLetters({ ids: [letter.id] })
  await eventually(() => (reports.length === 3 ? true : undefined), 'the letter')
  expect(reports.map(({ status }) => status)).toEqual(['FAILED', 'SUCCESS', 'SUCCESS'])
  expect(current.received).toHaveLength(2)
})

test('the move of one FSP leaves the callbacks of others, and those without parts, where they go', async () => {
  let isWell = false
  const here = await sinkThat(() => (isWell ? 200 : 503))
  const elsewhere = await sinkThat(() => 200)
  const { publish, reports } = await stands()
  const ofOther = notify({ url: here.url, fspId: 'greenbank', address })
  await publish(ofOther, notify({ url: here.url }))
  await eventually(() => (here.received.length > 2 ? true : undefined), 'attempts in vain')
  await publish(moves('bluewallet', elsewhere.url, 2))
  isWell = true
  await eventually(() => (reports.length === 2 ? true : undefined), 'the reports')
  expect(elsewhere.received).toEqual([])
})
