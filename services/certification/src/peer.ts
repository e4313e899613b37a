/**
 * The hub as the FSP under test sees it: takes the FSP's messages, answers each as the running cases
 * define or as the API does, and sends messages to the FSP, one attempt each.
 */
import { publicJwk } from '@causeway/fsp'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import type { CertificationSettings } from './settings.ts'

/** A message of the FSP. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Undefined when the body is no JSON. */
  readonly json: unknown
}

/** RESET: the connection ends without an answer. */
export type Reply =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: object
    }
  | 'RESET'

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** The FSP's answer to a message of the kit. */
export interface FspResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A message as a report shows it. */
export interface Exchanged {
  readonly sender: 'FSP' | 'KIT'
  readonly method: string
  readonly path: string
  /** Undefined: there was no answer. */
  readonly status: number | undefined
  readonly body: string
}

export interface Subscriber {
  /** The answer to a message of the FSP; undefined: not this case's. */
  readonly reply: (message: ReceivedRequest) => Reply | undefined
  /** Called after the message was answered; undefined: it was not. */
  readonly take: (message: ReceivedRequest, status: number | undefined) => void
}

export interface Peer {
  /** The hub's address for the FSP. */
  readonly url: string
  /** Returns what ends it. */
  subscribe(subscriber: Subscriber): () => void
  /** Undefined: no answer. */
  send(message: Outgoing): Promise<FspResponse | undefined>
  stop(): Promise<void>
}

export interface PeerOptions extends Pick<CertificationSettings, 'signing' | 'tls' | 'answer_ms'> {
  readonly callbackUrl: () => string
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
}

const body_bytes_max = 8 * 1024 * 1024

export async function openPeer(options: PeerOptions): Promise<Peer> {
  const { signing, tls, answer_ms, host, port, callbackUrl } = options
  const subscribers = new Set<Subscriber>()
  const keys = { keys: signing === undefined ? [] : [publicJwk(signing)] }

  function replyTo(message: ReceivedRequest): Reply {
    if (message.path === '/.well-known/jwks.json') return { status: 200, body: keys }
    if (message.path === '/token') return { status: 200, body: token }
    for (const { reply } of subscribers) {
      const defined = reply(message)
      if (defined !== undefined) return defined
    }
    return { status: isAnswer(message.method) ? 200 : 202 }
  }

  const take: RequestListener = (incoming, response) => {
    read(incoming).then(
      (message) => {
        const reply = replyTo(message)
        if (reply === 'RESET') {
          response.destroy()
        } else {
          const { status, headers = {}, body } = reply
          response.writeHead(status, { 'content-type': 'application/json', ...headers })
          response.end(body === undefined ? '' : JSON.stringify(body))
        }
        const status = reply === 'RESET' ? undefined : reply.status
        for (const subscriber of subscribers) subscriber.take(message, status)
      },
      () => response.destroy(),
    )
  }
  const bounds = { maxHeaderSize: 65_536 }
  const server =
    tls === undefined
      ? createServer(bounds, take)
      : createTlsServer(
          { ...bounds, ca: tls.ca, cert: tls.certificate, key: tls.key, requestCert: true },
          take,
        )
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  const agent = new Agent({
    headersTimeout: answer_ms,
    bodyTimeout: answer_ms,
    ...(tls === undefined ? {} : { connect: { ca: tls.ca, cert: tls.certificate, key: tls.key } }),
  })
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${taken}`,
    subscribe(subscriber) {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    send: (message) => post(agent, callbackUrl(), message),
    async stop() {
      server.closeAllConnections()
      server.close()
      await Promise.all([once(server, 'close'), agent.destroy()])
    },
  }
}

const token = { access_token: 'certification', token_type: 'Bearer', expires_in: 3_600 }

function isAnswer(method: string): boolean {
  return method === 'PUT' || method === 'PATCH'
}

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > body_bytes_max) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  const { method = '', url = '', headers } = incoming
  const [path = '', query = ''] = url.split('?', 2)
  const body = Buffer.concat(chunks)
  return { method, path, query, headers, body, json: jsonIn(body) }
}

/** Undefined when it is no JSON. */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return undefined
  }
}

async function post(
  agent: Agent,
  callbackUrl: string,
  { method, path, headers, body }: Outgoing,
): Promise<FspResponse | undefined> {
  try {
    const answer = await request(callbackUrl + path, {
      method,
      headers,
      body: body ?? null,
      dispatcher: agent,
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    return { status: answer.statusCode, headers: answer.headers, body: bytes }
  } catch {
    return undefined
  }
}
