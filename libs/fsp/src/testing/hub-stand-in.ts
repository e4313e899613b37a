/**
 * The part of a hub that an FSP sees: it takes messages over HTTP and stores them byte for byte;
 * each test defines its answers and its callbacks.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface StandInRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A status, a status with a body, or no answer at all. */
export type Reply = number | { readonly status: number; readonly body: unknown } | 'RESET'

export interface HubStandIn {
  readonly url: string
  readonly taken: readonly StandInRequest[]
  /** The answers from now on; by default 202 to POST and GET and 200 to PUT. */
  replyWith(reply: (message: StandInRequest) => Reply): void
  /** Called for every message right after its answer was sent. */
  onTaken(listener: (message: StandInRequest) => void): void
  /** Resolves with the messages that match as soon as there are this many. */
  received(
    fits: (message: StandInRequest) => boolean,
    count: number,
  ): Promise<readonly StandInRequest[]>
  stop(): Promise<void>
}

export async function openHubStandIn(): Promise<HubStandIn> {
  const taken: StandInRequest[] = []
  let reply: (message: StandInRequest) => Reply = ({ method }) => (method === 'PUT' ? 200 : 202)
  let listener: (message: StandInRequest) => void = () => undefined
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { method = '', url = '', headers } = request
      const message = { method, path: url, headers, body }
      taken.push(message)
      const answer = reply(message)
      if (answer === 'RESET') {
        response.destroy()
      } else {
        response.statusCode = typeof answer === 'number' ? answer : answer.status
        response.end(typeof answer === 'number' ? undefined : JSON.stringify(answer.body))
      }
      listener(message)
      for (const look of waiting) look()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken,
    replyWith: (next) => (reply = next),
    onTaken: (next) => (listener = next),
    received: (fits, count) =>
      new Promise((resolve) => {
        const look = () => {
          const fitting = taken.filter(fits)
          if (fitting.length < count) return
          waiting.delete(look)
          resolve(fitting)
        }
        waiting.add(look)
        look()
      }),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The headers of a callback that the hub itself creates. */
export function callbackHeaders(
  to: string,
  from = 'Hub',
  resource = 'transfers',
): Record<string, string> {
  return {
    'content-type': `application/vnd.interoperability.${resource}+json;version=${
      resource === 'services' ? '1.0' : '1.1'
    }`,
    date: new Date().toUTCString(),
    'fspiop-source': from,
    'fspiop-destination': to,
  }
}
