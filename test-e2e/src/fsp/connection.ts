/**
 * The connections between FSPs and the hub, over mutual TLS or plain HTTP, without a protocol. The
 * stories and the load of the bench share them, so they cost as little as they can.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Agent } from 'undici'

/** PEM. Each side shows a certificate of the scheme's CA. */
export interface Certified {
  readonly certificate: string
  readonly key: string
  readonly ca: string
}

/** A message of the hub. */
export interface Inbound {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface CallbackServer {
  readonly url: string
  stop(): Promise<void>
}

/** FSPs reuse their connections, as the hub does: a handshake costs as much as a payment. */
const keepAlive_ms = 120_000
const handshake_ms_max = 60_000

/** @param onMessage answers each message once, with a status */
export async function serveCallbacks(
  own: Certified | undefined,
  onMessage: (message: Inbound, answer: (status: number) => void) => void,
): Promise<CallbackServer> {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [only] = chunks
      const body = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
      onMessage({ method, path: url, headers, body }, (status) => {
        response.writeHead(status, { 'content-length': '0' }).end()
      })
    })
  }
  const server =
    own === undefined
      ? createServer(handle)
      : createTlsServer({ ...pemsOf(own), requestCert: true, rejectUnauthorized: true }, handle)
  server.keepAliveTimeout = keepAlive_ms
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `${own === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** One message at a time on each connection. */
export function connectionsOf(own: Certified | undefined, connections = 64): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAlive_ms,
    keepAliveMaxTimeout: keepAlive_ms,
    connect: { ...(own === undefined ? {} : pemsOf(own)), timeout: handshake_ms_max },
  })
}

function pemsOf({ certificate: cert, key, ca }: Certified) {
  return { cert, key, ca }
}

export interface MessageHead {
  readonly method: string
  /** From the resource on. */
  readonly path: string
  readonly source: string
  readonly destination?: string | undefined
  /** As HTTP writes it. */
  readonly date: string
  /** It has a body and is signed: FSPIOP-URI and FSPIOP-HTTP-Method go with the signature. */
  readonly isSigned: boolean
}

/**
 * Every header of a valid message except those of the connection and the signature. A GET has the
 * Content-Type of the resource that it requests.
 */
export function headersOf(head: MessageHead): Record<string, string> {
  const { method, path, source, destination, date, isSigned } = head
  const resource = /^\/([^/?]*)/.exec(path)?.[1] ?? ''
  const media = `application/vnd.interoperability.${resource}+json;version=1.1`
  const headers: Record<string, string> = { 'content-type': media, date, 'fspiop-source': source }
  if (method !== 'PUT' && method !== 'PATCH') headers['accept'] = media
  if (destination !== undefined) headers['fspiop-destination'] = destination
  if (isSigned) {
    headers['fspiop-uri'] = path
    headers['fspiop-http-method'] = method
  }
  return headers
}
