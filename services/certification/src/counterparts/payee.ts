/**
 * The kit as the payee's FSP behind the hub, while the FSP under test pays: each step is answered as
 * the API defines, or as the case has it.
 */
import {
  amountToIlp,
  conditionOf,
  encodePacket,
  fulfilmentOf,
  transferAmountOf,
  writeTransaction,
} from '@causeway/fspiop'
import { randomBytes, randomInt } from 'node:crypto'
import { NotRun } from '../case.ts'
import type { Kit, Matches, Triggered } from '../kit.ts'
import type { Draft } from '../message.ts'
import type { Reply, ReceivedRequest } from '../peer.ts'
import { at, is } from '../read.ts'

/** What the case does differently; each returns the messages to send. */
export interface PayeeScript {
  /** The answer to a message of the payment, in place of 202. */
  readonly reply?: (message: ReceivedRequest) => Reply | undefined
  readonly onLookUp?: (payee: ActingPayee, usual: Draft) => readonly Draft[]
  readonly onQuote?: (payee: ActingPayee, usual: Draft) => readonly Draft[]
  readonly onTransfer?: (payee: ActingPayee, usual: Draft) => readonly Draft[]
  /** To GET /transfers/{ID}. */
  readonly onTransferQuery?: (payee: ActingPayee, usual: Draft) => readonly Draft[]
  readonly validFor_ms?: number
}

export interface ActingPayee {
  /** The number of the payee: it names the payment. */
  readonly id: string
  readonly isLookUp: Matches
  readonly isQuote: Matches
  readonly isTransfer: Matches
  readonly isTransferQuery: Matches
  /** Of the quote that was answered. */
  quote: { readonly request: object; readonly answer: QuoteAnswer } | undefined
  transferId: string | undefined
}

export interface QuoteAnswer {
  readonly transferAmount: { readonly currency: string; readonly amount: string }
  readonly expiration: string
  readonly ilpPacket: string
  readonly condition: string
}

export interface PaymentUnderTest extends ActingPayee {
  readonly triggered: Triggered
  /** The first POST /quotes. */
  quoteRequest(): Promise<ReceivedRequest>
  /** The first POST /transfers. */
  transferRequest(): Promise<ReceivedRequest>
  /** COMMITTED, ABORTED … as the FSP reports it; undefined: it does not. */
  state(): Promise<string | undefined>
}

const secret = randomBytes(32)

/** A number of no plan: other FSPs of the scheme have no such customer. */
export function newNumber(): string {
  return `999${String(randomInt(1e12)).padStart(12, '0')}`
}

/** Has the FSP pay the kit's customer. Resolves when its first message has arrived. */
export async function payKit(kit: Kit, script: PayeeScript = {}): Promise<PaymentUnderTest> {
  const { settings } = kit
  const payee = actingPayee()
  answerPayment(kit, payee, script)
  const triggered = kit.trigger({
    action: 'pay',
    to: { partyIdType: 'MSISDN', partyIdentifier: payee.id },
    amount: { currency: settings.currency, amount: '10' },
    validFor_ms: script.validFor_ms ?? settings.answer_ms + settings.silence_ms,
  })
  await triggered.begun('GET /parties for the payee', payee.isLookUp)
  return {
    ...payee,
    get quote() {
      return payee.quote
    },
    get transferId() {
      return payee.transferId
    },
    triggered,
    quoteRequest: () => kit.expect('POST /quotes after the payee was found', payee.isQuote),
    transferRequest: () => kit.expect('POST /transfers after the quote', payee.isTransfer),
    state: async () => (await triggered.outcome(settings.answer_ms))?.state,
  }
}

/** COMMITTED … or the case is not run further: the messages alone do not show it. */
export async function stateOf(payment: Pick<PaymentUnderTest, 'state'>): Promise<string> {
  const state = await payment.state()
  if (state === undefined) throw new NotRun('the trigger does not report how the payment ended')
  return state
}

export function actingPayee(): ActingPayee {
  const id = newNumber()
  const payee: ActingPayee = {
    id,
    quote: undefined,
    transferId: undefined,
    isLookUp: ({ method, path }) => method === 'GET' && path === `/parties/MSISDN/${id}`,
    isQuote: ({ method, path, json }) =>
      method === 'POST' &&
      path === '/quotes' &&
      at(json, 'payee', 'partyIdInfo', 'partyIdentifier') === id,
    isTransfer: ({ method, path, json }) =>
      method === 'POST' && path === '/transfers' && isOf(payee, json),
    isTransferQuery: (message) =>
      payee.transferId !== undefined && is('GET', `/transfers/${payee.transferId}`)(message),
  }
  return payee
}

/** By either of the two: a broken FSP changes one of them. */
function isOf({ quote }: ActingPayee, json: unknown): boolean {
  if (quote === undefined) return false
  const { ilpPacket, condition } = quote.answer
  return at(json, 'condition') === condition || at(json, 'ilpPacket') === ilpPacket
}

export function answerPayment(kit: Kit, payee: ActingPayee, script: PayeeScript): void {
  const { settings } = kit
  const route = { from: settings.counterparty, to: settings.fsp }
  const sendAll = (drafts: readonly Draft[]) => {
    for (const draft of drafts) kit.post(draft)
  }
  const isAny: Matches = (message) =>
    payee.isLookUp(message) ||
    payee.isQuote(message) ||
    payee.isTransfer(message) ||
    payee.isTransferQuery(message)
  if (script.reply !== undefined) kit.reply(isAny, script.reply)

  kit.on(payee.isLookUp, () => {
    const usual: Draft = {
      method: 'PUT',
      path: `/parties/MSISDN/${payee.id}`,
      ...route,
      body: { party: partyOf(settings.counterparty, payee.id) },
    }
    sendAll(script.onLookUp?.(payee, usual) ?? [usual])
  })
  kit.on(payee.isQuote, ({ json }) => {
    const answer = quoteAnswer(settings.counterparty, json)
    payee.quote = { request: json as object, answer }
    const path = `/quotes/${String(at(json, 'quoteId'))}`
    const usual: Draft = { method: 'PUT', path, ...route, body: answer }
    sendAll(script.onQuote?.(payee, usual) ?? [usual])
  })
  kit.on(payee.isTransfer, ({ json }) => {
    payee.transferId = String(at(json, 'transferId'))
    const usual: Draft = {
      method: 'PUT',
      path: `/transfers/${payee.transferId}`,
      ...route,
      body: committed(payee),
    }
    sendAll(script.onTransfer?.(payee, usual) ?? [usual])
  })
  kit.on(payee.isTransferQuery, () => {
    const usual: Draft = {
      method: 'PUT',
      path: `/transfers/${payee.transferId}`,
      from: settings.hubName,
      to: settings.fsp,
      body: committed(payee),
    }
    sendAll(script.onTransferQuery?.(payee, usual) ?? [usual])
  })
}

export function partyOf(fspId: string, id: string) {
  return {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: id, fspId },
    name: 'Certification Payee',
  }
}

/** The outcome that proves the payment. */
export function committed({ quote }: Pick<ActingPayee, 'quote'>) {
  return {
    fulfilment: fulfilmentOf(secret, quote?.answer.ilpPacket ?? ''),
    completedTimestamp: new Date().toISOString(),
    transferState: 'COMMITTED',
  }
}

/** Terms without fees of the payee's FSP. */
export function quoteAnswer(payeeFsp: string, request: unknown): QuoteAnswer {
  const { amountType, amount, fees, ...others } = request as QuoteRequest
  const transferAmount = transferAmountOf({
    amountType,
    amount,
    fees,
    payeeFspFee: undefined,
    payeeFspCommission: undefined,
  })
  if (transferAmount === undefined) throw new Error('the quote comes to no amount')
  const ilpAmount = amountToIlp(transferAmount.amount, transferAmount.currency)
  const { quoteId, transactionId, payee, payer, transactionType } = others
  const data = writeTransaction({
    transactionId,
    quoteId,
    payee: { partyIdInfo: payee.partyIdInfo },
    payer: { partyIdInfo: payer.partyIdInfo },
    amount: transferAmount,
    transactionType,
  })
  const ilpPacket = encodePacket({ amount: ilpAmount ?? 0n, address: `g.${payeeFsp}`, data })
  if (ilpPacket === undefined) throw new Error('the terms make no packet')
  return {
    transferAmount,
    expiration: new Date(Date.now() + 600_000).toISOString(),
    ilpPacket,
    condition: conditionOf(fulfilmentOf(secret, ilpPacket)),
  }
}

type QuoteRequest = Parameters<typeof transferAmountOf>[0] & Parameters<typeof writeTransaction>[0]
