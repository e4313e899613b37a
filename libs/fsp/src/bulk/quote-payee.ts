/** The payee's side of a bulk quote: each item is decided like a quote of its own, and the bulk is answered once. */
import {
  errorInformation,
  type IndividualQuote,
  payloadHash,
  type PostBulkQuotes,
  postBulkQuotes,
  type PostQuotes,
  writeDateTime,
} from '@causeway/fspiop'
import { bodyOf, type InboundHandlers, idOf } from '../inbound.ts'
import { type Outgoing, type Route, writeMessage } from '../message.ts'
import { decisionOn, type QuotePayeeOptions } from '../quotes/payee.ts'
import { quoteAnswer } from '../quotes/terms.ts'
import { type CachedRequest, openIdempotencyCache } from '../idempotency-cache.ts'

export interface BulkQuotePayeeOptions extends QuotePayeeOptions {
  readonly hubName: string
}

interface CachedBulkQuote extends CachedRequest {
  /** The sender: the payer FSP, or the hub if it has left out items. */
  readonly source: string
  readonly payerFsp: string
}

const validity_ms_usually = 60_000

export function bulkQuotePayeeHandlers(
  options: BulkQuotePayeeOptions,
): Pick<InboundHandlers, 'POST /bulkQuotes' | 'GET /bulkQuotes/{ID}'> {
  const { name, hubName, link, answerTimeout_ms, remembered_max } = options
  const requests = openIdempotencyCache<CachedBulkQuote>(link, remembered_max)

  async function take(source: string, body: PostBulkQuotes, terms: string): Promise<void> {
    const { bulkQuoteId, payer, expiration } = body
    const known = requests.get(bulkQuoteId)
    if (known === undefined) {
      const until_ms = expiration ? Date.parse(expiration) : Date.now() + answerTimeout_ms
      const payerFsp = payer.partyIdInfo.fspId ?? source
      const request: CachedBulkQuote = { source, payerFsp, terms, until_ms, answer: undefined }
      requests.add(bulkQuoteId, request)
      const answer = await answerTo(options, { from: name, to: source }, payerFsp, body)
      if (answer !== undefined) await requests.answer(request, answer)
    } else if (known.terms === terms) {
      requests.resend(known)
    } else {
      const modified = refusal({ from: name, to: source }, bulkQuoteId, '3106')
      await link.sendUntil(modified, known.until_ms)
    }
  }

  return {
    'POST /bulkQuotes'(message) {
      const reading = bodyOf(postBulkQuotes, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { source } = message
      const { fspId } = reading.value.payer.partyIdInfo
      if (fspId !== undefined && fspId !== source && source !== hubName) {
        return { rejected: '/payer/partyIdInfo/fspId: it is not the source' }
      }
      void take(source, reading.value, `${source} ${payloadHash(reading.json)}`)
      return 'HANDLED'
    },
    'GET /bulkQuotes/{ID}'(message) {
      const { source } = message
      const id = idOf(message)
      const request = requests.get(id)
      if (request !== undefined && [request.source, request.payerFsp].includes(source)) {
        requests.resend(request)
      } else {
        const unknown = refusal({ from: name, to: source }, id, '3209')
        void link.sendUntil(unknown, Date.now() + answerTimeout_ms)
      }
      return 'HANDLED'
    },
  }
}

/** Undefined: send no answer for any item. */
async function answerTo(
  options: BulkQuotePayeeOptions,
  route: Route,
  payerFsp: string,
  body: PostBulkQuotes,
): Promise<Outgoing | undefined> {
  const { bulkQuoteId, expiration } = body
  if (expiration !== undefined && Date.parse(expiration) <= Date.now()) {
    return refusal(route, bulkQuoteId, '3302')
  }
  const decided = await Promise.all(
    body.individualQuotes.map(async (item) => {
      const request = requestOf(body, item)
      return { request, decision: await decisionOn(options, payerFsp, request) }
    }),
  )
  const ends = decided.flatMap(({ decision }) =>
    decision.type === 'AGREE' && decision.expiration !== undefined ? [+decision.expiration] : [],
  )
  // One expiration for all: the earliest of the agreed items.
  const until = new Date(ends.length > 0 ? Math.min(...ends) : Date.now() + validity_ms_usually)
  const individualQuoteResults = decided.flatMap(({ request, decision }) => {
    const { quoteId } = request
    switch (decision.type) {
      case 'IGNORE':
        return []
      case 'REJECT':
        return { quoteId, errorInformation: decision.error }
      case 'AGREE': {
        const answer = quoteAnswer(options, payerFsp, request, { ...decision, expiration: until })
        if ('error' in answer) return { quoteId, errorInformation: answer.error }
        const { expiration: _common, ...terms } = answer
        return { quoteId, ...terms }
      }
    }
  })
  if (individualQuoteResults.length === 0) return undefined
  return writeMessage('PUT', `/bulkQuotes/${bulkQuoteId}`, route, {
    individualQuoteResults,
    expiration: writeDateTime(until),
  })
}

/** The item as a quote of its own. */
function requestOf({ payer, expiration }: PostBulkQuotes, item: IndividualQuote): PostQuotes {
  return { ...item, payer, ...(expiration === undefined ? {} : { expiration }) }
}

function refusal(route: Route, bulkQuoteId: string, code: '3106' | '3209' | '3302'): Outgoing {
  return writeMessage('PUT', `/bulkQuotes/${bulkQuoteId}/error`, route, {
    errorInformation: errorInformation(code),
  })
}
