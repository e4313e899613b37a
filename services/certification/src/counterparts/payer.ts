/**
 * The kit as the payer's FSP behind the hub, while a customer of the FSP under test is paid: requests
 * that the API allows, unless a case changes them.
 */
import { putQuotes, type PutQuotes } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { describe, type Kit, type Matches } from '../kit.ts'
import type { Draft } from '../message.ts'
import type { ReceivedRequest } from '../peer.ts'
import { at, bodyOf, ensure, is, isAnswer, need } from '../read.ts'

export interface QuoteRequest {
  readonly quoteId: string
  readonly transactionId: string
  readonly [member: string]: unknown
}

/** A route from the kit's FSP to the FSP under test. */
export function route({ settings }: Kit): Pick<Draft, 'from' | 'to'> {
  return { from: settings.counterparty, to: settings.fsp }
}

/** The FSP's customer, or the case is not run. */
export function customerOf({ settings }: Kit): { readonly type: string; readonly id: string } {
  return need(settings.party, 'no customer of the FSP is named (--party)')
}

export function partyPath(kit: Kit): string {
  const { type, id } = customerOf(kit)
  return `/parties/${encodeURIComponent(type)}/${encodeURIComponent(id)}`
}

/** A new quote for the FSP's customer. */
export function newQuote(kit: Kit, changes: Readonly<Record<string, unknown>> = {}): QuoteRequest {
  const { settings } = kit
  const { type, id } = customerOf(kit)
  return {
    quoteId: randomUUID(),
    transactionId: randomUUID(),
    payee: {
      partyIdInfo: { partyIdType: type, partyIdentifier: id, fspId: settings.fsp },
    },
    payer: {
      partyIdInfo: {
        partyIdType: 'MSISDN',
        partyIdentifier: '999000000000001',
        fspId: settings.counterparty,
      },
      name: 'Certification Payer',
    },
    amountType: 'SEND',
    amount: { currency: settings.currency, amount: '10' },
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: inFuture(settings.answer_ms + settings.silence_ms),
    ...changes,
  }
}

export function inFuture(ms: number): string {
  return new Date(Date.now() + ms).toISOString()
}

export function isQuoteAnswer({ quoteId }: QuoteRequest): Matches {
  return isAnswer(`/quotes/${quoteId}`)
}

export async function askForQuote(
  kit: Kit,
  quote: QuoteRequest,
  changes: Partial<Draft> = {},
): Promise<void> {
  await kit.sendExpecting(202, {
    method: 'POST',
    path: '/quotes',
    ...route(kit),
    body: quote,
    ...changes,
  })
}

/** The FSP's terms. */
export interface Quoted {
  readonly request: QuoteRequest
  readonly message: ReceivedRequest
  readonly terms: PutQuotes
}

export async function quoted(
  kit: Kit,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Quoted> {
  const request = newQuote(kit, changes)
  await askForQuote(kit, request)
  return termsOf(kit, request)
}

export async function termsOf(kit: Kit, request: QuoteRequest): Promise<Quoted> {
  const message = await kit.expect('PUT /quotes/{ID} with terms', isQuoteAnswer(request))
  ensure(!message.path.endsWith('/error'), 'PUT /quotes/{ID} with terms', describe(message))
  return { request, message, terms: bodyOf(putQuotes, message) }
}

export interface TransferRequest {
  readonly transferId: string
  readonly [member: string]: unknown
}

/** A transfer on these terms. */
export function transferOn(
  { settings }: Kit,
  { terms }: Quoted,
  changes: Readonly<Record<string, unknown>> = {},
): TransferRequest {
  const { currency, amount } = terms.transferAmount
  return {
    transferId: randomUUID(),
    payerFsp: settings.counterparty,
    payeeFsp: settings.fsp,
    amount: { currency, amount },
    ilpPacket: terms.ilpPacket,
    condition: terms.condition,
    expiration: inFuture(settings.answer_ms + settings.silence_ms),
    ...changes,
  }
}

export function isTransferAnswer({ transferId }: TransferRequest): Matches {
  return isAnswer(`/transfers/${transferId}`)
}

async function sendTransfer(kit: Kit, transfer: TransferRequest): Promise<void> {
  await kit.sendExpecting(202, {
    method: 'POST',
    path: '/transfers',
    ...route(kit),
    body: transfer,
  })
}

/** Sends it; resolves with the FSP's PUT, an error too. */
export async function transferred(kit: Kit, transfer: TransferRequest): Promise<ReceivedRequest> {
  await sendTransfer(kit, transfer)
  return kit.expect('PUT /transfers/{ID} or its error', isTransferAnswer(transfer))
}

/** The fulfilment in PUT /transfers/{ID}; undefined: it accepts nothing. */
export function fulfilmentIn(message: ReceivedRequest): string | undefined {
  const fulfilment = at(message.json, 'fulfilment')
  return message.path.endsWith('/error') || typeof fulfilment !== 'string' ? undefined : fulfilment
}

/** The PUT /transfers/{ID}, not its error. */
export function isFulfilment({ transferId }: TransferRequest): Matches {
  return is('PUT', `/transfers/${transferId}`)
}
