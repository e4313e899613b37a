/**
 * The part of a hub that the sandbox FSPs need: it relays byte for byte over HTTP, plain or with
 * mutual TLS, knows whose customer a number is, and confirms reserved transfers.
 */
import { errorInformation, signatureHeader } from '@causeway/fspiop'
import { publicJwk, type Signing } from '@causeway/fsp'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { Agent, request } from 'undici'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface RelayTls {
  readonly certificate: string
  readonly key: string
  readonly ca: string
}

export interface HubRelay {
  readonly url: string
  readonly seen: readonly Seen[]
  /** Messages of FSPs that it did not know when they arrived. */
  readonly refused: readonly Seen[]
  /** The address for callbacks to an FSP; before, its messages are refused as an unknown FSP's. */
  know(fsp: string, callbackUrl: string): void
  stop(): Promise<void>
}

interface Fulfilled {
  readonly fulfilment: string
  readonly completedTimestamp: string
}

export interface HubRelayOptions {
  readonly tls?: RelayTls
  readonly signing?: Signing
}

export async function openHubRelay({ tls, signing }: HubRelayOptions = {}): Promise<HubRelay> {
  const seen: Seen[] = []
  const refused: Seen[] = []
  const callbackUrls = new Map<string, string>()
  const served = new Map<string, string>()
  const connect = tls && { cert: tls.certificate, key: tls.key, ca: tls.ca }
  const agent = new Agent({ ...(connect && { connect }) })

  async function send(to: string, { method, path, headers, body }: Seen): Promise<void> {
    const url = callbackUrls.get(to)
    if (url === undefined) return
    const answer = await request(`${url}${path}`, {
      dispatcher: agent,
      method: method as 'PUT',
      headers,
      body: body.length === 0 ? null : body,
    })
    await answer.body.dump()
  }

  async function sendSigned(to: string, method: 'PUT' | 'PATCH', path: string, body: object) {
    const bytes = Buffer.from(JSON.stringify(body))
    const resource = /^\/(\w+)/.exec(path)?.[1] ?? ''
    const date = new Date().toUTCString()
    const headers: Record<string, string> = {
      'content-type': `application/vnd.interoperability.${resource}+json;version=${resource === 'services' ? '1.0' : '1.1'}`,
      date,
      'fspiop-source': 'Hub',
      'fspiop-destination': to,
    }
    if (signing !== undefined) {
      const signed = { method, uri: path, source: 'Hub', destination: to, date, body: bytes }
      headers['fspiop-signature'] = await signatureHeader({ ...signing, ...signed })
      headers['fspiop-uri'] = path
      headers['fspiop-http-method'] = method
    }
    const message = { method, path, headers, body: bytes }
    seen.push(message)
    await send(to, message)
  }

  async function confirm(path: string, payee: string, payer: string, fulfilled: Fulfilled) {
    await sendSigned(payer, 'PUT', path, { ...fulfilled, transferState: 'COMMITTED' })
    const { completedTimestamp } = fulfilled
    await sendSigned(payee, 'PATCH', path, { completedTimestamp, transferState: 'COMMITTED' })
  }

  async function pass(message: Seen): Promise<void> {
    const { method, path, headers, body } = message
    const source = String(headers['fspiop-source'])
    const [target = ''] = path.split('?')
    const party = /^\/(?:participants|parties)\/(.+)/.exec(target)?.[1]
    if (path === '/pings') {
      const { pingId } = JSON.parse(body.toString()) as { pingId: string }
      await sendSigned(source, 'PUT', `/pings/${pingId}`, { receivedAt: new Date().toISOString() })
    } else if (path.startsWith('/services/')) {
      await sendSigned(source, 'PUT', path, { providers: ['greenbank', 'bluewallet'] })
    } else if (path.startsWith('/participants/') && party !== undefined) {
      if (method === 'POST') served.set(party, source)
      else served.delete(party)
      await sendSigned(source, 'PUT', target, method === 'POST' ? { fspId: source } : {})
    } else if (method === 'GET' && party !== undefined && !served.has(party)) {
      const error = { errorInformation: errorInformation('3204') }
      await sendSigned(source, 'PUT', `${target}/error`, error)
    } else {
      const to = String(headers['fspiop-destination'] ?? served.get(party ?? ''))
      if (body.toString().includes('"transferState":"RESERVED"')) {
        await confirm(path, source, to, JSON.parse(body.toString()) as Fulfilled)
      } else {
        await send(to, { ...message, headers: passed(message) })
      }
    }
  }

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const { method = '', url: path = '', headers } = incoming
    if (path === '/.well-known/jwks.json') {
      response.end(JSON.stringify({ keys: signing === undefined ? [] : [publicJwk(signing)] }))
      return
    }
    const message = { method, path, headers, body }
    if (!callbackUrls.has(String(headers['fspiop-source']))) {
      refused.push(message)
      response.writeHead(400)
      response.end(JSON.stringify({ errorInformation: errorInformation('3200') }))
      return
    }
    seen.push(message)
    response.writeHead(method === 'PUT' || method === 'PATCH' ? 200 : 202).end()
    await pass(message)
  }

  /** An FSP that has stopped receives nothing. */
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    take(incoming, response).catch(() => response.destroy())
  }

  const server =
    tls === undefined
      ? createServer(handle)
      : createTlsServer({ ...connect, requestCert: true, rejectUnauthorized: true }, handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    seen,
    refused,
    know: (fsp, callbackUrl) => void callbackUrls.set(fsp, callbackUrl),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await agent.destroy()
    },
  }
}

function passed({ method, headers }: Seen): IncomingHttpHeaders {
  const relayed = /^(fspiop-.*|content-type|date|accept)$/
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => relayed.test(name) && (name !== 'accept' || method !== 'PUT'),
    ),
  )
}
