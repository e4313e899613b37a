/**
 * What an FSP can send to the port, almost valid, as bytes on the connection: each request is answered with
 * an error of the API or accepted, no answer is a fault of the hub, and the port goes on.
 */
import { connect } from 'node:net'
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { every } from './testing/every.ts'
import type { Sent } from './testing/messages.ts'
import { openWorld, send, type World } from './testing/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const sample = every.map(({ sent }) => sent)

function textOf({ method, path, headers, body = '' }: Sent): Buffer {
  const bytes = Buffer.from(body)
  const all = { host: 'hub.example', ...headers, 'content-length': String(bytes.length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path} HTTP/1.1`, ...lines, 'connection: close', '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes])
}

/** Sends the bytes and closes its side; everything that comes back until the connection ends. */
function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(world.edge.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    // The server may reset a connection whose request it did not read to its end.
    socket.on('error', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.end(bytes)
  })
}

function judge(answer: string): void {
  for (const [, status] of answer.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
    // 501: an operation that is not served.
    expect([500, 502, 503, 504]).not.toContain(Number(status))
  }
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  if (!head.startsWith('HTTP/1.1 4') || rest.join('') === '') return
  if (/transfer-encoding/i.test(head)) return
  const { errorInformation } = JSON.parse(rest.join('\r\n\r\n')) as {
    readonly errorInformation: { readonly errorCode: string }
  }
  expect(errorInformation.errorCode).toMatch(/^[1-5]\d{3}$/)
}

const numRuns = 300

test('Requests with changed bytes are answered, and none is a fault of the hub', async () => {
  const requests = sample.map(textOf)
  await fc.assert(
    fc.asyncProperty(changedBytes(requests), async (bytes) => {
      judge(await exchange(bytes))
    }),
    { numRuns },
  )
})

test('Requests with a changed line or header are answered, and none is a fault of the hub', async () => {
  const request = fc.constantFrom(...sample).chain((sent) => {
    const names = Object.keys(sent.headers)
    return fc.record({
      sent: fc.constant(sent),
      name: fc.constantFrom(...names),
      value: changedText(names.map((name) => String(sent.headers[name]))),
      path: fc.oneof(fc.constant(sent.path), changedText([sent.path])),
      method: fc.oneof(
        { weight: 5, arbitrary: fc.constant(sent.method) },
        changedText([sent.method]),
      ),
    })
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ sent, name, value, path, method }) => {
      const changed = { ...sent, path, method, headers: { ...sent.headers, [name]: value } }
      judge(await exchange(textOf(changed)))
    }),
    { numRuns },
  )
})

test('Requests with changed members are answered, and none is a fault of the hub', async () => {
  const withBody = sample.filter(({ body }) => typeof body === 'string' && body.startsWith('{'))
  const request = fc.constantFrom(...withBody).chain((sent) =>
    changedJson(JSON.parse(String(sent.body))).map((json) => ({
      ...sent,
      body: JSON.stringify(json),
    })),
  )
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      const { status } = await send(world.edge.url, sent)
      expect([200, 202, 400, 404, 406, 501]).toContain(status)
    }),
    { numRuns },
  )
})

test('The port serves as before', async () => {
  for (const sent of sample) {
    const { status } = await send(world.edge.url, sent)
    expect([200, 202]).toContain(status)
  }
})
