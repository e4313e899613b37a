/** Requests to the hub over persistent connections: one attempt each, bounded in time and size. */
import { Pool, type Dispatcher } from 'undici'

export interface HubRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the resource name on, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export interface HubAnswer {
  readonly status: number
  /** At most the first 64 KiB. */
  readonly body: Buffer
}

/** The client certificate for an https hub, and the CA that verifies the hub. All are PEM. */
export interface Tls {
  readonly ca: string
  /** With its key, where the hub requires a client certificate. */
  readonly certificate?: string
  readonly key?: string
}

export interface Transport {
  /** Undefined: no complete answer, the request may or may not have arrived. */
  request(request: HubRequest): Promise<HubAnswer | undefined>
  /** Aborts what is in flight and closes every connection. */
  close(): Promise<void>
}

export interface TransportOptions {
  /** Origin and base path of the hub's FSP port, without a slash at the end. */
  readonly hubUrl: string
  readonly connections_max: number
  /**
   * For each attempt: to connect, to receive the head of the answer, and between parts of its body.
   */
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

/** The dispatcher's own callbacks cost a third of a stream per answer. */
function answerHandler(done: (answer: HubAnswer | undefined) => void): Dispatcher.DispatchHandler {
  let status = 0
  let chunks: Buffer[] = []
  let chunks_bytes = 0
  return {
    onRequestStart() {
      // Its presence selects the current form of the callbacks, not the older one.
    },
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(_controller, chunk) {
      if (chunks_bytes >= body_bytes_max) return
      chunks.push(chunk)
      chunks_bytes += chunk.length
    },
    onResponseEnd() {
      done({ status, body: Buffer.concat(chunks).subarray(0, body_bytes_max) })
      chunks = []
    },
    onResponseError() {
      done(undefined)
    },
  }
}
