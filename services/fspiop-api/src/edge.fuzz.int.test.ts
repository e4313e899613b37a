/**
 * What an FSP can send to the port, almost valid, as bytes on the connection: each complete request is
 * answered with an error of the API or accepted, no answer is a fault of the hub, and the port serves the
 * next request.
 */
import { connect } from 'node:net'
import { changedBytes, changedJson, changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { every } from './testing/every.ts'
import { message, participantsRequest, type TestMessage } from './testing/messages.ts'
import { openWorld, send, type EdgeWorld } from './testing/world.ts'

let world: EdgeWorld
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const sample = every.map(({ sent }) => sent)
const first = message('POST', '/participants', participantsRequest)

function textOf({ method, path, headers, body = '' }: TestMessage, connection = 'close'): Buffer {
  const bytes = Buffer.from(body)
  const all = {
    host: new URL(world.edge.url).host,
    ...headers,
    'content-length': String(bytes.length),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path} HTTP/1.1`, ...lines, `connection: ${connection}`, '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes])
}

/**
 * Whether the bytes begin with a request to its end. A head or a body that is cut off asks for nothing:
 * the connection may end without an answer.
 */
function beginWithRequest(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').replace(/^[\r\n]+/, '')
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const [, length = '0'] =
    /^content-length:[ \t]*(\d+)[ \t]*\r$/im.exec(text.slice(0, end + 2)) ?? []
  return text.length - end - 4 >= Number(length)
}

/** Sends the bytes; everything that comes back until the connection ends. */
function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(world.edge.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const received = () => Buffer.concat(chunks).toString('latin1')
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      // After one answer the client asks for nothing more.
      socket.end()
    })
    // The server may reset a connection whose request it did not read to its end.
    socket.on('error', () => resolve(received()))
    socket.on('close', () => resolve(received()))
    if (beginWithRequest(bytes)) socket.write(bytes)
    else socket.end(bytes)
  })
}

interface Answer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Several, where the change made more than one request of it. Throws unless all are whole answers of HTTP. */
function answersIn(text: string): readonly Answer[] {
  const answers: Answer[] = []
  for (let rest = text; rest !== '';) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/.exec(rest)
    const [, status = '', headers = ''] = head ?? []
    const length = /^content-length: (\d+)\r$/im.exec(headers)?.[1]
    if (head === null || length === undefined) throw new Error(`no answer: ${rest.slice(0, 300)}`)
    const end = head[0].length + Number(length)
    if (end > rest.length) throw new Error(`cut off: ${rest.slice(0, 300)}`)
    answers.push({ status: Number(status), headers, body: rest.slice(head[0].length, end) })
    rest = rest.slice(end)
  }
  return answers
}

const statuses: readonly number[] = [400, 401, 403, 404, 405, 406, 501]

/** Accepted without a body, or refused with one error of the API. */
function judge({ status, headers, body }: Answer): void {
  if (status === 200 || status === 202) {
    expect(body).toBe('')
    return
  }
  expect(statuses).toContain(status)
  expect(headers).toMatch(/^content-type: application\/\S+/im)
  const { errorInformation } = JSON.parse(body) as {
    readonly errorInformation: Readonly<Record<'errorCode' | 'errorDescription', string>>
  }
  expect(errorInformation.errorCode).toMatch(/^[23]\d{3}$/)
  expect(errorInformation.errorDescription.length).toBeLessThanOrEqual(128)
}

/** The port serves the next request like any other. */
async function expectServing(): Promise<void> {
  expect([200, 202]).toContain((await send(world.edge.url, first)).status)
}

async function expectAnswered(bytes: Buffer): Promise<void> {
  const answers = answersIn(await exchange(bytes))
  for (const answer of answers) judge(answer)
  if (beginWithRequest(bytes)) expect(answers.length).toBeGreaterThan(0)
  await expectServing()
}

const numRuns = 300

/** Those that were not answered, or not in the shape of the API. */
function kept(): readonly Buffer[] {
  const [one, other] = [textOf(first), textOf(first, 'keep-alive')]
  const without = (name: string, bytes: Buffer) =>
    Buffer.from(bytes.toString().replace(new RegExp(`^${name}: .*\\r\\n`, 'm'), ''))
  return [
    Buffer.concat([one, Buffer.from('more')]),
    Buffer.concat([other, Buffer.from('no HTTP\r\n\r\n')]),
    without('host', one),
    Buffer.from(one.toString().replace('\r\n', '\r\nexpect: tea\r\n')),
  ]
}

test('Requests with changed bytes are answered, and none is a fault of the hub', async () => {
  const pairs = sample.map((sent) => Buffer.concat([textOf(sent, 'keep-alive'), textOf(first)]))
  const requests = sample.map((sent) => textOf(sent))
  await fc.assert(
    fc.asyncProperty(changedBytes([...requests, ...pairs]), (bytes) => expectAnswered(bytes)),
    { numRuns, examples: kept().map((bytes) => [bytes]) },
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
      await expectAnswered(textOf(changed))
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
      await expectAnswered(textOf(sent))
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
