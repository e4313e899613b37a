import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { eventually } from '@causeway/process/testing'
import { idempotencyKeysService } from '@causeway/protos'
import { afterEach, describe, expect, test } from '@jest/globals'
import { claimKeys } from './store.ts'
import {
  notificationFor,
  notify,
  openSink,
  openWorld,
  type Sink,
  type NotificationsWorld,
} from './testing/world.ts'

let world: NotificationsWorld | undefined
let sink: Sink | undefined

afterEach(async () => {
  await world?.stop()
  await sink?.close()
  world = undefined
  sink = undefined
})

const refusal = { errorCode: '3106', errorDescription: 'Modified request' }

function keyed(content: string, key: string, url: string, entityId: string = randomUUID()) {
  return {
    url,
    method: 'POST',
    body: content,
    entityId,
    idempotency: { key, content, refusal },
  } as const
}

describe('Notifications with an idempotency key', () => {
  test('A key admits only its first content; other content fails with the given refusal', async () => {
    sink = await openSink(() => 202)
    world = await openWorld()
    const { publish, reports } = world
    const key = `requests/${randomUUID()}`
    const messages = ['one', 'two', 'one', 'three'].map((content) =>
      notify(keyed(content, key, sink?.url ?? '', 'of one entity')),
    )
    await publish(...messages)
    await eventually(() => reports.length === 4 || undefined, 'all reports')
    expect(sink.received.map(({ body }) => body.toString())).toEqual(['one', 'one'])
    const statusOf = new Map(reports.map((report) => [report.notificationId, report]))
    expect(messages.map(({ id }) => statusOf.get(id)?.status)).toEqual([
      'SUCCESS',
      'FAILED',
      'SUCCESS',
      'FAILED',
    ])
    expect(statusOf.get(messages[1]?.id ?? '')).toMatchObject({
      attempts: 0,
      lastError: 'its idempotency key was used with other content',
      errorInformation: refusal,
    })
  })

  test('A notification does not delay one with another key', async () => {
    sink = await openSink(() => 202)
    world = await openWorld()
    const { publish, reports } = world
    const { url } = sink
    const messages = Array.from({ length: 30 }, (_, at) =>
      notify(keyed(`content ${at}`, `requests/${randomUUID()}`, url)),
    )
    await publish(...messages)
    await eventually(() => reports.length === 30 || undefined, 'all reports')
    expect(reports.every(({ status }) => status === 'SUCCESS')).toBe(true)
    expect(sink.received).toHaveLength(30)
  })

  test('A notification keeps its key across a crash before it was sent, and is then sent once', async () => {
    sink = await openSink(() => 202)
    const first = await openWorld()
    const key = `requests/${randomUUID()}`
    const keyedRequest = keyed('mine', key, sink.url)
    const id = randomUUID()
    const db = await first.parts.openDatabase({
      url: '',
      ...schemaOf('notifications'),
      connections_max: 1,
    })
    expect(await claimKeys(db, [notificationFor({ ...keyedRequest, id })])).toEqual(new Set())
    const parts = await first.parts.restart()
    await first.service.stop().catch(() => undefined)
    world = await openWorld({}, parts)
    const { publish, reports } = world
    const other = notify(keyed('other', key, sink.url))
    await publish(other, notify({ ...keyedRequest, id }))
    await eventually(() => reports.length === 2 || undefined, 'both reports')
    expect(sink.received.map(({ body }) => body.toString())).toEqual(['mine'])
    await publish(notify({ ...keyedRequest, id }), notify(keyed('last', randomUUID(), sink.url)))
    await eventually(() => reports.length === 3 || undefined, 'the message after the redelivery')
    expect(sink.received.map(({ body }) => body.toString())).toEqual(['mine', 'last'])
  })

  test('The content of a key can be read when its first notification was sent', async () => {
    const key = `requests/${randomUUID()}`
    const reading: Promise<readonly string[]>[] = []
    sink = await openSink(() => {
      reading.push(contentsOf([key, 'requests/of-no-notification']))
      return 202
    })
    world = await openWorld()
    const { publish, reports } = world
    await publish(notify(keyed('one', key, sink.url)))
    await publish(notify(keyed('two', key, sink.url)))
    await eventually(() => reports.length === 2 || undefined, 'both reports')
    expect(await Promise.all(reading)).toEqual([['one', '']])
    expect(await contentsOf([])).toEqual([])
  })
})

async function contentsOf(keys: readonly string[]): Promise<readonly string[]> {
  if (world === undefined) throw new Error('the world is not open')
  const { GetIdempotencyContents } = world.parts.grpc.client(
    idempotencyKeysService,
    'notifications',
  )
  return (await GetIdempotencyContents({ keys: [...keys] })).contents
}
