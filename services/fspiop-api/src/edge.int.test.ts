import { createHash, randomUUID } from 'node:crypto'
import { openMetrics, Outage } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { start } from './service.ts'
import {
  errorInformation,
  id,
  mediaType,
  message,
  transferBody,
  transferFulfilment,
  withHeaders,
  type TestMessage,
} from './testing/messages.ts'
import { testSettings } from './testing/settings.ts'
import { openWorld, send, summary, type EdgeWorld } from './testing/world.ts'

const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const reject = message('PUT', `/transfers/${id}/error`, { errorInformation })
const query = message('GET', `/transfers/${id}`)

function prepare(body: string | Buffer = transferBody()): TestMessage {
  return { ...message('POST', '/transfers'), body }
}

let world: EdgeWorld
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

describe('Accepted messages', () => {
  async function published(sent: TestMessage, status: number) {
    const before = world.received.length
    const answer = await send(world.edge.url, sent)
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([
      status,
      '',
      '0',
    ])
    return { answer, event: await eventually(() => world.received[before], 'the event') }
  }

  test('An accepted message is stored before it is acknowledged, byte for byte', async () => {
    const transferId = randomUUID()
    const body = transferBody({ transferId, note: 'ünï¢ode 名' }).replace(',', ' ,\n')
    const sent = withHeaders(prepare(body), { accept: mediaType('1.0'), 'x-custom': 'kept' })
    const { answer, event } = await published(sent, 202)
    expect(answer.headers['content-type']).toBe(mediaType('1.0'))
    expect([event.type, event.key]).toEqual(['TransferPrepareRequested', transferId])
    expect(sha256(event.headers['relay-body'])).toBe(sha256(body))
    expect(JSON.parse(String(event.headers['relay-headers']))).toEqual(sent.headers)
  })

  test.each([
    ['PUT', fulfil, 200, 'TransferFulfilCommittedRequested'],
    ['PUT error', reject, 200, 'TransferRejectRequested'],
    ['GET', query, 202, 'TransferQueryReceived'],
    [
      'a relayed PUT',
      message('PUT', `/transactions/${id}`, { transactionState: 'COMPLETED' }),
      200,
      'NotifyRequested',
    ],
  ])('%s is accepted and stored as its event', async (_title, sent, status, type) => {
    const { event } = await published(sent, status)
    expect(event.type).toBe(type)
  })
})

describe('Refused messages', () => {
  test.each([
    ['an unknown path', { ...query, path: '/transfer' }, '404 3002', 'application/json'],
    ['an unknown method', { ...query, method: 'DELETE' }, '405 3000', mediaType()],
    ['an operation that is not served', { ...fulfil, method: 'PATCH' }, '501 2002', mediaType()],
    ['a fault of its headers', withHeaders(query, { date: 'x' }), '400 3101', mediaType()],
    [
      'a fault of its body, in the requested version',
      withHeaders(prepare('{}'), { accept: mediaType('1.0') }),
      '400 3102',
      mediaType('1.0'),
    ],
  ])(
    'A message refused for %s receives an error in the format of the API',
    async (_title, sent, outcome, type) => {
      const answer = await send(world.edge.url, sent)
      expect(summary(answer)).toBe(outcome)
      expect(answer.headers['content-type']).toBe(type)
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
      expect(answer.error?.errorDescription.length).toBeLessThanOrEqual(128)
    },
  )

  test('A 405 lists the allowed methods, a 406 the supported versions', async () => {
    const allowed = await send(world.edge.url, { ...query, method: 'DELETE' })
    expect(allowed.headers.allow).toBe('GET, PUT, PATCH')
    const sent = withHeaders(prepare(), { accept: mediaType('2') })
    const { status, error } = await send(world.edge.url, sent)
    expect([status, error]).toEqual([
      406,
      {
        errorCode: '3001',
        errorDescription:
          'Unacceptable version requested - The Client requested an unsupported version, see extension list for supported version(s).',
        extensionList: {
          extension: [
            { key: '1', value: '0' },
            { key: '1', value: '1' },
          ],
        },
      },
    ])
  })

  test('A refused message is not published, and neither are headers that other FSPs do not need', async () => {
    const before = world.received.length
    await send(world.edge.url, prepare('{}'))
    await send(world.edge.url, fulfil)
    await eventually(() => world.received[before], 'the good one')
    expect(world.received.slice(before).map(({ type }) => type)).toEqual([
      'TransferFulfilCommittedRequested',
    ])
  })
})

describe('Messages that cannot be stored', () => {
  /** A second edge, which stores its messages with `publish`. */
  async function withBus(
    publish: () => Promise<void>,
    work: (url: string) => Promise<void>,
  ): Promise<void> {
    const lowWatermark = () => Promise.resolve(new Date())
    const stop = () => Promise.resolve()
    const subscribe = () => Promise.resolve({ stop, lowWatermark })
    const edge = await start(testSettings, {
      ...world.parts,
      metrics: openMetrics({ ofProcess: false }),
      bus: { ...world.parts.bus, subscribe, publish },
      publish_ms: 100,
    })
    try {
      await work(edge.url)
    } finally {
      await edge.stop()
    }
  }

  test.each([
    ['because the log refuses it', () => Promise.reject(new Outage('the log is away'))],
    ['in time', () => new Promise<void>(() => undefined)],
  ])('A message that cannot be stored %s is refused with 503/2003', async (_title, publish) => {
    await withBus(publish, async (url) => {
      for (const sent of [prepare(), fulfil, query]) {
        expect(summary(await send(url, sent))).toBe('503 2003')
      }
    })
  })
})

function sha256(bytes: string | Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
}
