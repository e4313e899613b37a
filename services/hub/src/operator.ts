/**
 * The operator's side of `npm start`: calls to the administration API over HTTP, as an operator's
 * own script would make them.
 */
import { request, type Dispatcher } from 'undici'

/** An answer that the caller did not hope for; the message says what was asked and answered. */
export class OperatorError extends Error {}

export interface Operator {
  get<Answer>(path: string): Promise<Answer>
  send<Answer>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<Answer>
}

/** `dispatcher`: how it is reached, where a certificate is asked for. */
export function operatorOf(baseUrl: string, dispatcher?: Dispatcher): Operator {
  async function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) {
    const answer = await request(`${baseUrl}${path}`, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    })
    const text = await answer.body.text()
    if (answer.statusCode < 300) return text === '' ? undefined : (JSON.parse(text) as unknown)
    throw new OperatorError(`${method} ${path} was answered ${answer.statusCode}: ${text}`)
  }
  return {
    get: async <Answer>(path: string) => (await call('GET', path)) as Answer,
    send: async <Answer>(method: 'POST' | 'PUT', path: string, body: unknown) =>
      (await call(method, path, body)) as Answer,
  }
}
