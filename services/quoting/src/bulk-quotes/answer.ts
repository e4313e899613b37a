/**
 * A payee FSP's answer or refusal: decided on the stored bulk, then the bulk ends and the payer FSP's
 * callback is announced in one transaction.
 */
import { writeDateTime } from '@causeway/fspiop'
import type { OutgoingMessage } from '@causeway/bus'
import {
  decideArrival,
  decideReject,
  isPending,
  type NoAnswer,
  type ErrorAnswer,
} from '../quotes/domain/decide.ts'
import type { Pending } from '../quotes/domain/quote.ts'
import { violationErrorOf } from '../quotes/errors.ts'
import type { Work } from '../work.ts'
import {
  answerOfErrors,
  answerOfItems,
  type AnsweredItem,
  type MadeBody,
} from '../quotes/bodies.ts'
import {
  arrivalOf,
  itemsForbidden,
  outcomeOf,
  rejectAccepted,
  rejectOf,
  responseAccepted,
  resultsOf,
  tellError,
  type BulkRejectEvent,
  type BulkResponseEvent,
} from './contract.ts'
import type { BulkQuote, ClaimedBulk } from './domain/bulk-quote.ts'
import { judgeResults } from './domain/judge-results.ts'
import type { BulkEnd, StoredItem } from './store.ts'

export type BulkPayeeEvent = BulkResponseEvent | BulkRejectEvent

interface BulkQuoteEnding {
  readonly end: BulkEnd
  readonly events: readonly OutgoingMessage[]
}

export async function answerBulk(work: Work, event: BulkPayeeEvent): Promise<void> {
  const { bulkQuoteId } = event.payload
  const now = work.now()
  work.watchClock(bulkQuoteId, Date.parse(event.time), now.getTime())
  const bulk = (await work.bulks.read(bulkQuoteId))?.bulk
  const decided = await decide(work, event, bulk, now)
  if (!('end' in decided)) {
    if (decided.type === 'error') await work.publish([tellError(event, decided)])
    return
  }
  const hasMoved = await work.bulks.end(decided.end, now, () => decided.events)
  if (hasMoved) {
    work.becameBulk(decided.end.bulk.state)
    return
  }
  // Another message has ended it meanwhile.
  const ended = (await work.bulks.read(bulkQuoteId))?.bulk
  const late = await decide(work, event, ended, now)
  if ('type' in late && late.type === 'error') await work.publish([tellError(event, late)])
}

async function decide(
  work: Work,
  event: BulkPayeeEvent,
  bulk: BulkQuote | undefined,
  now: Date,
): Promise<BulkQuoteEnding | ErrorAnswer | NoAnswer> {
  if (event.name === 'BulkQuoteRejectReceived') return decideRefusal(event, bulk)
  const arrival = decideArrival(bulk, arrivalOf(event), now.getTime())
  if (arrival.type !== 'counts') return arrival
  const { pending, received_ms } = arrival
  const items = await work.bulks.items(event.payload.bulkQuoteId)
  return responseEnding(work, event, { pending, received_ms, items })
}

function decideRefusal(
  event: BulkRejectEvent,
  bulk: BulkQuote | undefined,
): BulkQuoteEnding | ErrorAnswer | NoAnswer {
  const decision = decideReject(bulk, rejectOf(event))
  if (decision.type === 'error' || decision.type === 'none') return decision
  if (decision.type !== 'reject' || bulk === undefined || !isPending(bulk)) {
    throw new Error(`a refusal of ${event.payload.bulkQuoteId} is decided as an answer`)
  }
  const { error } = decision
  const outcome = outcomeOf(event)
  return {
    end: {
      bulk: { ...bulk, state: 'REJECTED', reason: 'REFUSED', error, outcome },
      message: keptOf(event),
      answer: undefined,
      forbidden: new Map(),
    },
    events: [rejectAccepted(event, bulk)],
  }
}

interface Counting {
  readonly pending: ClaimedBulk & Pending
  readonly received_ms: number
  readonly items: readonly StoredItem[]
}

function responseEnding(
  work: Work,
  event: BulkResponseEvent,
  { pending, received_ms, items }: Counting,
): BulkQuoteEnding {
  const { payload, relay } = event
  const validUntil_ms = Date.parse(payload.expiration)
  const violations = judgeResults(
    work.rules.rules(),
    items.filter(({ error }) => error === undefined),
    resultsOf(event),
    { payeeFsp: pending.payeeFsp, validity_ms: validUntil_ms - received_ms },
  )
  const forbidden = new Map(
    [...violations].map(([quoteId, violation]) => [quoteId, violationErrorOf(violation)]),
  )
  const answered: readonly AnsweredItem[] = items.map(({ quoteId, error }) => ({
    quoteId,
    error: error ?? forbidden.get(quoteId),
  }))
  const isOwn = relay === undefined || answered.every(({ error }) => error === undefined)
  const made: MadeBody | undefined = isOwn ? undefined : answerOfItems(relay, answered)
  const accepted = {
    ...pending,
    state: 'ACCEPTED',
    outcome: outcomeOf(event),
    validUntil: writeDateTime(validUntil_ms),
  } as const
  const notice =
    forbidden.size === 0
      ? []
      : [
          itemsForbidden(
            event,
            answerOfErrors(
              [...forbidden].map(([quoteId, error]) => ({ quoteId, error })),
              payload.expiration,
            ),
          ),
        ]
  return {
    end: { bulk: accepted, message: keptOf(event), answer: made, forbidden },
    events: [responseAccepted(event, pending, made), ...notice],
  }
}

function keptOf({ id, name, relay }: BulkPayeeEvent): BulkEnd['message'] {
  if (relay === undefined) return undefined
  const kind = name === 'BulkQuoteRejectReceived' ? 'REJECT' : 'RESPONSE'
  return { kind, eventId: id, relay }
}
