import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { message, transferBody, type TestMessage } from './testing/messages.ts'
import { openWorld, send, summary, type EdgeWorld } from './testing/world.ts'

let world: EdgeWorld
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const transferId = randomUUID()
const prepare: TestMessage = {
  ...message('POST', '/transfers'),
  body: transferBody({ transferId }),
}

/** The head of a request with these lines in addition to the required ones. */
function head({ method, path, headers }: TestMessage, lines: readonly string[]): string {
  const all = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...all, ...lines, '', ''].join('\r\n')
}

/** The whole response to these bytes, until the hub closes the connection or has answered once. */
function exchange(bytes: string | Buffer, { ends = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.edge.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (/\r\n\r\n/.test(text)) socket.end()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(bytes)
    if (ends) socket.end()
  })
}

function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`
}

/** Sends a valid message; it must be the first message that is published. */
async function expectNothingStored(before: number): Promise<void> {
  const marker = randomUUID()
  await send(world.edge.url, { ...prepare, body: transferBody({ transferId: marker }) })
  await eventually(() => world.received[before], 'the good message')
  expect(world.received.slice(before).map(({ key }) => key)).toEqual([marker])
}

describe('Transfer-Encoding', () => {
  const body = String(prepare.body)

  test('Transfer-Encoding of exactly chunked is read, stored and answered', async () => {
    const before = world.received.length
    const answer = await exchange(head(prepare, ['transfer-encoding: chunked']) + chunked(body))
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
    const event = await eventually(() => world.received[before], 'the event')
    expect(event.key).toBe(transferId)
    expect(String(event.headers['relay-body'])).toBe(body)
  })

  test.each([
    ['gzip and chunked', ['transfer-encoding: gzip, chunked']],
    ['two codings in two headers', ['transfer-encoding: gzip', 'transfer-encoding: chunked']],
    ['chunked twice', ['transfer-encoding: chunked, chunked']],
    ['chunked before another', ['transfer-encoding: chunked, identity']],
    ['identity alone', ['transfer-encoding: identity']],
    ['gzip alone', ['transfer-encoding: gzip']],
    ['nothing', ['transfer-encoding: ']],
    ['capital letters', ['transfer-encoding: Chunked']],
    ['a quoted word', ['transfer-encoding: "chunked"']],
    ['a parameter', ['transfer-encoding: chunked;q=1']],
    ['a word with an odd blank', ['transfer-encoding: \vchunked']],
    [
      'chunked with Content-Length',
      ['transfer-encoding: chunked', `content-length: ${body.length}`],
    ],
    [
      'another coding with Content-Length',
      ['transfer-encoding: identity', `content-length: ${body.length}`],
    ],
  ])(
    'Transfer-Encoding of %s is refused with 400/3101, and nothing is stored',
    async (_title, lines) => {
      const before = world.received.length
      for (const sent of [chunked(body), body]) {
        const answer = await exchange(head(prepare, lines) + sent, { ends: true })
        expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"errorCode":"3101"/)
        expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
      }
      await expectNothingStored(before)
    },
  )
})

describe('Content-Encoding', () => {
  test.each(['gzip', 'deflate', 'br', 'identity, gzip', 'x'])(
    'Content-Encoding of %s is refused with 400/3101, and nothing is stored',
    async (encoding) => {
      const before = world.received.length
      const zipped = gzipSync(String(prepare.body))
      for (const body of [zipped, String(prepare.body)]) {
        const answer = await send(world.edge.url, {
          ...prepare,
          headers: { ...prepare.headers, 'content-encoding': encoding },
          body,
        })
        expect(summary(answer)).toBe('400 3101')
      }
      await expectNothingStored(before)
    },
  )

  test('Content-Encoding of identity is accepted', async () => {
    const headers = { ...prepare.headers, 'content-encoding': 'identity' }
    expect(summary(await send(world.edge.url, { ...prepare, headers }))).toBe('202')
  })
})

test('A target that is a whole URL is served as its path alone', async () => {
  const before = world.received.length
  const query = message('GET', `/transfers/${transferId}`)
  for (const origin of ['http://hub.example:4000', 'HTTPS://HUB.EXAMPLE']) {
    const answer = await exchange(head({ ...query, path: `${origin}${query.path}` }, []))
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
  }
  const event = await eventually(() => world.received[before + 1], 'the second question')
  expect(event.key).toBe(transferId)
})

test('A fragment of the target is ignored', async () => {
  const before = world.received.length
  const query = message('GET', `/transfers/${transferId}`)
  for (const path of [`${query.path}#part`, `${query.path}?more=1#part?x`]) {
    const answer = await exchange(head({ ...query, path }, []))
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
  }
  const event = await eventually(() => world.received[before + 1], 'the question')
  expect(event.key).toBe(transferId)
})

describe('Repeated headers', () => {
  test.each([
    ['date', '400', '3101'],
    ['content-type', '400', '3101'],
    ['fspiop-source', '400', '3200'],
  ])('A repeated header is refused: %s', async (name, status, code) => {
    const before = world.received.length
    const body = String(prepare.body)
    const lines = [`${name}: ${prepare.headers[name] ?? ''}`, `content-length: ${body.length}`]
    const answer = await exchange(head(prepare, lines) + body)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*"errorCode":"${code}"`))
    await expectNothingStored(before)
  })
})
