/**
 * A steady load of whole payments, as FSPs make them: a message that is not accepted is sent again,
 * a request that is not answered is repeated, and an accepted transfer is queried until it is
 * final.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Fsp, Received } from '../fsp/fsp.ts'
import {
  at,
  newPhoneNumber,
  newQuote,
  own,
  partyOf,
  termsOf,
  type QuoteRequest,
} from '../fsp/payment.ts'
import { about, committed, type Transfer, type TransferRequest } from '../fsp/transfer.ts'

export interface EndedPayment {
  readonly transferId: string
  readonly state: 'COMMITTED' | 'ABORTED'
  readonly begun_ms: number
  readonly ended_ms: number
}

export interface Load {
  /** Transfers that the hub has answered with 202. */
  readonly accepted: ReadonlySet<string>
  readonly ended: readonly EndedPayment[]
  /** Payments that stopped, each with the step. */
  readonly stopped: readonly string[]
  /** Begins no more payments; resolves when all have ended. */
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly payer: Fsp
  readonly payee: Fsp
  readonly per_second: number
}

const amount = { currency: 'USD', amount: '1' }
const answer_ms_max = 10_000
const expires_ms = 30_000
/** Of the payee. */
const customers = 20
const pause_ms = 200
/**
 * Past its expiry a transfer is final after a grace period and a sweep; a failed component may need
 * a while to recover.
 */
const final_ms_max = 240_000

export async function openLoad({ payer, payee, per_second }: LoadOptions): Promise<Load> {
  const accepted = new Set<string>()
  const ended: EndedPayment[] = []
  const stopped: string[] = []
  const stopping = new AbortController()
  const phones = Array.from({ length: customers }, newPhoneNumber)
  await Promise.all(phones.map((phone) => own(payee, phone)))
  answerAsPayee(payer, payee)

  async function pay(phone: string): Promise<void> {
    const begun_ms = Date.now()
    const since = `a payment begun at ${new Date(begun_ms).toISOString()}`
    if ((await until(() => lookUp(payer, phone), final_ms_max)) === undefined)
      return void stopped.push(`${since}: no answer to GET /parties`)
    const transfer = await until(() => agree(payer, payee, phone), final_ms_max)
    if (transfer === undefined) return void stopped.push(`${since}: no answer to POST /quotes`)
    const { transferId } = transfer
    if (!(await insist(payer, 'POST', '/transfers', transfer.request, payee)))
      return void stopped.push(`${since}: POST /transfers is not accepted`)
    accepted.add(transferId)
    const state = await until(() => stateOf(payer, transferId), final_ms_max)
    if (state === undefined) return void stopped.push(`${since}: no outcome of ${transferId}`)
    ended.push({ transferId, state, begun_ms, ended_ms: Date.now() })
  }

  const paying = (async () => {
    const underWay = new Set<Promise<void>>()
    for (let n = 0; !stopping.signal.aborted; n++) {
      const payment: Promise<void> = pay(phones[n % customers] ?? '').finally(() =>
        underWay.delete(payment),
      )
      underWay.add(payment)
      // A failure is received below.
      payment.catch(() => undefined)
      await wait(1_000 / per_second)
    }
    await Promise.all(underWay)
  })()
  paying.catch(() => undefined)

  return {
    accepted,
    ended,
    stopped,
    stop() {
      stopping.abort()
      return paying
    },
  }
}

/** From here on the FSP registers its numbers, answers quotes, and accepts transfers. */
function answerAsPayee(payer: Fsp, payee: Fsp): void {
  const transfers = new Map<string, Transfer>()
  payee.answerWith((message) => {
    const [, resource = '', ...rest] = message.path.split('/')
    if (message.method === 'GET' && resource === 'parties') {
      const party = partyOf(payee, rest.at(-1) ?? '', 'Ada Example')
      void insist(payee, 'PUT', message.path, { party }, payer)
    }
    if (message.method === 'POST' && resource === 'quotes') {
      const quoted = termsOf(message.json() as QuoteRequest, payer, payee, { expires_ms })
      transfers.set(quoted.response.condition, quoted.transfer)
      void insist(payee, 'PUT', `/quotes/${quoted.quote.quoteId}`, quoted.response, payer)
    }
    if (message.method === 'POST' && resource === 'transfers') {
      const { transferId, condition } = message.json() as TransferRequest
      const transfer = transfers.get(condition)
      if (transfer !== undefined) {
        void insist(payee, 'PUT', `/transfers/${transferId}`, committed(transfer), payer)
      }
    }
    return message.method === 'POST' ? 202 : 200
  })
}

async function lookUp(payer: Fsp, phone: string): Promise<true | undefined> {
  const path = `/parties/MSISDN/${phone}`
  const after = payer.received.length
  if (!(await insist(payer, 'GET', path))) return undefined
  return (await awaitMessage(payer, at('PUT', path), after)) === undefined ? undefined : true
}

async function agree(payer: Fsp, payee: Fsp, phone: string): Promise<Transfer | undefined> {
  const quote = newQuote(payer, payee, { payee: partyOf(payee, phone), amount })
  const after = payer.received.length
  if (!(await insist(payer, 'POST', '/quotes', quote, payee))) return undefined
  const callback = await awaitMessage(payer, at('PUT', `/quotes/${quote.quoteId}`), after)
  if (callback === undefined) return undefined
  const { condition, expiration, ilpPacket } = callback.json() as Pick<
    TransferRequest,
    'condition' | 'expiration' | 'ilpPacket'
  >
  const transferId = quote.transactionId
  const request = { transferId, payerFsp: payer.name, payeeFsp: payee.name, amount }
  return {
    transferId,
    fulfilment: '',
    request: { ...request, ilpPacket, condition, expiration },
  }
}

/** The outcome that the payer has received, or receives when it queries the transfer. */
async function stateOf(payer: Fsp, transferId: string): Promise<EndedPayment['state'] | undefined> {
  const isEnd = (message: Received) =>
    about(transferId, 'PUT', true)(message) ||
    (about(transferId, 'PUT')(message) &&
      (message.json() as { transferState: string }).transferState !== 'RESERVED')
  const callback = await awaitMessage(payer, isEnd, 0)
  if (callback === undefined) {
    await insist(payer, 'GET', `/transfers/${transferId}`)
    return undefined
  }
  if (callback.path.endsWith('/error')) return 'ABORTED'
  return (callback.json() as { transferState: EndedPayment['state'] }).transferState
}

async function awaitMessage(
  fsp: Fsp,
  fits: (message: Received) => boolean,
  after: number,
): Promise<Received | undefined> {
  return fsp.await(fits, { after, timeout_ms: answer_ms_max }).catch(() => undefined)
}

/** Undefined when no value was available within that time. */
async function until<T>(
  ask: () => Promise<T | undefined>,
  within_ms: number,
): Promise<T | undefined> {
  for (const late_ms = Date.now() + within_ms; Date.now() < late_ms; await wait(pause_ms)) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Sends until it is accepted; false when it was not accepted in time. */
async function insist(
  fsp: Fsp,
  method: string,
  path: string,
  body?: unknown,
  to?: Fsp,
): Promise<boolean> {
  const headers = to === undefined ? {} : { 'fspiop-destination': to.name }
  for (const late_ms = Date.now() + final_ms_max; Date.now() < late_ms; await wait(pause_ms)) {
    const answer = await fsp.send(method, path, body, headers).catch(() => undefined)
    if (answer !== undefined && answer.status < 300) return true
  }
  return false
}
