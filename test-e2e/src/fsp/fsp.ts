/**
 * An FSP as the hub sees it: it sends what a test asks it to send and records what it receives,
 * byte for byte. It implements no protocol, so that a test can send any invalid message.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Agent } from 'undici'
import {
  connectionsOf,
  headersOf,
  serveCallbacks,
  type Certified,
  type Inbound,
} from './connection.ts'

export interface Received extends Inbound {
  readonly json: () => unknown
}

export interface HubResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How an FSP authenticates. */
export interface Credentials extends Certified {
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
  send(method: string, path: string, body?: unknown, headers?: ChangedHeaders): Promise<HubResponse>
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
  const waiting = new Set<MessageListener>()
  let answer: (message: Received) => number | Promise<number> = usual
  let sign = credentials?.sign
  const agent = connectionsOf(credentials)
  const server = await serveCallbacks(credentials, (inbound, respond) => {
    const message = { ...inbound, json: () => JSON.parse(inbound.body.toString()) as unknown }
    received.push(message)
    const status = Promise.resolve(answer(message))
    for (const notify of waiting) notify(message)
    void status.then(respond)
  })

  return {
    name,
    url: server.url,
    received,
    answerWith: (next) => (answer = next),
    await: (fits, options) => waitFor(name, received, waiting, fits, options),
    send: (method, path, body, headers) =>
      send({ agent, origin: hubUrl(), name, method, path, body, headers, sign }),
    signWith: (next) => (sign = next),
    stop: async () => {
      await agent.destroy()
      await server.stop()
    },
  }
}

function usual({ method }: Received): number {
  return method === 'POST' ? 202 : 200
}

/** Each waiter is notified of each message on arrival: the messages before are searched once. */
type MessageListener = (message: Received) => void

const listed_max = 100

function waitFor(
  name: string,
  received: readonly Received[],
  waiting: Set<MessageListener>,
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
  readonly origin: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: ChangedHeaders | undefined
  readonly sign: Sign | undefined
}

async function send(sending: Sending): Promise<HubResponse> {
  const { agent, origin, method, path } = sending
  const body = bodyOf(sending.body)
  const headers = await changedHeadersOf(sending, body)
  const answer = await agent.request({ origin, path, method, headers, body })
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: await answer.body.text(),
  }
}

async function changedHeadersOf(
  { name: source, method, path, headers, sign }: Sending,
  body: Buffer | null,
): Promise<Record<string, string>> {
  const isSigned = sign !== undefined && method !== 'GET'
  const date = new Date().toUTCString()
  const honest: ChangedHeaders = headersOf({ method, path, source, date, isSigned })
  const sent = Object.fromEntries(
    Object.entries({ ...honest, ...headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  const isGiven = headers !== undefined && 'fspiop-signature' in headers
  if (!isSigned || isGiven) return sent
  const signed = { method, path, headers: sent, body: body ?? Buffer.alloc(0) }
  return { ...sent, 'fspiop-signature': await sign(signed) }
}

function bodyOf(body: unknown): Buffer | null {
  if (body === undefined) return null
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
