/** The connections between the FSPs of the bench and the hub: as cheap as possible, with TLS. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Pool } from 'undici'
import type { Arrival } from './payment-flow.ts'
import type { FailureMode } from './disturbances.ts'
import type { Tls } from './messages.ts'
import { headersOf, type Message } from './payments.ts'

/** Connections of one FSP to the hub; fewer for each where there are many FSPs. */
const connections_max = 64
const connectionsOfAll = 512
/** FSPs reuse their connections, as the hub does: a handshake costs as much as a payment. */
const keepAlive_ms = 120_000
const handshake_ms_max = 60_000

/** A received message with its headers. */
export type Inbound = Arrival & { readonly headers: IncomingMessage['headers'] }

/** The server of one FSP. */
export interface FspServer {
  readonly url: string
  failAs(how: FailureMode): void
}

export async function listen(
  fsp: number,
  tls: Tls | undefined,
  now_ms: () => number,
  onMessage: (message: Inbound) => void,
): Promise<FspServer> {
  let failureMode: FailureMode | undefined
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    if (failureMode === 'FAILS') response.writeHead(500, { 'content-length': '0' }).end()
    else if (failureMode === undefined) receive(request, response, now_ms, onMessage)
  }
  const server =
    tls === undefined
      ? createServer(handler)
      : createTlsServer(
          { ...pemsOf(fsp, tls), requestCert: true, rejectUnauthorized: true },
          handler,
        )
  server.keepAliveTimeout = keepAlive_ms
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    failAs(how) {
      failureMode = how
      if (how !== 'REFUSES') return
      server.close()
      server.closeAllConnections()
    },
  }
}

function pemsOf(fsp: number, { ca, fsps }: Tls) {
  const own = fsps[fsp]
  if (own === undefined) throw new Error(`FSP ${fsp} has no certificate`)
  return { ca, cert: own.certificate, key: own.key }
}

/** Answers at once; what follows from the message happens after that. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  now_ms: () => number,
  onMessage: (message: Inbound) => void,
): void {
  const { method = '', url = '', headers } = request
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const at_ms = now_ms()
    response.writeHead(method === 'PUT' ? 200 : 202, { 'content-length': '0' })
    response.end()
    const segments = url.split('/')
    const isError = segments.at(-1) === 'error'
    const [only] = chunks
    onMessage({
      method,
      resource: segments[1] ?? '',
      id: (isError ? segments.at(-2) : segments.at(-1)) ?? '',
      isError,
      body: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks),
      at_ms,
      headers,
    })
  })
}

export interface HubLinkOptions {
  /** The URL of an edge of the hub, or of several with commas between them: each FSP uses one. */
  readonly url: string
  readonly names: readonly string[]
  readonly tls: Tls | undefined
  /** The header Date of every message. */
  readonly date: string
}

export interface HubLink {
  /** Opens every connection of one FSP, or of one FSP after the other. */
  warm(fsp?: number): Promise<void>
  /**
   * Resolves with whether the hub has accepted the message or was too busy for it; rejects with the
   * status and body of any other refusal.
   */
  send(message: Message): Promise<'TAKEN' | 'BUSY'>
  /** Resolves with the status that the hub answers with; `source` replaces the sender's name. */
  statusOf(message: Message, source?: string): Promise<number>
}

/** Each FSP has its own connections and certificate. */
export function openHubLink({ url, names, tls, date }: HubLinkOptions): HubLink {
  const connections = Math.max(
    1,
    Math.min(connections_max, Math.ceil(connectionsOfAll / names.length)),
  )
  const urls = url.split(',')
  const pools = names.map((_, fsp) => {
    const pems = tls === undefined ? {} : pemsOf(fsp, tls)
    return new Pool(urls[fsp % urls.length] ?? url, {
      connections,
      pipelining: 1,
      keepAliveTimeout: keepAlive_ms,
      keepAliveMaxTimeout: keepAlive_ms,
      connect: { ...pems, timeout: handshake_ms_max },
    })
  })

  async function request(message: Message, changed: Record<string, string>) {
    const pool = pools[message.from]
    if (pool === undefined) throw new Error(`there is no FSP ${message.from}`)
    const headers = { ...headersOf(message, names, date), ...changed }
    const { method, path, body } = message
    return pool.request({ method, path, headers, body: body ?? null })
  }

  return {
    async warm(only) {
      for (const pool of pools.filter((_, fsp) => only === undefined || fsp === only)) {
        const requests = Array.from({ length: connections }, () => askForKeys(pool))
        await Promise.all(requests)
      }
    },
    async send(message) {
      const { statusCode, body } = await request(message, {})
      if (statusCode <= 202) {
        await body.dump()
        return 'TAKEN'
      }
      const text = await body.text()
      if (statusCode === 503 && text.includes('"errorCode":"2005"')) return 'BUSY'
      throw new Error(`${statusCode} ${text}`)
    },
    async statusOf(message, source) {
      const changed = source === undefined ? {} : { 'fspiop-source': source }
      const { statusCode, body } = await request(message, changed)
      await body.dump()
      return statusCode
    },
  }
}

/** A page that every hub serves at no cost. */
async function askForKeys(pool: Pool): Promise<void> {
  const { body } = await pool.request({ method: 'GET', path: '/.well-known/jwks.json' })
  await body.dump()
}
