/** Requests to the hub over kept connections: one try each, bounded in time and size. */
import { Pool, type Dispatcher } from 'undici'

export interface HubRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the resource name on, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export interface HubAnswer {
  readonly status: number
  /** At most its first 64 KiB. */
  readonly body: Buffer
}

/** What an https hub is shown, and what it is held against. All are PEM. */
export interface Tls {
  readonly ca: string
  /** With its key, where the hub asks who comes. */
  readonly certificate?: string
  readonly key?: string
}

export interface Transport {
  /** Undefined: no whole answer, the request may or may not have arrived. */
  request(request: HubRequest): Promise<HubAnswer | undefined>
  /** Fails what is in flight and closes every connection. */
  close(): Promise<void>
}

export interface TransportOptions {
  /** Origin and base path of the hub's FSP port, without a slash at the end. */
  readonly hubUrl: string
  readonly connections_max: number
  /** For each try: for the connection, for the head of the answer, between parts of its body. */
  readonly timeout_ms: number
  readonly tls: Tls | undefined
}

const body_bytes_max = 64 * 1024

export function openTransport(options: TransportOptions): Transport {
  const { origin, pathname } = new URL(options.hubUrl)
  const base = pathname === '/' ? '' : pathname
  const pool = openPool(origin, options)
  return {
    request: ({ method, path, headers, body }) =>
      new Promise((resolve) => {
        pool.dispatch(
          { method, path: base + path, headers, body: body ?? null },
          answerHandler(resolve),
        )
      }),
    close: () => pool.destroy(),
  }
}

function openPool(origin: string, { connections_max, timeout_ms, tls }: TransportOptions): Pool {
  const secure =
    tls === undefined
      ? {}
      : {
          ca: tls.ca,
          ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
          ...(tls.key === undefined ? {} : { key: tls.key }),
        }
  return new Pool(origin, {
    connections: connections_max,
    pipelining: 1,
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
    connect: { timeout: timeout_ms, ...secure },
  })
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
      if (kept_bytes >= body_bytes_max) return
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
