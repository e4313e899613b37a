/**
 * Messages of lookup and quote as FSPs write them, and a payment that a story can stop after any
 * step.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fsp, Received } from './fsp.ts'
import { about, committed, newPacket, type NamedFsp, type Transfer } from './transfer.ts'

export interface QuoteRequest {
  readonly quoteId: string
  readonly transactionId: string
  readonly transactionRequestId?: string
  readonly payer: Party
  readonly payee: Party
  readonly amountType: 'SEND' | 'RECEIVE'
  readonly amount: Money
  readonly transactionType: object
  readonly note?: string
  readonly expiration?: string
}

interface Money {
  readonly currency: string
  readonly amount: string
}

export interface Party {
  readonly partyIdInfo: {
    readonly partyIdType: string
    readonly partyIdentifier: string
    readonly partySubIdOrType?: string
    readonly fspId?: string
  }
  readonly name?: string
  readonly personalInfo?: object
}

/** Numbers that no telephone has. */
export function newPhoneNumber(): string {
  return `1555${String(randomBytes(4).readUInt32BE()).padStart(10, '0')}`
}

export function partyOf(fsp: NamedFsp, partyIdentifier: string, name?: string): Party {
  return {
    partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier, fspId: fsp.name },
    ...(name === undefined ? {} : { name }),
  }
}

/** The FSP registers the number as its own and receives the confirmation. */
export async function own(fsp: Fsp, phone: string, currency?: string): Promise<void> {
  const path = `/participants/MSISDN/${phone}`
  const body = { fspId: fsp.name, ...(currency === undefined ? {} : { currency }) }
  await fsp.send('POST', path, body)
  await fsp.await((message) => message.method === 'PUT' && message.path === path)
}

export function newQuote(
  payer: NamedFsp,
  payee: NamedFsp,
  changed: Partial<QuoteRequest> = {},
): QuoteRequest {
  return {
    quoteId: randomUUID(),
    transactionId: randomUUID(),
    payer: partyOf(payer, '15550000001'),
    payee: partyOf(payee, '15550000002'),
    amountType: 'SEND',
    amount: { currency: 'USD', amount: '10' },
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: new Date(Date.now() + 30_000).toISOString(),
    ...changed,
  }
}

export interface Quoted {
  readonly quote: QuoteRequest
  /** The body of PUT /quotes/{ID}. */
  readonly response: {
    readonly transferAmount: Money
    readonly payeeFspFee?: Money
    readonly expiration: string
    readonly ilpPacket: string
    readonly condition: string
  }
  /** The transfer that the payer then sends, with the fulfilment that only the payee has. */
  readonly transfer: Transfer
}

/** The agreement of both FSPs, as the packet carries it. */
function transactionOf({ quoteId, transactionId, payee, payer, ...quote }: QuoteRequest): Buffer {
  const { amount, transactionType, note } = quote
  return Buffer.from(
    JSON.stringify({ transactionId, quoteId, payee, payer, amount, transactionType, note }),
  )
}

export interface TermsOptions {
  readonly expires_ms?: number
  readonly fee?: Money
  readonly transferId?: string
}

/** The payee's terms: the requested amount, without a fee unless one is given. */
export function termsOf(
  quote: QuoteRequest,
  payer: NamedFsp,
  payee: NamedFsp,
  { expires_ms = 30_000, fee, transferId = randomUUID() }: TermsOptions = {},
): Quoted {
  const { fulfilment, ...packet } = newPacket(payee, transactionOf(quote))
  const expiration = new Date(Date.now() + expires_ms).toISOString()
  return {
    quote,
    response: {
      transferAmount: quote.amount,
      ...(fee === undefined ? {} : { payeeFspFee: fee }),
      expiration,
      ...packet,
    },
    transfer: {
      transferId,
      fulfilment,
      request: {
        transferId,
        payerFsp: payer.name,
        payeeFsp: payee.name,
        amount: quote.amount,
        ...packet,
        expiration,
      },
    },
  }
}

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

/** The payer FSP looks up the number, and the payee FSP answers with the party. */
export async function lookUp(payer: Fsp, payee: Fsp, phone: string): Promise<Party> {
  const path = `/parties/MSISDN/${phone}`
  const after = payer.received.length
  await payer.send('GET', path)
  await payee.await(at('GET', path))
  await payee.send('PUT', path, { party: partyOf(payee, phone, 'Ada Example') }, to(payer))
  const { party } = (await payer.await(at('PUT', path), { after })).json() as { party: Party }
  return party
}

/** The payer FSP requests a quote, the payee FSP answers, and the payer FSP receives the terms. */
export async function agree(
  payer: Fsp,
  payee: Fsp,
  quote: QuoteRequest,
  terms: TermsOptions = {},
): Promise<Quoted> {
  const path = `/quotes/${quote.quoteId}`
  await payer.send('POST', '/quotes', quote, to(payee))
  await payee.await(at('POST', '/quotes', quote.quoteId))
  const quoted = termsOf(quote, payer, payee, terms)
  await payee.send('PUT', path, quoted.response, to(payer))
  await payer.await(at('PUT', path))
  return quoted
}

/** Makes the agreed transfer; resolves with the callback that the payer FSP receives at its end. */
export async function move(
  payer: Fsp,
  payee: Fsp,
  transfer: Transfer,
  state: 'COMMITTED' | 'RESERVED' = 'COMMITTED',
): Promise<Received> {
  const { transferId, request } = transfer
  await payer.send('POST', '/transfers', request, to(payee))
  await payee.await(about(transferId, 'POST'))
  await payee.send('PUT', `/transfers/${transferId}`, committed(transfer, state), to(payer))
  return payer.await(about(transferId, 'PUT'))
}

/** Resolves when the time that a message names has passed. */
export async function passed(moment: string): Promise<void> {
  for (;;) {
    const left_ms = Date.parse(moment) - Date.now()
    if (left_ms < 0) return
    await wait(left_ms + 1)
  }
}

/** Matches a message of this method at this path; a POST with this id. */
export function at(method: string, path: string, id?: string) {
  return (message: Received) =>
    message.method === method &&
    message.path === path &&
    (id === undefined || message.body.toString().includes(id))
}
