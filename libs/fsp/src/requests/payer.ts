/**
 * The payer's side of a payment request: each request is decided once, the payer confirms it where
 * that is required, and the payment is made like any other.
 */
import {
  type ErrorInformation,
  errorInformation,
  payloadHash,
  type PostTransactionRequests,
  postTransactionRequests,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { moneyOf } from '../amount.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from '../inbound.ts'
import { extensionsIn, type Outgoing, type Route, writeMessage } from '../message.ts'
import { readParty, readPartyIdInfo } from '../parties/party.ts'
import type { PaymentOrder, PaymentResult } from '../payments/payment.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../idempotency-cache.ts'
import type { Authorizer } from './authorizer.ts'
import type { IncomingRequest, RequestDecision, RequestOutcome } from './request.ts'

export interface RequestPayerOptions {
  readonly name: string
  readonly link: HubLink
  readonly authorizer: Pick<Authorizer, 'isProven'>
  readonly pay: (order: PaymentOrder) => Promise<PaymentResult>
  readonly onRequest: (request: IncomingRequest) => RequestDecision | Promise<RequestDecision>
  readonly onRequestOutcome: (outcome: RequestOutcome) => void
  /** How long a request without expiration may take. */
  readonly answerTimeout_ms: number
  readonly remembered_max: number
}

interface CachedPaymentRequest extends CachedRequest {
  readonly payeeFsp: string
}

interface RequestPayerParts extends RequestPayerOptions {
  readonly requests: IdempotencyCache<CachedPaymentRequest>
}

export function requestPayerHandlers(options: RequestPayerOptions): InboundHandlers {
  const { name, link, answerTimeout_ms, remembered_max } = options
  const parts: RequestPayerParts = {
    ...options,
    requests: openIdempotencyCache(link, remembered_max),
  }
  return {
    'POST /transactionRequests'(message) {
      const reading = bodyOf(postTransactionRequests, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { source } = message
      const { payer, payee } = reading.value
      if (payer.fspId !== undefined && payer.fspId !== name) {
        return { rejected: `/payer/fspId: this is ${name}` }
      }
      const { fspId } = payee.partyIdInfo
      if (fspId !== undefined && fspId !== source) {
        return { rejected: '/payee/partyIdInfo/fspId: it is not the source' }
      }
      take(parts, source, reading.value, `${source} ${payloadHash(reading.json)}`)
      return 'HANDLED'
    },
    'GET /transactionRequests/{ID}'(message) {
      const { source } = message
      const id = idOf(message)
      const request = parts.requests.get(id)
      if (request?.payeeFsp === source) {
        parts.requests.resend(request)
      } else {
        const unknown = refusal({ from: name, to: source }, id, errorInformation('3206'))
        void link.sendUntil(unknown, Date.now() + answerTimeout_ms)
      }
      return 'HANDLED'
    },
  }
}

function take(
  parts: RequestPayerParts,
  payeeFsp: string,
  body: PostTransactionRequests,
  terms: string,
): void {
  const { requests, link, name, answerTimeout_ms } = parts
  const { transactionRequestId: id, expiration } = body
  const known = requests.get(id)
  if (known === undefined) {
    const until_ms = expiration ? Date.parse(expiration) : Date.now() + answerTimeout_ms
    const request: CachedPaymentRequest = { payeeFsp, terms, until_ms, answer: undefined }
    requests.add(id, request)
    void follow(parts, request, body)
  } else if (known.terms === terms) {
    requests.resend(known)
  } else {
    const modified = refusal({ from: name, to: payeeFsp }, id, errorInformation('3106'))
    void link.sendUntil(modified, known.until_ms)
  }
}

/** RECEIVED is sent at once: the payer's decision may take a while. */
async function follow(
  parts: RequestPayerParts,
  request: CachedPaymentRequest,
  body: PostTransactionRequests,
): Promise<void> {
  const { requests, name } = parts
  const { transactionRequestId: id } = body
  const route = { from: name, to: request.payeeFsp }
  if (request.until_ms <= Date.now()) {
    await requests.answer(request, refusal(route, id, errorInformation('3301')))
    return
  }
  const transactionId = randomUUID()
  await requests.answer(request, state(route, id, 'RECEIVED', transactionId))
  const decision = await decisionOn(parts, request.payeeFsp, body)
  if (decision.type === 'REJECT') {
    const { error } = decision
    const answer = error === undefined ? state(route, id, 'REJECTED') : refusal(route, id, error)
    await requests.answer(request, answer)
    return
  }
  const { authenticationType } = body
  if (authenticationType !== undefined && (authenticationType !== 'OTP' || !decision.otp)) {
    const error = errorInformation('4100', `there is no ${authenticationType} for this payer`)
    await requests.answer(request, refusal(route, id, error))
    return
  }
  const order = orderOf(parts, request, body, decision)
  const result = await parts.pay({ ...order, transactionId })
  parts.onRequestOutcome({ transactionRequestId: id, result })
  if (result.state === 'DECLINED') await requests.answer(request, state(route, id, 'REJECTED'))
  if (result.state === 'ABORTED' || result.state === 'REFUSED') {
    await requests.answer(request, refusal(route, id, result.error))
  }
}

/** An FSP whose own systems fail pays nothing. */
async function decisionOn(
  { onRequest }: RequestPayerParts,
  payeeFsp: string,
  body: PostTransactionRequests,
): Promise<RequestDecision> {
  const { expiration } = body
  try {
    return await onRequest({
      transactionRequestId: body.transactionRequestId,
      payeeFsp,
      payee: readParty(body.payee),
      payer: readPartyIdInfo(body.payer),
      amount: moneyOf(body.amount),
      transactionType: body.transactionType,
      note: body.note,
      authenticationType: body.authenticationType,
      expiration: expiration === undefined ? undefined : new Date(expiration),
      extensions: extensionsIn(body.extensionList),
    })
  } catch {
    return { type: 'REJECT', error: errorInformation('4000') }
  }
}

/** The payee gets exactly the requested amount. */
function orderOf(
  { authorizer }: RequestPayerParts,
  { payeeFsp, until_ms }: CachedPaymentRequest,
  body: PostTransactionRequests,
  { payer, fees, otp }: Extract<RequestDecision, { type: 'PAY' }>,
): PaymentOrder {
  const { transactionRequestId, authenticationType, note } = body
  return {
    payer,
    to: { ...readParty(body.payee), fspId: payeeFsp },
    amountType: 'RECEIVE',
    amount: moneyOf(body.amount),
    transactionType: body.transactionType,
    transactionRequestId,
    expiration: new Date(until_ms),
    ...(note === undefined ? {} : { note }),
    ...(fees === undefined ? {} : { fees }),
    ...(authenticationType === undefined || otp === undefined
      ? {}
      : {
          confirm: ({ quote }) =>
            authorizer.isProven({
              transactionRequestId,
              payeeFsp,
              amount: quote.transferAmount,
              fees,
              otp,
              until_ms,
            }),
        }),
  }
}

function state(
  route: Route,
  id: string,
  transactionRequestState: 'RECEIVED' | 'REJECTED',
  transactionId?: string,
): Outgoing {
  return writeMessage('PUT', `/transactionRequests/${id}`, route, {
    ...(transactionId === undefined ? {} : { transactionId }),
    transactionRequestState,
  })
}

function refusal(route: Route, id: string, error: ErrorInformation): Outgoing {
  return writeMessage('PUT', `/transactionRequests/${id}/error`, route, {
    errorInformation: error,
  })
}
