/**
 * A whole payment: lookup, quote and transfer. Each leg begins when the one before has succeeded,
 * and until the transfer is sent no money can move.
 */
import { type ErrorInformation, errorInformation } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { tenths } from '../pending-requests.ts'
import type { Lookups } from '../parties/lookups.ts'
import type { QuotePayer } from '../quotes/payer.ts'
import type { Quote } from '../quotes/quote.ts'
import type { Payer } from '../transfers/payer.ts'
import type { Leg, PaymentEnd, PaymentOrder, PaymentResult, ServedParty } from './payment.ts'

export interface PaymentParts {
  readonly lookups: Pick<Lookups, 'lookUp'>
  readonly quotes: Pick<QuotePayer, 'quote'>
  readonly transfers: Pick<Payer, 'transfer'>
}

const defaultType = {
  scenario: 'TRANSFER',
  initiator: 'PAYER',
  initiatorType: 'CONSUMER',
} as const

/** The state of a payment under way. */
interface PaymentInProgress {
  readonly order: PaymentOrder
  readonly transactionId: string
  readonly ms: { lookup?: number; quote?: number; transfer?: number }
  payee: ServedParty | undefined
  quote: Quote | undefined
  transferId: string | undefined
}

/** Resolves with the outcome; rejects only for an order that makes no valid message. */
export async function pay(parts: PaymentParts, order: PaymentOrder): Promise<PaymentResult> {
  const begun_ms = performance.now()
  const run: PaymentInProgress = {
    order,
    transactionId: order.transactionId ?? randomUUID(),
    ms: {},
    payee: undefined,
    quote: undefined,
    transferId: undefined,
  }
  const end = await go(parts, run)
  const { transactionId, transferId, payee, quote } = run
  const ms = { ...run.ms, total: tenths(performance.now() - begun_ms) }
  return { transactionId, transferId, payee, quote, ms, ...end }
}

async function go(parts: PaymentParts, run: PaymentInProgress): Promise<PaymentEnd> {
  const payee = await found(parts, run)
  if ('state' in payee) return payee
  run.payee = payee
  const quote = await quoted(parts, run, payee)
  if ('state' in quote) return quote
  run.quote = quote
  const { confirm } = run.order
  if (confirm !== undefined && !(await confirm({ payee, quote }))) return { state: 'DECLINED' }
  return transferred(parts, run, payee, quote)
}

async function found(
  { lookups }: PaymentParts,
  { order, ms }: PaymentInProgress,
): Promise<ServedParty | PaymentEnd> {
  const { to, amount } = order
  if (to.fspId !== undefined) return to
  const { ms: lookup, ...ended } = await lookups.lookUp(to, amount.currency)
  ms.lookup = lookup
  return ended.state === 'FOUND' ? ended.party : endedBefore('lookup', ended)
}

async function quoted(
  { quotes }: PaymentParts,
  { order, transactionId, ms }: PaymentInProgress,
  payee: ServedParty,
): Promise<Quote | PaymentEnd> {
  const { payer, amountType = 'SEND', transactionType = defaultType } = order
  const { fees, note, transactionRequestId, extensions } = order
  const { ms: quote, ...ended } = await quotes.quote({
    transactionId,
    payeeFsp: payee.fspId,
    payee,
    payer,
    amountType,
    amount: order.amount,
    transactionType,
    expiration: order.expiration,
    ...(transactionRequestId === undefined ? {} : { transactionRequestId }),
    ...(fees === undefined ? {} : { fees }),
    ...(note === undefined ? {} : { note }),
    ...(extensions === undefined ? {} : { extensions }),
  })
  ms.quote = quote
  return ended.state === 'AGREED' ? ended.quote : endedBefore('quote', ended)
}

async function transferred(
  { transfers }: PaymentParts,
  run: PaymentInProgress,
  { fspId: payeeFsp }: ServedParty,
  { transferAmount, ilpPacket, condition, expiration: quoteExpiration }: Quote,
): Promise<PaymentEnd> {
  const { extensions, expiration } = run.order
  const transferId = randomUUID()
  run.transferId = transferId
  const ended = await transfers.transfer({
    transferId,
    payeeFsp,
    amount: transferAmount,
    ilpPacket,
    condition,
    // The payee FSP refuses a transfer on an expired quote, so there is no reason to send it.
    expiration: expiration < quoteExpiration ? expiration : quoteExpiration,
    ...(extensions === undefined ? {} : { extensions }),
  })
  run.ms.transfer = ended.ms
  const leg = 'transfer'
  switch (ended.state) {
    case 'COMMITTED': {
      const { state, fulfilment, completedTimestamp, extensions: answered } = ended
      return { state, fulfilment, completedTimestamp, extensions: answered }
    }
    case 'ABORTED':
      return { state: ended.state, leg, error: ended.error }
    case 'REFUSED':
      return { state: ended.state, leg, status: ended.status, error: ended.error }
    case 'UNRESOLVED':
      return { state: ended.state, leg, error: ended.error }
  }
}

/** No answer before the transfer ends the payment: nothing that moves money was sent. */
function endedBefore(
  leg: Exclude<Leg, 'transfer'>,
  ended:
    | { readonly state: 'FAILED'; readonly error: ErrorInformation }
    | { readonly state: 'REFUSED'; readonly status: number; readonly error: ErrorInformation }
    | { readonly state: 'UNRESOLVED'; readonly error: ErrorInformation | undefined },
): PaymentEnd {
  if (ended.state === 'REFUSED') {
    return { state: 'REFUSED', leg, status: ended.status, error: ended.error }
  }
  const error = ended.error ?? errorInformation('2004', `no answer to the ${leg} in time`)
  return { state: 'ABORTED', leg, error }
}
