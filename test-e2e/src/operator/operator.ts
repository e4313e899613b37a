/** The operator in the stories: the administration API, called as an operator calls it. */
import { createAuthenticator, type Authenticator } from '@causeway/fsp'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'undici'
import type { Fsp } from '../fsp/fsp.ts'
import { registrationBy, signatureBy, type Challenge, type KeyChallenge } from './security-key.ts'

export interface Operator {
  /** The administrator's bearer token, for clients that act for the administrator. */
  token(): Promise<string>
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<OperatorAnswer>
}

export interface OperatorAnswer {
  readonly status: number
  readonly json: unknown
}

export interface Onboarding {
  readonly currency?: string
  readonly netDebitCap?: string
  readonly funds?: string
  /** Types with the path at the FSP; by default those for every message. */
  readonly endpoints?: readonly (readonly [type: string, path: string])[]
}

export interface AccountBalance {
  readonly id: number
  readonly ledgerAccountType: string
  readonly currency: string
  readonly value: number
}

/**
 * The administrator: logs in at the first call and changes the initial password; where the hub
 * requires a security key, it has one.
 * @param passwordFile where the hub has written the initial password
 */
export function operatorAt(url: string, passwordFile: string): Operator {
  let loggingIn: Promise<string> | undefined
  const key = createAuthenticator()
  const token = () => (loggingIn ??= logInPatiently(url, passwordFile, key))
  return {
    token,
    call: async (method, path, body) => {
      const answer = await ask(url, method, path, body, await token())
      if (answer.status !== 401) return answer
      loggingIn = undefined
      return ask(url, method, path, body, await token())
    },
  }
}

const administrator = 'administrator'
/** The administrator's password after that. */
const chosenPassword = 'a password of the stories'

/** The body of the administrator's log-in, once one operator has been called. */
export const administratorLogIn = { id: administrator, secret: chosenPassword } as const

const log_in_ms_max = 60_000

/** Checking a password is expensive: a busy machine answers 503, and the log-in is repeated. */
async function logInPatiently(
  url: string,
  passwordFile: string,
  key: Authenticator,
): Promise<string> {
  const late = Date.now() + log_in_ms_max
  for (;;) {
    try {
      return await logIn(url, passwordFile, key)
    } catch (error) {
      if (!String(error).includes('"2003"') || Date.now() > late) throw error
    }
  }
}

async function logIn(url: string, passwordFile: string, key: Authenticator): Promise<string> {
  // Removed when the password was changed.
  const first = existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8') : chosenPassword
  const withSecret = (secret: string) => sessionOf(url, { id: administrator, secret }, key)
  const session = (await withSecret(first)) ?? (await withSecret(chosenPassword))
  if (session === undefined) throw new Error('the administrator cannot log in')
  if (!session.mustChangePassword) return session.accessToken
  const change = { id: administrator, secret: first, newSecret: chosenPassword }
  await answered(ask(url, 'POST', '/app-change-secret', change, session.accessToken))
  return logIn(url, passwordFile, key)
}

interface OperatorSession {
  readonly accessToken: string
  readonly mustChangePassword: boolean
  readonly mustRegisterKey: boolean
}

interface LogInBody {
  readonly id: string
  readonly secret: string
}

/** Undefined when the password is wrong. */
async function sessionOf(
  url: string,
  body: LogInBody,
  key: Authenticator,
): Promise<OperatorSession | undefined> {
  const answer = await ask(url, 'POST', '/app-basic-auth', body)
  if (answer.status === 401) return undefined
  if (answer.status === 202) {
    const signature = signatureBy(key, answer.json as KeyChallenge)
    const ended = ask(url, 'POST', '/app-fido-authorize', signature)
    return (await answered<{ readonly session: OperatorSession }>(ended)).session
  }
  const session = await answered<OperatorSession>(Promise.resolve(answer))
  if (session.mustChangePassword || !session.mustRegisterKey) return session
  await registerKey(url, session.accessToken, key)
  return sessionOf(url, body, key)
}

async function registerKey(url: string, token: string, key: Authenticator): Promise<void> {
  const path = '/app-fido-register'
  const challenge = await answered<Challenge>(ask(url, 'POST', path, {}, token))
  await answered(ask(url, 'POST', path, registrationBy(key, challenge, 'a key in software'), token))
}

async function ask(
  url: string,
  method: string,
  path: string,
  body: unknown,
  token?: string,
): Promise<OperatorAnswer> {
  const answer = await request(`${url}${path}`, {
    method: method as 'GET',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, json: text === '' ? undefined : JSON.parse(text) }
}

/** The body of the answer; throws when the call was refused. */
export async function answered<Body>(call: Promise<OperatorAnswer>): Promise<Body> {
  const { status, json } = await call
  if (status >= 300) throw new Error(`the operator was answered ${status} ${JSON.stringify(json)}`)
  return json as Body
}

function done(operator: Operator, method: 'POST' | 'PUT', path: string, body: unknown) {
  return answered(operator.call(method, path, body))
}

/** Hub accounts and the net settlement model of a currency. */
export async function openScheme(operator: Operator, currency = 'USD'): Promise<void> {
  for (const type of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    await done(operator, 'POST', '/participants/Hub/accounts', { currency, type })
  }
  const name = `DEFERREDNET${currency}`
  const { status, json } = await operator.call('POST', '/settlementModels', {
    name,
    settlementGranularity: 'NET',
    settlementInterchange: 'MULTILATERAL',
    settlementDelay: 'DEFERRED',
    currency,
    requireLiquidityCheck: true,
    ledgerAccountType: 'POSITION',
    settlementAccountType: 'SETTLEMENT',
    autoPositionReset: true,
  })
  // A busy hub may have made it before it was asked again.
  const isThere =
    status === 400 && (await operator.call('GET', `/settlementModels/${name}`)).status === 200
  if (status >= 300 && !isThere) {
    throw new Error(`the operator was answered ${status} ${JSON.stringify(json)}`)
  }
}

const usualEndpoints = [
  ['FSPIOP_CALLBACK_URL', ''],
  ['FSPIOP_CALLBACK_URL_TRANSFER_POST', '/transfers'],
  ['FSPIOP_CALLBACK_URL_TRANSFER_PUT', '/transfers/{{transferId}}'],
  ['FSPIOP_CALLBACK_URL_TRANSFER_ERROR', '/transfers/{{transferId}}/error'],
] as const

/** Completes a new FSP until it can pay and be paid. */
export async function onboard(
  operator: Operator,
  fsp: Pick<Fsp, 'name' | 'url'>,
  {
    currency = 'USD',
    netDebitCap = '10000',
    funds = '10000',
    endpoints = usualEndpoints,
  }: Onboarding = {},
): Promise<void> {
  const { name, url } = fsp
  const { status } = await operator.call('GET', `/participants/${name}`)
  // With COMPATIBILITY=mojaloop an unknown participant is 400.
  if (status === 404 || status === 400) {
    await done(operator, 'POST', '/participants', { name, currency })
  }
  await done(operator, 'POST', `/participants/${name}/initialPositionAndLimits`, {
    currency,
    limit: { type: 'NET_DEBIT_CAP', value: netDebitCap },
    initialPosition: 0,
  })
  for (const [type, path] of endpoints) {
    await done(operator, 'POST', `/participants/${name}/endpoints`, {
      type,
      value: `${url}${path}`,
    })
  }
  await done(operator, 'PUT', `/participants/${name}`, { isActive: true })
  await deposit(operator, name, funds, currency)
}

export async function deposit(
  operator: Operator,
  name: string,
  amount: string,
  currency = 'USD',
): Promise<void> {
  const settlement = await account(operator, name, 'SETTLEMENT', currency)
  await done(operator, 'POST', `/participants/${name}/accounts/${settlement.id}`, {
    transferId: randomUUID(),
    externalReference: 'a bank statement',
    action: 'recordFundsIn',
    reason: 'deposit',
    amount: { amount, currency },
  })
}

export async function account(
  operator: Operator,
  name: string,
  type: string,
  currency = 'USD',
): Promise<AccountBalance> {
  const { json } = await operator.call('GET', `/participants/${name}/accounts`)
  const found = (json as readonly AccountBalance[]).find(
    (each) => each.ledgerAccountType === type && each.currency === currency,
  )
  if (found === undefined) throw new Error(`${name} has no ${type} account in ${currency}`)
  return found
}

/** What the FSP owes to the scheme (negative: what the scheme owes to the FSP). */
export async function position(operator: Operator, name: string, currency = 'USD') {
  return (await account(operator, name, 'POSITION', currency)).value
}

/** A program of the operator, which logs in with its secret. */
export async function programWith(
  administrator: Operator,
  url: string,
  name: string,
  roles: readonly string[],
): Promise<Operator> {
  const { secret } = await answered<{ readonly secret: string }>(
    administrator.call('POST', '/operators', { name, kind: 'MACHINE', roles }),
  )
  const token = async () =>
    (await answered<OperatorSession>(ask(url, 'POST', '/app-basic-auth', { id: name, secret })))
      .accessToken
  const session = await token()
  return {
    token,
    call: (method, path, body) => ask(url, method, path, body, session),
  }
}

/** A further person with an account at the hub, who has changed the initial password. */
export async function personWith(
  administrator: Operator,
  url: string,
  name: string,
  roles: readonly string[],
): Promise<Operator> {
  const { secret } = await answered<{ readonly secret: string }>(
    administrator.call('POST', '/operators', { name, roles }),
  )
  const key = createAuthenticator()
  const first = await answered<OperatorSession>(
    ask(url, 'POST', '/app-basic-auth', { id: name, secret }),
  )
  const change = { id: name, secret, newSecret: chosenPassword }
  await answered(ask(url, 'POST', '/app-change-secret', change, first.accessToken))
  const token = async () => {
    const session = await sessionOf(url, { id: name, secret: chosenPassword }, key)
    if (session === undefined) throw new Error(`${name} cannot log in`)
    return session.accessToken
  }
  const session = await token()
  return {
    token,
    call: (method, path, body) => ask(url, method, path, body, session),
  }
}
