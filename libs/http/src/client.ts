/**
 * An HTTP client: connections are pooled, bounded per origin and opened a few at a time, a response is
 * bounded in size and time, redirects are not followed, and a failure has a kind.
 */
import { createSecureContext } from 'node:tls'
import { exchange } from './exchange.ts'
import type { Egress } from './egress.ts'
import { HttpFailure } from './failure.ts'
import { openFewAtOnce, type FewAtOnce } from './few-at-once.ts'

export interface HttpClientOptions {
  readonly connections_per_origin_max: number
  /** From the call to the last byte of the response, waiting for a connection included. */
  readonly timeout_ms: number
  /** A longer body of a response is truncated (64 KiB). */
  readonly body_bytes_max?: number
  /** The identity and the trusted CAs for https servers; the public CAs if omitted. */
  readonly tls?: ClientTls
  /** Where requests may go; anywhere if omitted, for addresses that no data names. */
  readonly egress?: Egress
}

/** The client's identity, and the servers that it trusts. All are PEM. */
export interface ClientTls {
  /** With its key; undefined: the client has none. */
  readonly certificate: string | undefined
  readonly key: string | undefined
  /** Undefined: the public CAs. */
  readonly ca: string | undefined
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Where it is less than that of the client. */
  readonly timeout_ms?: number
  readonly signal?: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** At most its first `body_bytes_max`. */
  readonly body: Buffer
  /** Whether the body was longer than that. */
  readonly truncated: boolean
}

export interface HttpClient {
  /** Rejects with HttpFailure when there is no complete response. Any status is a response. */
  request(request: HttpRequest): Promise<HttpAnswer>
  /** Fails what is in flight and closes every connection. */
  close(): Promise<void>
}

/** Connections to this many origins stay open; then the ones used longest ago are closed. */
const origins_max = 1_000
/** Connections to an origin without a request for this long are closed. */
const unused_ms_max = 300_000

interface Origin {
  readonly pool: FewAtOnce
  readonly used_at: number
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const secure = secureOptions(options)
  /** In the order of their last use, the oldest first. */
  const origins = new Map<string, Origin>()
  const sweep = setInterval(dropUnused, unused_ms_max / 5)
  sweep.unref()

  function poolOf(origin: string): FewAtOnce {
    const pool = origins.get(origin)?.pool ?? openPool(origin, options, secure)
    origins.delete(origin)
    origins.set(origin, { pool, used_at: Date.now() })
    if (origins.size > origins_max) dropOldest()
    return pool
  }

  function dropOldest(): void {
    for (const [name, { pool }] of origins) {
      drop(name, pool)
      return
    }
  }

  function dropUnused(): void {
    const oldest = Date.now() - unused_ms_max
    for (const [name, { pool, used_at }] of origins) {
      if (used_at > oldest) return
      drop(name, pool)
    }
  }

  /** Requests in flight are finished. */
  function drop(name: string, pool: FewAtOnce): void {
    origins.delete(name)
    pool.close()
  }

  return {
    async request(request) {
      const url = parsed(request.url)
      return exchange(poolOf(url.origin), url.pathname + url.search, request, options)
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...origins.values()].map(({ pool }) => pool.destroy()))
      origins.clear()
    },
  }
}

function parsed(url: string): URL {
  try {
    return new URL(url)
  } catch (cause) {
    throw new HttpFailure('OTHER', `${url} is not a URL`, { cause })
  }
}

/** Throws HttpFailure for an origin that requests may not go to. */
function openPool(
  origin: string,
  options: HttpClientOptions,
  secure: ReturnType<typeof secureOptions>,
): FewAtOnce {
  const { egress } = options
  const url = new URL(origin)
  const denied = egress?.faultOf(url)
  if (denied !== undefined) throw new HttpFailure('DENIED', denied)
  const lookup = egress === undefined ? {} : { lookup: egress.lookupFor(url.protocol) }
  return openFewAtOnce(origin, {
    connections: options.connections_per_origin_max,
    pipelining: 1,
    connect: { timeout: options.timeout_ms, ...lookup, ...secure },
    /** One time-out covers the whole exchange. */
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Read once: a connection that had to read the certificates again would cost twice as much. */
function secureOptions({ tls }: HttpClientOptions) {
  if (tls === undefined) return {}
  const { certificate, key, ca } = tls
  return {
    secureContext: createSecureContext({
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(ca === undefined ? {} : { ca }),
    }),
  }
}
