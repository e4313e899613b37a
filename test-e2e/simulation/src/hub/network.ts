/**
 * HTTP of a simulated process: what reaches it is handed to the handler of its server, and what it sends
 * goes to the world outside. Requests and answers are those of Node.js; there are no connections.
 */
import { HttpFailure, type Http, type HttpAnswer, type HttpRequest } from '@causeway/http'
import inject, { type InjectOptions } from 'light-my-request'
import { now_ms, ownedBy, thawed, type Owner } from '../virtual/world.ts'

/** Answers what the hub sends; rejects with an HttpFailure, or never settles. */
export type Outside = (request: HttpRequest) => Promise<HttpAnswer>

type RequestHandler = Parameters<Http['serve']>[0]['handler']

/** The servers for FSPs and for operators, by their names for people. */
export const fspServer = 'API for FSPs'
export const operatorServer = 'administration API (OPERATOR_PORT)'

export interface HubAnswer {
  readonly status: number
  readonly body: string
}

export class Network {
  readonly http: Http
  readonly #owner: Owner
  readonly #handlers = new Map<string, RequestHandler>()

  constructor(owner: Owner, outside: Outside) {
    this.#owner = owner
    this.http = {
      serve: ({ name, handler }) => {
        this.#handlers.set(name, handler)
        return Promise.resolve({
          url: 'http://127.0.0.1:0',
          renewTls: () => undefined,
          setHosts: () => undefined,
          stop: () => Promise.resolve(void this.#handlers.delete(name)),
        })
      },
      client: ({ timeout_ms }) => ({
        request: (request) =>
          answerWithin(
            ownedBy(undefined, () => outside(request)),
            Math.min(timeout_ms, request.timeout_ms ?? Infinity),
          ),
        close: () => Promise.resolve(),
      }),
    }
  }

  /**
   * Undefined: no process listens. It may never settle.
   *
   * @param onReceived gets the moments at which it may count as received
   */
  async receive(
    server: string,
    { method, url, headers, body }: HttpRequest,
    onReceived: (ms: number) => void,
  ): Promise<HubAnswer | undefined> {
    await thawed(this.#owner)
    const handler = this.#handlers.get(server)
    if (handler === undefined || this.#owner.isDead()) return undefined
    const { ahead_ms } = this.#owner
    onReceived(now_ms() + ahead_ms)
    // The ledger takes the earlier one of this and its own clock, whenever it decides.
    if (ahead_ms > 0) onReceived(now_ms())
    const sent = {
      method: method as 'POST',
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    }
    const answer = await ownedBy(this.#owner, () => answerOf(handler, sent))
    return this.#owner.isDead() ? undefined : answer
  }
}

/** What `inject` returns without a callback begins only when it is awaited, outside of the process. */
function answerOf(handler: RequestHandler, sent: InjectOptions): Promise<HubAnswer> {
  return new Promise((resolve, reject) => {
    inject(handler, sent, (error, response) => {
      if (response === undefined) reject(error ?? new Error('there is no response'))
      else resolve({ status: response.statusCode, body: response.payload })
    })
  })
}

function answerWithin(answering: Promise<HttpAnswer>, timeout_ms: number): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new HttpFailure('TIMEOUT', `no response within ${timeout_ms} ms`)),
      timeout_ms,
    )
    void answering.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
