/**
 * The way to the hub: kept connections, and a message that the hub could not take is sent again, byte
 * for byte, until it is answered or has lost its meaning.
 */
import { Pool } from 'undici'
import type { Dispatcher } from 'undici'

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** From the resource name on: `/transfers/<id>/error`. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer | undefined
}

export interface HubAnswer {
  readonly status: number
  /** At most the first 64 KiB; empty for 2xx. */
  readonly body: Buffer
}

export interface HubLink {
  /** One try; undefined: no answer, the message may or may not have arrived. */
  send(message: Outgoing): Promise<HubAnswer | undefined>
  /**
   * Tries again while the hub cannot be reached or has no time for it (5xx but 501), with growing
   * pauses, until the time `until_ms` (of Date.now). The last try's answer.
   */
  sendUntil(message: Outgoing, until_ms: number): Promise<HubAnswer | undefined>
  /** Fails what is in flight and closes every connection. */
  close(): Promise<void>
}

export interface HubLinkOptions {
  /** Origin and base path of the hub's FSP port, without a slash at the end. */
  readonly hubUrl: string
  readonly connections_max: number
  /** For each try: for the connection, for the head of the answer, between parts of its body. */
  readonly timeout_ms: number
}

const body_bytes_max = 64 * 1024
const firstPause_ms = 50
const pause_ms_max = 2_000

export function openHubLink({ hubUrl, connections_max, timeout_ms }: HubLinkOptions): HubLink {
  const { origin, pathname } = new URL(hubUrl)
  const base = pathname === '/' ? '' : pathname
  const pool = new Pool(origin, {
    connections: connections_max,
    pipelining: 1,
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
    connectTimeout: timeout_ms,
  })
  const pauses = new Set<() => void>()
  let closed = false

  const send = (message: Outgoing) =>
    new Promise<HubAnswer | undefined>((resolve) => {
      const { method, path, headers, body } = message
      pool.dispatch(
        { method, path: base + path, headers, body: body ?? null },
        answerHandler(resolve),
      )
    })

  return {
    send,
    async sendUntil(message, until_ms) {
      let pause_ms = firstPause_ms
      for (;;) {
        const answer = await send(message)
        if (answer !== undefined && !mayPass(answer.status)) return answer
        if (closed || Date.now() + pause_ms >= until_ms) return answer
        await pause(pause_ms * (1 - Math.random() / 4), pauses)
        pause_ms = Math.min(pause_ms * 2, pause_ms_max)
      }
    },
    async close() {
      closed = true
      for (const end of pauses) end()
      await pool.destroy()
    },
  }
}

/** Whether the same message may be taken later: the fault is the hub's, or lies on the way to it. */
function mayPass(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501)
}

/** The dispatcher's own callbacks cost a third of what a stream for each answer does. */
function answerHandler(done: (answer: HubAnswer | undefined) => void): Dispatcher.DispatchHandler {
  let status = 0
  let kept: Buffer[] = []
  let kept_bytes = 0
  return {
    onRequestStart() {
      // Its presence says that the callbacks are of this form and not of the older one.
    },
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(_controller, chunk) {
      if (status < 300 || kept_bytes >= body_bytes_max) return
      kept.push(chunk)
      kept_bytes += chunk.length
    },
    onResponseEnd() {
      done({ status, body: Buffer.concat(kept).subarray(0, body_bytes_max) })
      kept = []
    },
    onResponseError() {
      done(undefined)
    },
  }
}

/** Ends early when the link is closed. */
function pause(ms: number, pauses: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      pauses.delete(end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    pauses.add(end)
  })
}
