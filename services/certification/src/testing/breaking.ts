/**
 * What stands around a reference FSP and breaks one rule: it may change, drop or repeat the FSP's
 * messages to the hub, and the messages of the hub to the FSP, with the answers to both.
 */
import type { Fsp, InboundAnswer, InboundMessage } from '@causeway/fsp'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import type { ActionOutcome } from '../trigger.ts'

/** A message of the FSP on its way to the hub. */
export interface FspMessage {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface RelayedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Breakage {
  /** Sends the FSP's message on, or does something else. */
  readonly outgoing?: (
    message: FspMessage,
    forward: (message: FspMessage) => Promise<RelayedResponse>,
  ) => Promise<RelayedResponse>
  readonly incoming?: (
    message: InboundMessage,
    receive: (message: InboundMessage) => Promise<InboundAnswer>,
  ) => Promise<InboundAnswer>
  /** The FSP acknowledges bodies of more than this, in place of its server. */
  readonly acknowledgesFrom_bytes?: number
  /** What the FSP reports about an action. */
  readonly report?: (outcome: Promise<ActionOutcome>) => Promise<ActionOutcome>
}

export interface Breaking {
  /** The address of the hub for the FSP. */
  readonly url: string
  readonly around: (fsp: Pick<Fsp, 'receive'>) => Pick<Fsp, 'receive'>
  /** The address of the FSP for the hub. */
  inFrontOf(callbackUrl: string): Promise<string>
  report(outcome: Promise<ActionOutcome>): Promise<ActionOutcome>
  stop(): Promise<void>
}

export async function openBreaking(hubUrl: string, breakage: Breakage): Promise<Breaking> {
  const { outgoing, incoming, report = (outcome) => outcome } = breakage
  const forward = (message: FspMessage) => sendTo(hubUrl, message)
  const servers: Server[] = []
  async function serve(handle: (message: FspMessage) => Promise<RelayedResponse>): Promise<string> {
    const server = createServer({ maxHeaderSize: 65_536 }, (incomingRequest, response) => {
      void buffer(incomingRequest)
        .then((body) => {
          const { method = '', url: path = '', headers } = incomingRequest
          return handle({ method, path, headers: texts(headers), body })
        })
        .then(
          ({ status, headers, body }) => response.writeHead(status, headers).end(body),
          () => response.destroy(),
        )
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return {
    url: await serve((message) =>
      outgoing === undefined ? forward(message) : outgoing(message, forward),
    ),
    inFrontOf(callbackUrl) {
      const { acknowledgesFrom_bytes: from } = breakage
      if (from === undefined) return Promise.resolve(callbackUrl)
      return serve((message) =>
        message.body.length > from ? Promise.resolve(accepted) : sendTo(callbackUrl, message),
      )
    },
    around: (fsp) => ({
      receive: (message) =>
        incoming === undefined
          ? fsp.receive(message)
          : incoming(message, (changed) => fsp.receive(changed)),
    }),
    report,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

async function sendTo(
  url: string,
  { method, path, headers, body }: FspMessage,
): Promise<RelayedResponse> {
  const answer = await request(url + path, {
    method: method as 'POST',
    headers,
    body: body.length === 0 ? null : body,
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  return { status: answer.statusCode, headers: texts(answer.headers), body: bytes }
}

const ofConnection = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
])

function texts(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const all: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !ofConnection.has(name)) all[name] = String(value)
  }
  return all
}

/** The JSON of a message; an empty object when there is none. */
export function jsonOf(body: Buffer): Record<string, unknown> {
  try {
    return (JSON.parse(body.toString()) as Record<string, unknown> | null) ?? {}
  } catch {
    return {}
  }
}

export const accepted: RelayedResponse = { status: 202, headers: {}, body: Buffer.alloc(0) }
