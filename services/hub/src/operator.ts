/**
 * The operator's side of `npm start`: calls to the administration API over HTTP, as an operator's
 * own script would make them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { Agent, request, type Dispatcher } from 'undici'
import type { HubSettings } from './settings.ts'

/** An unexpected answer; the message names the request and the answer. */
export class OperatorError extends Error {}

export interface Operator {
  get<Answer>(path: string): Promise<Answer>
  send<Answer>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<Answer>
}

export interface OperatorOptions {
  /** TLS options, where the port requires a certificate. */
  readonly dispatcher?: Dispatcher
  /** The body of a log-in, as JSON; undefined: the hub requires no log-in. */
  readonly logIn: string | undefined
}

/** What a client of a hub on this folder needs where OPERATOR_TLS=on: the hub's own CA is trusted. */
export function operatorTls({
  OPERATOR_TLS,
  DATA_DIR,
}: Pick<HubSettings, 'OPERATOR_TLS' | 'DATA_DIR'>): Pick<OperatorOptions, 'dispatcher'> {
  const file = join(DATA_DIR, 'secrets', 'ca.pem')
  if (OPERATOR_TLS !== 'on' || !existsSync(file)) return {}
  return {
    dispatcher: new Agent({ connect: { ca: [...rootCertificates, readFileSync(file, 'utf8')] } }),
  }
}

/** Logs in at its first call, and again when its token is no longer accepted. */
export function operatorOf(baseUrl: string, { dispatcher, logIn }: OperatorOptions): Operator {
  let token: string | undefined

  async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body: string | null) {
    const answer = await request(`${baseUrl}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      headersTimeout: 0,
      ...(dispatcher === undefined ? {} : { dispatcher }),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  }

  async function newToken(body: string): Promise<string> {
    const { status, text } = await ask('POST', '/app-basic-auth', body)
    if (status === 200) return (JSON.parse(text) as { readonly accessToken: string }).accessToken
    throw new OperatorError(`the log-in was answered ${status}: ${text}`)
  }

  async function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) {
    const sent = body === undefined ? null : JSON.stringify(body)
    if (logIn !== undefined) token ??= await newToken(logIn)
    let answer = await ask(method, path, sent)
    if (answer.status === 401 && logIn !== undefined) {
      token = undefined
      token = await newToken(logIn)
      answer = await ask(method, path, sent)
    }
    const { status, text } = answer
    if (status < 300) return text === '' ? undefined : (JSON.parse(text) as unknown)
    throw new OperatorError(`${method} ${path} was answered ${status}: ${text}`)
  }

  return {
    get: async <Answer>(path: string) => (await call('GET', path)) as Answer,
    send: async <Answer>(method: 'POST' | 'PUT', path: string, body: unknown) =>
      (await call(method, path, body)) as Answer,
  }
}
