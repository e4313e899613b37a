/**
 * The payee's side of a quote: each request is decided once and repeats get the same answer. The
 * terms go into the ILP packet, so that the transfer brings them back.
 */
import {
  type ErrorInformation,
  errorInformation,
  payloadHash,
  type PostQuotes,
  postQuotes,
} from '@causeway/fspiop'
import { moneyOf } from '../amount.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from '../inbound.ts'
import { extensionsIn, type Outgoing, type Route, writeMessage } from '../message.ts'
import { readParty } from '../parties/party.ts'
import { type CachedRequest, openIdempotencyCache } from '../idempotency-cache.ts'
import type { IncomingQuote, QuoteDecision } from './quote.ts'
import { quoteAnswer } from './terms.ts'

export interface QuotePayeeOptions {
  readonly name: string
  readonly link: HubLink
  /** The secret that derives the fulfilments of transfers. */
  readonly secret: Buffer
  readonly onQuote: (request: IncomingQuote) => QuoteDecision | Promise<QuoteDecision>
  /** How long a request without an expiration may wait for its answer. */
  readonly answerTimeout_ms: number
  readonly remembered_max: number
}

interface CachedQuote extends CachedRequest {
  readonly payerFsp: string
}

const validity_ms_usually = 60_000

export function quotePayeeHandlers(
  options: QuotePayeeOptions,
): Pick<InboundHandlers, 'POST /quotes' | 'GET /quotes/{ID}'> {
  const { name, link, answerTimeout_ms, remembered_max } = options
  const requests = openIdempotencyCache<CachedQuote>(link, remembered_max)

  async function take(payerFsp: string, body: PostQuotes, terms: string): Promise<void> {
    const { quoteId, expiration } = body
    const route = { from: name, to: payerFsp }
    const known = requests.get(quoteId)
    if (known === undefined) {
      const until_ms = expiration ? Date.parse(expiration) : Date.now() + answerTimeout_ms
      const request: CachedQuote = { payerFsp, terms, until_ms, answer: undefined }
      requests.add(quoteId, request)
      const answer = await answerTo(options, route, body)
      if (answer !== undefined) await requests.answer(request, answer)
    } else if (known.terms === terms) {
      requests.resend(known)
    } else {
      await link.sendUntil(refusal(route, quoteId, errorInformation('3106')), known.until_ms)
    }
  }

  return {
    'POST /quotes'(message) {
      const reading = bodyOf(postQuotes, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { source } = message
      const { fspId } = reading.value.payer.partyIdInfo
      if (fspId !== undefined && fspId !== source) {
        return { rejected: '/payer/partyIdInfo/fspId: it is not the source' }
      }
      void take(source, reading.value, `${source} ${payloadHash(reading.json)}`)
      return 'HANDLED'
    },
    'GET /quotes/{ID}'(message) {
      const { source } = message
      const id = idOf(message)
      const request = requests.get(id)
      if (request?.payerFsp === source) {
        requests.resend(request)
      } else {
        const unknown = refusal({ from: name, to: source }, id, errorInformation('3205'))
        void link.sendUntil(unknown, Date.now() + answerTimeout_ms)
      }
      return 'HANDLED'
    },
  }
}

/** Undefined: send no answer. */
async function answerTo(
  options: QuotePayeeOptions,
  route: Route & { readonly to: string },
  body: PostQuotes,
): Promise<Outgoing | undefined> {
  const { quoteId, expiration } = body
  if (expiration !== undefined && Date.parse(expiration) <= Date.now()) {
    return refusal(route, quoteId, errorInformation('3302', 'the request has expired'))
  }
  const decision = await decisionOn(options, route.to, body)
  switch (decision.type) {
    case 'IGNORE':
      return undefined
    case 'REJECT':
      return refusal(route, quoteId, decision.error)
    case 'AGREE': {
      const { expiration: until = new Date(Date.now() + validity_ms_usually), ...fees } = decision
      const answer = quoteAnswer(options, route.to, body, { ...fees, expiration: until })
      return 'error' in answer
        ? refusal(route, quoteId, answer.error)
        : writeMessage('PUT', `/quotes/${quoteId}`, route, answer)
    }
  }
}

/** An FSP whose own systems fail accepts no quote. */
export async function decisionOn(
  { onQuote }: Pick<QuotePayeeOptions, 'onQuote'>,
  payerFsp: string,
  body: PostQuotes,
): Promise<QuoteDecision> {
  const { expiration } = body
  try {
    return await onQuote({
      quoteId: body.quoteId,
      transactionId: body.transactionId,
      transactionRequestId: body.transactionRequestId,
      payerFsp,
      payer: readParty(body.payer),
      payee: readParty(body.payee),
      amountType: body.amountType,
      amount: moneyOf(body.amount),
      fees: body.fees && moneyOf(body.fees),
      transactionType: body.transactionType,
      note: body.note,
      expiration: expiration === undefined ? undefined : new Date(expiration),
      extensions: extensionsIn(body.extensionList),
    })
  } catch {
    return { type: 'REJECT', error: errorInformation('5000') }
  }
}

function refusal(route: Route, quoteId: string, error: ErrorInformation): Outgoing {
  return writeMessage('PUT', `/quotes/${quoteId}/error`, route, { errorInformation: error })
}
