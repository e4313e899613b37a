/**
 * The DFSP's side of a payment that a PISP requests. Each request is decided once; the terms are
 * agreed with the payee's FSP, signed by the user, verified, and paid. In every case the PISP gets
 * exactly one final callback. Third-Party API 1.0, transfer.
 */
import {
  errorInformation,
  party,
  payeeReceiveAmountOf,
  payloadHash,
  type PostThirdpartyTransactions,
  postThirdpartyTransactions,
  transactionChallenge,
  type TransactionType,
  transactionType,
  writeDateTime,
} from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import { randomUUID } from 'node:crypto'
import { type Amount, moneyOf } from '../../amount.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from '../../inbound.ts'
import { readParty, readPartyIdInfo, writeParty, writePartyIdInfo } from '../../parties/party.ts'
import type { Offer, PaymentOrder, PaymentResult } from '../../payments/payment.ts'
import { openIdempotencyCache, type IdempotencyCache } from '../../idempotency-cache.ts'
import type { Authorizations } from './authorizations.ts'
import { holds, type LinkChoice, payableLinks, signedLink } from './link.ts'
import type { Links } from './links.ts'
import type { DfspOptions } from './options.ts'
import {
  judgePayment,
  outcomeOfAnswer,
  outcomeOfTransfer,
  outcomeOfVerdict,
  type PaymentDecision,
  type PaymentRequest,
  type PispOutcome,
} from './payment.ts'
import {
  finalMessage,
  type RequestedPayment,
  statusMessage,
  refusalMessage,
} from './payment-messages.ts'
import type { Verifier } from './verifier.ts'

export interface PaymentsOptions {
  readonly name: string
  readonly link: HubLink
  readonly dfsp: DfspOptions
  readonly links: Links
  readonly authorizations: Authorizations
  readonly verifier: Verifier
  readonly pay: (order: PaymentOrder) => Promise<PaymentResult>
  /**
   * Resolves when the outcome of the transfer is known; undefined: the library was closed before.
   */
  readonly resolve: (result: PaymentResult) => Promise<PaymentResult | undefined>
  readonly answerTimeout_ms: number
  readonly remembered_max: number
}

interface PaymentsParts extends PaymentsOptions {
  readonly requests: IdempotencyCache<RequestedPayment>
}

/** For a request without an expiration. */
const payment_ms_usually = 60_000

export function thirdPartyPaymentHandlers(
  options: PaymentsOptions,
): Pick<
  InboundHandlers,
  'POST /thirdpartyRequests/transactions' | 'GET /thirdpartyRequests/transactions/{ID}'
> {
  const { name, link, answerTimeout_ms, remembered_max } = options
  const parts: PaymentsParts = { ...options, requests: openIdempotencyCache(link, remembered_max) }
  return {
    'POST /thirdpartyRequests/transactions'(message) {
      const reading = bodyOf(postThirdpartyTransactions, message)
      if (!reading.ok) return { rejected: reading.detail }
      take(parts, message.source, reading.value, `${message.source} ${payloadHash(reading.json)}`)
      return 'HANDLED'
    },
    'GET /thirdpartyRequests/transactions/{ID}'(message) {
      const { source } = message
      const id = idOf(message)
      const request = parts.requests.get(id)
      const answer =
        request === undefined
          ? refusalMessage(name, source, id, errorInformation('3206'))
          : request.pispId === source
            ? statusMessage(name, request)
            : refusalMessage(name, source, id, errorInformation('6104'))
      void link.sendUntil(answer, Date.now() + answerTimeout_ms)
      return 'HANDLED'
    },
  }
}

function take(
  parts: PaymentsParts,
  pispId: string,
  body: PostThirdpartyTransactions,
  terms: string,
): void {
  const { requests, link, name } = parts
  const { transactionRequestId: id, expiration } = body
  const known = requests.get(id)
  if (known === undefined) {
    const until_ms =
      expiration === undefined ? Date.now() + payment_ms_usually : Date.parse(expiration)
    const request: RequestedPayment = {
      id,
      pispId,
      transactionId: randomUUID(),
      terms,
      until_ms,
      answer: undefined,
      progress: 'RECEIVED',
      outcome: undefined,
    }
    requests.add(id, request)
    void follow(parts, request, body)
  } else if (known.terms === terms) {
    requests.resend(known)
  } else {
    const modified = refusalMessage(name, pispId, id, errorInformation('3106'))
    void link.sendUntil(modified, known.until_ms)
  }
}

async function follow(
  parts: PaymentsParts,
  request: RequestedPayment,
  body: PostThirdpartyTransactions,
): Promise<void> {
  const { name, link, answerTimeout_ms, dfsp } = parts
  const ending = await outcomeOf(parts, request, body)
  if (ending === undefined) return
  const { outcome, consentId, transferId } = ending
  request.outcome = outcome
  request.answer = finalMessage(name, request, outcome)
  if (consentId !== undefined) {
    const { id: transactionRequestId, transactionId, pispId } = request
    dfsp.onPayment?.({
      transactionRequestId,
      transactionId,
      consentId,
      pispId,
      transferId,
      outcome,
    })
  }
  await link.sendUntil(request.answer, Math.max(request.until_ms, Date.now()) + answerTimeout_ms)
}

interface PaymentEnding {
  readonly outcome: PispOutcome
  /** Undefined: the request was refused. */
  readonly consentId: string | undefined
  readonly transferId: string | undefined
}

const refused = { consentId: undefined, transferId: undefined }

/** Undefined: the library was closed before it was known. */
async function outcomeOf(
  parts: PaymentsParts,
  request: RequestedPayment,
  body: PostThirdpartyTransactions,
): Promise<PaymentEnding | undefined> {
  const wanted = readRequest(request, body)
  if (wanted === undefined) {
    const error = errorInformation('3101', 'a party or the transaction type cannot be read')
    return { outcome: { type: 'FAILED', error }, ...refused }
  }
  const decision = await decide(parts, wanted)
  if (decision.type === 'REFUSE') {
    return { outcome: { type: 'FAILED', error: decision.error }, ...refused }
  }
  const { name, link } = parts
  // The next message may overtake this one.
  request.answer = statusMessage(name, request)
  void link.sendUntil(request.answer, request.until_ms)
  let { consentId } = decision.link
  let denied: PispOutcome | undefined
  const result = await parts.pay({
    ...orderOf(request, wanted, decision),
    async confirm(offer) {
      const authorization = await authorize(parts, request, wanted, offer)
      denied = authorization.denied
      consentId = authorization.consentId ?? consentId
      return denied === undefined
    },
  })
  const { transferId } = result
  if (denied !== undefined) return { outcome: denied, consentId, transferId }
  const known = result.state === 'UNRESOLVED' ? await parts.resolve(result) : result
  const outcome = known && outcomeOfTransfer(known)
  return outcome && { outcome, consentId, transferId }
}

interface WantedPayment extends PaymentRequest {
  readonly transactionType: TransactionType
  readonly note: string | undefined
}

function readRequest(
  { id, pispId, until_ms }: RequestedPayment,
  body: PostThirdpartyTransactions,
): WantedPayment | undefined {
  const payee = party.safeParse(body.payee)
  const payer = party.shape.partyIdInfo.safeParse(body.payer)
  const type = transactionType.safeParse(body.transactionType)
  if (!payee.success || !payer.success || !type.success) return undefined
  return {
    transactionRequestId: id,
    pispId,
    payer: readPartyIdInfo(payer.data),
    payee: readParty(payee.data),
    amountType: body.amountType,
    amount: moneyOf(body.amount),
    transactionType: type.data,
    note: body.note,
    until_ms,
  }
}

/** A DFSP whose own systems fail pays nothing. */
async function decide(
  { name, links, dfsp }: PaymentsParts,
  wanted: WantedPayment,
): Promise<PaymentDecision> {
  const now_ms = Date.now()
  try {
    return await judgePayment(wanted, {
      name,
      now_ms,
      choice: choiceOf(links, wanted, now_ms),
      account: async () => dfsp.payerAccount(wanted.payer.id, wanted.amount),
    })
  } catch {
    return { type: 'REFUSE', error: errorInformation('6003') }
  }
}

type Accepted = Extract<PaymentDecision, { readonly type: 'ACCEPT' }>

function orderOf(
  { transactionId }: RequestedPayment,
  wanted: WantedPayment,
  { payer, fees, payeeFsp }: Accepted,
): PaymentOrder {
  const { note } = wanted
  return {
    payer,
    to: { ...wanted.payee, fspId: payeeFsp },
    amountType: wanted.amountType === 'SEND' ? 'SEND' : 'RECEIVE',
    amount: wanted.amount,
    transactionType: wanted.transactionType,
    transactionRequestId: wanted.transactionRequestId,
    transactionId,
    expiration: new Date(wanted.until_ms),
    ...(note === undefined ? {} : { note }),
    ...(fees === undefined ? {} : { fees }),
  }
}

function choiceOf(links: Links, { payer, pispId }: PaymentRequest, now_ms: number): LinkChoice {
  return payableLinks(links.ofAddress(payer.id), pispId, payer.id, now_ms)
}

interface Authorization {
  /** The id of the consent whose key has signed; undefined: no valid consent was used. */
  readonly consentId?: string
  /** Undefined: the user has signed these terms under a valid consent. */
  readonly denied: PispOutcome | undefined
}

async function authorize(
  { authorizations, verifier, links }: PaymentsParts,
  request: RequestedPayment,
  wanted: WantedPayment,
  offer: Offer,
): Promise<Authorization> {
  const { pispId, until_ms } = request
  const challenge = transactionChallenge(offer.quote.body).toString('base64url')
  request.progress = 'PENDING'
  const terms = termsOf(wanted, offer, challenge)
  const answer = await authorizations.ask(pispId, terms, until_ms)
  if (answer.type !== 'SIGNED') return { denied: outcomeOfAnswer(answer) }
  const choice = choiceOf(links, wanted, Date.now())
  if ('error' in choice) return { denied: notValid }
  const link = signedLink(choice.links, answer.signed)
  const { consentId } = link
  const verdict = await verifier.verify(link, challenge, answer.signed)
  if (verdict.type !== 'VERIFIED') return { consentId, denied: outcomeOfVerdict(verdict) }
  // It may have been revoked while the signature was verified.
  if (!holds(links.get(consentId), Date.now())) return { consentId, denied: notValid }
  request.progress = 'ACCEPTED'
  return { consentId, denied: undefined }
}

const notValid = outcomeOfVerdict({ type: 'CONSENT_NOT_VALID' })

/**
 * The amounts shown to the user. The fees are what the transfer carries and the payee does not get.
 */
function termsOf(
  wanted: WantedPayment,
  { payee: { fspId: payeeFsp }, quote }: Offer,
  challenge: string,
) {
  const { transferAmount, payeeFspFee, payeeFspCommission } = quote
  const payeeReceiveAmount =
    quote.payeeReceiveAmount ??
    payeeReceiveAmountOf(transferAmount, payeeFspFee, payeeFspCommission) ??
    transferAmount
  return {
    transactionRequestId: wanted.transactionRequestId,
    challenge,
    transferAmount,
    payeeReceiveAmount,
    fees: differenceOf(transferAmount, payeeReceiveAmount),
    payer: writePartyIdInfo(wanted.payer),
    payee: writeParty(wanted.payee, payeeFsp),
    transactionType: wanted.transactionType,
    expiration: writeDateTime(quote.expiration),
  }
}

function differenceOf(one: Amount, other: Amount): Amount {
  const difference = (parseAmount(one.amount) ?? 0n) - (parseAmount(other.amount) ?? 0n)
  return { currency: one.currency, amount: formatAmount(difference > 0n ? difference : 0n) }
}
