/**
 * A client that overloads the hub, in a process of its own, so that it does not slow the test that
 * measures meanwhile. It is forked, receives its task as a message, and reports how it was
 * answered, regularly and at its end.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'

export type Flood =
  /** Requests on many connections, each as soon as the one before is answered. */
  | { readonly type: 'REQUESTS'; readonly url: string; readonly name: string }
  /** One message over and over, so many times a second, whether or not those before are answered. */
  | {
      readonly type: 'MESSAGES'
      readonly url: string
      readonly per_s: number
      readonly method: 'GET' | 'PUT'
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** Connections that send a byte of a request's head every half second and never end it. */
  | { readonly type: 'SLOW'; readonly url: string }
  /** Heads that are larger than the hub accepts. */
  | { readonly type: 'LARGE_HEADS'; readonly url: string; readonly name: string }

/** The number of answers by status; 0: the connection was closed without an answer. */
export interface FloodReport {
  readonly statuses: Readonly<Record<number, number>>
}

const connections = 16
const slow_connections = 200
const byte_every_ms = 500
const large_head_bytes = 70_000
/** A report of each answer would slow the test that measures. */
const report_every_ms = 50

const statuses: Record<number, number> = {}
let answered = 0
let stopping = false

function count(status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1
  answered += 1
}

function headersOf(name: string): Record<string, string> {
  const media = 'application/vnd.interoperability.transfers+json;version=1.1'
  return {
    accept: media,
    'content-type': media,
    date: new Date().toUTCString(),
    'fspiop-source': name,
  }
}

async function sendContinuously(url: string, headers: Record<string, string>, agent: Agent) {
  while (!stopping) {
    try {
      const path = `/transfers/${randomUUID()}`
      const { statusCode, body } = await request(`${url}${path}`, { dispatcher: agent, headers })
      await body.dump()
      count(statusCode)
    } catch {
      count(0)
    }
  }
}

function askAll(url: string, headers: Record<string, string>): Promise<unknown> {
  const agent = new Agent({ connections, maxHeaderSize: 1_048_576 })
  const asking = Array.from({ length: connections }, () => sendContinuously(url, headers, agent))
  return Promise.all(asking).then(() => agent.destroy())
}

const tick_ms = 20

async function sendAtRate({
  url,
  per_s,
  path,
  ...message
}: Extract<Flood, { readonly type: 'MESSAGES' }>): Promise<void> {
  const agent = new Agent({ connections })
  const begun_ms = performance.now()
  const sending = new Set<Promise<void>>()
  const sendOne = async () => {
    try {
      const options = { dispatcher: agent, ...message }
      const { statusCode, body } = await request(`${url}${path}`, options)
      await body.dump()
      count(statusCode)
    } catch {
      count(0)
    }
  }
  for (let sent = 0; !stopping;) {
    const due = Math.floor(((performance.now() - begun_ms) * per_s) / 1_000)
    for (; sent < due; sent += 1) {
      const one: Promise<void> = sendOne().finally(() => sending.delete(one))
      sending.add(one)
    }
    await pause(tick_ms)
  }
  await Promise.all(sending)
  await agent.destroy()
}

/** One connection; resolves when the hub closes it. */
function trickle(url: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.on('error', () => undefined)
    socket.write('POST /transfers HTTP/1.1\r\nHost: hub\r\nX-')
    const timer = setInterval(() => {
      if (stopping) socket.destroy()
      else socket.write('a')
    }, byte_every_ms)
    socket.on('close', () => {
      clearInterval(timer)
      if (!stopping) count(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0))
      resolve()
    })
  })
}

async function trickleContinuously(url: string): Promise<void> {
  while (!stopping) await trickle(url)
}

function work(flood: Flood): Promise<unknown> {
  switch (flood.type) {
    case 'REQUESTS':
      return askAll(flood.url, headersOf(flood.name))
    case 'MESSAGES':
      return sendAtRate(flood)
    case 'SLOW':
      return Promise.all(
        Array.from({ length: slow_connections }, () => trickleContinuously(flood.url)),
      )
    case 'LARGE_HEADS':
      return askAll(flood.url, {
        ...headersOf(flood.name),
        'x-large': 'x'.repeat(large_head_bytes),
      })
  }
}

process.once('disconnect', () => process.exit())

process.once('message', (flood: Flood) => {
  const working = work(flood)
  const reporting = setInterval(() => process.send?.({ answered }), report_every_ms)
  process.once('message', () => {
    stopping = true
    clearInterval(reporting)
    void working.then(() => {
      process.send?.({ statuses } satisfies FloodReport)
      process.disconnect()
    })
  })
})
