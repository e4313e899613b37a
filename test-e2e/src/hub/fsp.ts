/**
 * An FSP as the hub sees it: it sends what a test asks it to send and records what it receives,
 * byte for byte. It implements no protocol, so that a test can send any invalid message.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { Agent, request } from 'undici'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly json: () => unknown
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** How an FSP authenticates; all are PEM. */
export interface Credentials {
  readonly certificate: string
  readonly key: string
  readonly ca: string
  /** The value of FSPIOP-Signature for a message with a body; undefined: unsigned. */
  readonly sign: Sign | undefined
}

export type Sign = (message: {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}) => Promise<string>

export interface Fsp {
  readonly name: string
  readonly url: string
  /** Every message that it has received, in order of arrival. */
  readonly received: readonly Received[]
  /**
   * Sets the status that it answers callbacks with; the default is 202 to POST and 200 to the rest.
   */
  answerWith(answer: (message: Received) => number | Promise<number>): void
  /** Waits for a message that matches; skips the first `after` messages. */
  await(fits: (message: Received) => boolean, options?: WaitOptions): Promise<Received>
  /**
   * Sends to the hub with the headers of a valid message, changed by `headers` (undefined: left
   * out; a signature of its own replaces that of the credentials).
   */
  send(method: string, path: string, body?: unknown, headers?: ChangedHeaders): Promise<Answer>
  /** Signs all later messages with this. */
  signWith(sign: Sign): void
  stop(): Promise<void>
}

export interface WaitOptions {
  readonly after?: number
  readonly timeout_ms?: number
}

type ChangedHeaders = Readonly<Record<string, string | undefined>>

const wait_ms_max = 10_000

/**
 * With credentials it sends and listens over mutual TLS, and signs; without them, over plain HTTP.
 */
export async function openFsp(
  name: string,
  hubUrl: () => string,
  credentials?: Credentials,
): Promise<Fsp> {
  const received: Received[] = []
  const waiting = new Set<Waiting>()
  let answer: (message: Received) => number | Promise<number> = usual
  let sign = credentials?.sign
  const tls =
    credentials === undefined
      ? undefined
      : { cert: credentials.certificate, key: credentials.key, ca: credentials.ca }
  const agent = new Agent({ connections: 64, ...(tls === undefined ? {} : { connect: tls }) })

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await read(incoming)
    received.push(message)
    const status = answer(message)
    for (const notify of waiting) notify(message)
    response.statusCode = await status
    response.end()
  }
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    take(incoming, response).catch(() => response.destroy())
  }
  const server =
    tls === undefined
      ? createServer(handle)
      : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')

  return {
    name,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    received,
    answerWith: (next) => (answer = next),
    await: (fits, options) => waitFor(name, received, waiting, fits, options),
    send: (method, path, body, headers) =>
      send({ agent, url: `${hubUrl()}${path}`, name, method, path, body, headers, sign }),
    signWith: (next) => (sign = next),
    stop: async () => {
      await agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function usual({ method }: Received): number {
  return method === 'POST' ? 202 : 200
}

async function read(incoming: IncomingMessage): Promise<Received> {
  const body = await buffer(incoming)
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    json: () => JSON.parse(body.toString()) as unknown,
  }
}

/** Each waiter is notified of each message on arrival: the messages before are searched once. */
type Waiting = (message: Received) => void

const listed_max = 100

function waitFor(
  name: string,
  received: readonly Received[],
  waiting: Set<Waiting>,
  fits: (message: Received) => boolean,
  { after = 0, timeout_ms = wait_ms_max }: WaitOptions = {},
): Promise<Received> {
  const found = received.slice(after).find(fits)
  if (found !== undefined) return Promise.resolve(found)
  return new Promise((resolve, reject) => {
    const notify = (message: Received) => {
      if (!fits(message)) return
      waiting.delete(notify)
      clearTimeout(late)
      resolve(message)
    }
    const late = setTimeout(() => {
      waiting.delete(notify)
      const got = received.slice(-listed_max).map(({ method, path }) => `${method} ${path}`)
      reject(
        new Error(
          `${name} did not receive the expected message; it last received: ${got.join(', ')}`,
        ),
      )
    }, timeout_ms)
    waiting.add(notify)
  })
}

interface Sending {
  readonly agent: Agent
  readonly url: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: ChangedHeaders | undefined
  readonly sign: Sign | undefined
}

async function send(sending: Sending): Promise<Answer> {
  const { agent, url, method } = sending
  const body = bodyOf(sending.body)
  const answer = await request(url, {
    dispatcher: agent,
    method: method as 'GET',
    headers: await headersOf(sending, body),
    body,
  })
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: await answer.body.text(),
  }
}

async function headersOf(
  { name, method, path, headers, sign }: Sending,
  body: Buffer | null,
): Promise<Record<string, string>> {
  const resource = /^\/([^/?]*)/.exec(path)?.[1] ?? ''
  const media = `application/vnd.interoperability.${resource}+json;version=1.1`
  const honest: ChangedHeaders = {
    'content-type': media,
    date: new Date().toUTCString(),
    'fspiop-source': name,
    ...(method === 'PUT' || method === 'PATCH' ? {} : { accept: media }),
    ...(sign === undefined || method === 'GET'
      ? {}
      : { 'fspiop-uri': path, 'fspiop-http-method': method }),
  }
  const sent = Object.fromEntries(
    Object.entries({ ...honest, ...headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  const isGiven = headers !== undefined && 'fspiop-signature' in headers
  if (sign === undefined || method === 'GET' || isGiven) return sent
  const signed = { method, path, headers: sent, body: body ?? Buffer.alloc(0) }
  return { ...sent, 'fspiop-signature': await sign(signed) }
}

function bodyOf(body: unknown): Buffer | null {
  if (body === undefined) return null
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
