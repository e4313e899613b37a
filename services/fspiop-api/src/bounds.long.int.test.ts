import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Message } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  errorInformation,
  id,
  message,
  partyAnswer,
  quoteAnswer,
  quoteRequest,
  transferBody,
  transferFulfilment,
  withHeaders,
  type TestMessage,
} from './testing/messages.ts'
import { openWorld, participant, send, summary, type EdgeWorld } from './testing/world.ts'

const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const query = message('GET', `/transfers/${id}`)
const quote = message('POST', '/quotes', quoteRequest)
const lookup = message('GET', '/parties/MSISDN/123456789')

function prepare(body: string = transferBody()): TestMessage {
  return { ...message('POST', '/transfers'), body }
}

function ofBluewallet(sent: TestMessage): TestMessage {
  const named = withHeaders(sent, {
    'fspiop-source': 'bluewallet',
    'fspiop-destination': undefined,
  })
  const body = transferBody({ payerFsp: 'bluewallet', payeeFsp: 'greenbank' })
  return sent.path === '/transfers' ? { ...named, body } : named
}

/** A legal transfer whose body has this many bytes, in unknown members. */
function padded(bytes: number): string {
  const body = transferBody({ padding: '' })
  return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`)
}

/** A connection that has sent the head of a request and nothing of its body. */
function hanging(
  { url }: EdgeWorld['edge'],
  { method, path, headers }: TestMessage,
  bytes: number,
): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const all = Object.entries({ ...headers, host: '127.0.0.1', 'content-length': String(bytes) })
  const head = all.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  socket.on('error', () => undefined)
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
  return socket
}

/** The first bytes of the response, which is sent before the request is complete. */
async function answerBegunOn(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return chunk.toString()
}

async function answerOn(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heldInBuffers(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

function sourceOfRelayed({ headers }: Message): string | undefined {
  const relayed = JSON.parse(String(headers['relay-headers'])) as Record<string, string>
  return relayed['fspiop-source']
}

/** The first `count` messages. */
function firstOf(all: readonly Promise<string>[], count: number): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const received: string[] = []
    for (const each of all) {
      void each.then((text) => {
        received.push(text)
        if (received.length === count) resolve(received)
      })
    }
  })
}

/** Many events at once that were caused by a message of an FSP received `age_ms` ago. */
function publishLate({ parts }: EdgeWorld, age_ms: number): Promise<void> {
  const receivedAt = new Date(Date.now() - age_ms).toISOString()
  const events = Array.from({ length: 20 }, () =>
    newEvent(
      'quoting',
      'QuoteRejectAccepted',
      {
        quoteId: randomUUID(),
        payerFspId: 'greenbank',
        payeeFspId: 'bluewallet',
        payerVersion: '1.1',
        errorInformation: { errorCode: '5300', errorDescription: 'Payee rejected quote' },
      },
      { relay: { body: Buffer.from('{}'), headers: Buffer.from('{}'), receivedAt } },
    ),
  )
  return parts.bus.publish(events)
}

function inFlight(world: EdgeWorld, count: number): Promise<unknown> {
  return eventually(async () => {
    const metrics = await world.parts.metrics.metrics()
    return metrics.includes(`fspiop_api_requests_in_flight ${count}\n`) ? true : undefined
  }, `${count} requests in progress`)
}

describe('Messages that are too large, truncated or not HTTP', () => {
  let world: EdgeWorld
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())
  const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))

  test('A body of one byte too many is refused with 400/3104, with Content-Length or chunked', async () => {
    const large = prepare(padded(5_242_881))
    expect(await ask(large)).toBe('400 3104')
    expect(await ask(withHeaders(large, { 'transfer-encoding': 'chunked' }))).toBe('400 3104')
  })

  test('A head of more than 65,536 bytes is refused with 400/3104', async () => {
    const answer = await send(
      world.edge.url,
      withHeaders(prepare(), { 'x-long': 'x'.repeat(66_000) }),
    )
    expect(summary(answer)).toBe('400 3104')
    expect(answer.headers['content-type']).toBe('application/json')
    expect(await ask(withHeaders(prepare(), { 'x-long': 'x'.repeat(60_000) }))).toBe('202')
  })

  test('A truncated body is discarded', async () => {
    const socket = hanging(world.edge, prepare(), 2_000)
    socket.write(transferBody().slice(0, 100))
    await inFlight(world, 1)
    socket.destroy()
    await eventually(async () => {
      const metrics = await world.parts.metrics.metrics()
      return metrics.includes('fspiop_api_cut_requests_total 1') ? true : undefined
    }, 'the cut')
    await inFlight(world, 0)
  })

  test.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    [
      'a negative length',
      'PUT /transfers/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n',
    ],
    [
      'two lengths',
      'PUT /transfers/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ],
    [
      'a length next to chunked',
      'PUT /transfers/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('A request with %s is not HTTP: 400/3101', async (_title, text) => {
    const socket = connect(Number(new URL(world.edge.url).port), '127.0.0.1')
    socket.end(text)
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"errorCode":"3101"/)
  })

  test('Of malformed messages nothing is published, only the valid ones are', async () => {
    const whole = prepare(padded(5_242_880))
    expect(await ask(whole)).toBe('202')
    const { transferId } = JSON.parse(String(whole.body)) as { transferId: string }
    await eventually(() => world.received.find(({ key }) => key === transferId), 'the largest one')
    const types = world.received.map(({ type }) => type)
    expect(types).toEqual(['TransferPrepareRequested', 'TransferPrepareRequested'])
  })
})

describe('Checks before the body is read', () => {
  let world: EdgeWorld
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())
  const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))

  test.each([
    ['an answer about a transfer', fulfil, 65_536],
    ['an answer about a quote', message('PUT', `/quotes/${id}`, quoteAnswer), 262_144],
    ['an answer about a party', message('PUT', '/parties/MSISDN/123456789', partyAnswer), 65_536],
    ['an error', message('PUT', `/transfers/${id}/error`, { errorInformation }), 65_536],
  ])(
    'The body of %s has a bound of its own, with Content-Length or chunked',
    async (_title, sent, bytes_max) => {
      const body = { ...(JSON.parse(String(sent.body)) as object), padding: '' }
      const empty = JSON.stringify(body).length
      const ofLength = (bytes: number): TestMessage => ({
        ...sent,
        body: JSON.stringify({ ...body, padding: 'x'.repeat(bytes - empty) }),
      })
      expect(await ask(ofLength(bytes_max))).toBe('200')
      const large = await send(world.edge.url, ofLength(bytes_max + 1))
      expect(summary(large)).toBe('400 3104')
      expect(large.error?.errorDescription).toContain(`the body has more than ${bytes_max} bytes`)
      const inChunks = withHeaders(ofLength(bytes_max + 1), { 'transfer-encoding': 'chunked' })
      expect(await ask(inChunks)).toBe('400 3104')
    },
  )

  test('A sender that may not send a message is refused before any of its body is read', async () => {
    const ask = (sent: TestMessage) => {
      const socket = hanging(world.edge, sent, 2_000)
      return answerBegunOn(socket)
    }
    const from = (source: string) => withHeaders(fulfil, { 'fspiop-source': source })
    expect(await ask(from('leaver'))).toMatch(/^HTTP\/1\.1 403 /)
    expect(await ask(from('nobody'))).toMatch(/^HTTP\/1\.1 400 /)
    const answer = message('PUT', '/parties/MSISDN/123456789', partyAnswer)
    expect(await ask(withHeaders(answer, { 'fspiop-source': 'sleeper' }))).toMatch(
      /^HTTP\/1\.1 400 /,
    )
    await inFlight(world, 0)
  })
})

describe('Bounds on load', () => {
  test('Lookups are shed first, then quotes, then transfers, and answers never', async () => {
    const world = await openWorld({ FSPIOP_API_IN_FLIGHT_MAX: 4 })
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      const outcome = () => Promise.all([lookup, query, quote, prepare(), fulfil].map(ask))
      const sockets: Socket[] = []
      const hang = async (sent: TestMessage) => {
        sockets.push(hanging(world.edge, sent, 2_000))
        await inFlight(world, sockets.length)
      }
      await hang(prepare())
      for (const sent of [lookup, query, quote, prepare(), fulfil]) {
        expect(await ask(sent)).toBe(sent.method === 'PUT' ? '200' : '202')
      }
      await hang(ofBluewallet(prepare()))
      expect(await Promise.all([lookup, query].map(ask))).toEqual(['503 2005', '503 2005'])
      expect(await ask(quote)).toBe('202')
      expect(await ask(prepare())).toBe('202')
      await hang(prepare())
      expect(await ask(quote)).toBe('503 2005')
      expect(await ask(prepare())).toBe('202')
      await hang(ofBluewallet(prepare()))
      expect(await outcome()).toEqual(['503 2005', '503 2005', '503 2005', '503 2005', '200'])
      for (const socket of sockets) socket.destroy()
      await inFlight(world, 0)
      expect(await ask(lookup)).toBe('202')
    } finally {
      await world.stop()
    }
  })

  test('While the queue delay is too long, requests are shed in the same order', async () => {
    const world = await openWorld({ FSPIOP_API_QUEUE_DELAY_MAX_MS: 40_000 })
    try {
      // A twentieth of the processed rate is always admitted, so the majority of several counts.
      const ask = async (make: () => TestMessage) => {
        const sent = Array.from({ length: 5 }, () => send(world.edge.url, make()))
        const answers = (await Promise.all(sent)).map(summary).toSorted()
        return answers[2]
      }
      const all = [() => lookup, () => query, () => quote, prepare, () => fulfil]
      const outcome = () => Promise.all(all.map(ask))
      const expectOutcomes = (age_ms: number, expected: readonly string[]) =>
        eventually(
          async () => {
            await publishLate(world, age_ms)
            return String(await outcome()) === String(expected) ? true : undefined
          },
          `${expected.join(', ')} while all take ${age_ms} ms`,
        )
      await expectOutcomes(19_000, ['503 2005', '503 2005', '202', '202', '200'])
      await expectOutcomes(39_000, ['503 2005', '503 2005', '503 2005', '202', '200'])
      await expectOutcomes(81_000, ['503 2005', '503 2005', '503 2005', '503 2005', '200'])
      await expectOutcomes(100, ['202', '202', '202', '202', '200'])
    } finally {
      await world.stop()
    }
  })

  test('A flood of one FSP, also of answers, leaves the others their bounds', async () => {
    const world = await openWorld({
      FSPIOP_API_IN_FLIGHT_MAX: 12,
      FSPIOP_API_IN_FLIGHT_PER_FSP_MAX: 4,
    })
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      const sockets = Array.from({ length: 40 }, () =>
        hanging(world.edge, withHeaders(fulfil, { 'fspiop-source': 'greenbank' }), 2_000),
      )
      await inFlight(world, 40)
      expect(await Promise.all([prepare(), lookup, quote].map(ask))).toEqual([
        '503 2005',
        '503 2005',
        '503 2005',
      ])
      const others = [lookup, query, prepare(), fulfil].map(ofBluewallet)
      for (let round = 0; round < 10; round++) {
        for (const sent of others) {
          expect(await ask(sent)).toBe(sent.method === 'PUT' ? '200' : '202')
        }
      }
      for (const socket of sockets) socket.destroy()
      await inFlight(world, 0)
      expect(await ask(prepare())).toBe('202')
    } finally {
      await world.stop()
    }
  })

  test('A thousand slow answers of one FSP use no more than its reserve, and nothing of the bounds of others', async () => {
    const reserve = 10_485_760
    const world = await openWorld({ FSPIOP_API_ANSWER_BYTES_PER_FSP_MAX: reserve })
    const sockets: Socket[] = []
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      expect(await ask(fulfil)).toBe('200')
      const ofGreenbank = withHeaders(fulfil, { 'fspiop-source': 'greenbank' })
      // All clients send from one buffer, so the memory in use is the server's.
      const most = Buffer.alloc(65_000, 'x')
      const before = heldInBuffers()
      const refusals: Promise<string>[] = []
      for (let at = 0; at < 1_000; at++) {
        const socket = hanging(world.edge, ofGreenbank, 65_536)
        socket.write(most)
        sockets.push(socket)
        refusals.push(answerBegunOn(socket).catch(() => ''))
      }
      await inFlight(world, reserve / 65_536)
      const refused = await firstOf(refusals, 1_000 - reserve / 65_536)
      expect(refused.every((text) => text.startsWith('HTTP/1.1 503 '))).toBe(true)
      // The memory of refused requests is freed when the collector reaches it.
      await eventually(() => heldInBuffers() - before < 2 * reserve, 'at most the reserve in use')
      expect(await ask(ofGreenbank)).toBe('503 2005')
      for (let round = 0; round < 20; round++) expect(await ask(fulfil)).toBe('200')
      expect(await ask(ofBluewallet(prepare()))).toBe('202')
      for (const socket of sockets) socket.destroy()
      await inFlight(world, 0)
      expect(await ask(ofGreenbank)).toBe('200')
    } finally {
      for (const socket of sockets) socket.destroy()
      await world.stop()
    }
  })

  test('Unsolicited answers of one FSP do not delay those of other FSPs', async () => {
    const world = await openWorld({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 20 })
    try {
      world.register.participants.set('redcredit', participant('redcredit'))
      const answerOf = (fspId: string): TestMessage => {
        const info = { ...partyAnswer.party.partyIdInfo, fspId }
        const body = { party: { ...partyAnswer.party, partyIdInfo: info } }
        const sent = message('PUT', '/parties/MSISDN/123456789', body)
        return withHeaders(sent, { 'fspiop-source': fspId, 'fspiop-destination': 'greenbank' })
      }
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      expect(await ask(lookup)).toBe('202')
      const flood = Promise.all(Array.from({ length: 500 }, () => ask(answerOf('redcredit'))))
      expect(await ask(answerOf('bluewallet'))).toBe('200')
      const taken = (await flood).filter((outcome) => outcome === '200')
      expect(taken).toHaveLength(23)
      const sources = await eventually(() => {
        const notices = world.received.filter(({ type }) => type === 'NotifyRequested')
        return notices.length < 24 ? undefined : notices.map(sourceOfRelayed)
      }, 'all relayed messages')
      expect(sources).toHaveLength(24)
      expect(sources).toContain('bluewallet')
    } finally {
      await world.stop()
    }
  })

  test('Large bodies of one FSP leave the others their bounds', async () => {
    const large = 5_242_880
    const world = await openWorld({
      FSPIOP_API_BODIES_MAX_BYTES: 4 * large,
      FSPIOP_API_BODIES_PER_FSP_MAX_BYTES: 2 * large,
    })
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      const sockets = [hanging(world.edge, prepare(), large), hanging(world.edge, prepare(), large)]
      await inFlight(world, 2)
      expect(await ask(prepare())).toBe('503 2005')
      expect(await ask(ofBluewallet(prepare()))).toBe('202')
      for (const socket of sockets) socket.destroy()
      await inFlight(world, 0)
      expect(await ask(prepare())).toBe('202')
    } finally {
      await world.stop()
    }
  })

  test('An FSP that floods on new connections waits for its refusals, and others are answered', async () => {
    const world = await openWorld({
      FSPIOP_API_RATE_PER_FSP_MAX: 1,
      FSPIOP_API_BURST_PER_FSP_MAX: 100,
    })
    const opened: Socket[] = []
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      expect(await ask(ofBluewallet(lookup))).toBe('202')
      const begun_ms = performance.now()
      const flood = Promise.all(
        Array.from({ length: 400 }, () => {
          const socket = hanging(world.edge, lookup, 0)
          opened.push(socket)
          return answerBegunOn(socket)
        }),
      )
      const others: string[] = []
      for (let n = 0; n < 20; n += 1) others.push(await ask(ofBluewallet(lookup)))
      expect(new Set(others)).toEqual(new Set(['202']))
      const statuses = (await flood).map((answer) => answer.slice(9, 12))
      expect(new Set(statuses)).toEqual(new Set(['202', '503']))
      // At most a second; for 100 refusals per second it is 400 ms.
      expect(performance.now() - begun_ms).toBeGreaterThan(400)
    } finally {
      for (const socket of opened) socket.destroy()
      await world.stop()
    }
  })

  test('An FSP that exceeds its rate cannot begin anything, and can complete everything', async () => {
    const world = await openWorld({
      FSPIOP_API_RATE_PER_FSP_MAX: 1,
      FSPIOP_API_BURST_PER_FSP_MAX: 10,
    })
    try {
      const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))
      const flood = await Promise.all(Array.from({ length: 200 }, () => ask(prepare())))
      const taken = flood.filter((outcome) => outcome === '202').length
      const seconds_max = 30
      expect(taken).toBeGreaterThanOrEqual(10)
      expect(taken).toBeLessThanOrEqual(10 + seconds_max)
      expect(new Set(flood)).toEqual(new Set(['202', '503 2005']))
      for (let at = 0; at < 5; at++) {
        expect(await ask(withHeaders(fulfil, { 'fspiop-source': 'greenbank' }))).toBe('200')
        expect(await ask(ofBluewallet(prepare()))).toBe('202')
      }
    } finally {
      await world.stop()
    }
  })

  test('Clients that send a byte now and then delay no other client, and are disconnected', async () => {
    const world = await openWorld()
    try {
      const { port } = new URL(world.edge.url)
      const slow = Array.from({ length: 200 }, () => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write('POST /transfers HTTP/1.1\r\nHost: 127.0.0.1\r\nX-')
        const trickle = setInterval(() => socket.write('a'), 500)
        socket.on('close', () => clearInterval(trickle))
        return socket
      })
      const ends = Promise.all(slow.map(answerOn))
      for (let at = 0; at < 20; at++) {
        expect(summary(await send(world.edge.url, prepare()))).toBe('202')
      }
      await inFlight(world, 0)
      for (const end of await ends) expect(end).toMatch(/^HTTP\/1\.1 400 [^]*"errorCode":"3000"/)
    } finally {
      await world.stop()
    }
  })
})
