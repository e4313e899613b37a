/**
 * A payee FSP's answer or refusal: decided on the stored quote; the end of the quote and the payer
 * FSP's callback are committed in one transaction.
 */
import { writeDateTime } from '@causeway/fspiop'
import type { OutgoingMessage } from '@causeway/bus'
import type { Rule } from '../rules/domain/rule.ts'
import type { Work } from '../work.ts'
import {
  outcomeOf,
  payeeMessageOf,
  rejectAccepted,
  responseAccepted,
  responseForbidden,
  errorMessage,
  type RejectEvent,
  type ResponseEvent,
} from './contract.ts'
import {
  decideReject,
  decideResponse,
  isPending,
  type PayeeDecision,
  type Reject,
  type Response,
} from './domain/decide.ts'
import type { Claimed, EndedQuote, Pending, Quote } from './domain/quote.ts'
import { violationErrorOf } from './errors.ts'
import type { QuoteEnd, StoredMessage } from './store.ts'

export type PayeeEvent = ResponseEvent | RejectEvent

/** A quote that a message ends, unless it has ended meanwhile. */
interface QuoteEnding {
  readonly event: PayeeEvent
  readonly message: Response | Reject
  readonly quote: Claimed & EndedQuote
  readonly callback: OutgoingMessage
}

/** The events are of different quotes. */
export async function answer(work: Work, events: readonly PayeeEvent[]): Promise<void> {
  if (events.length === 0) return
  const rules = work.rules.rules()
  const now_ms = work.now().getTime()
  const endings: QuoteEnding[] = []
  const others: PayeeEvent[] = []
  for (const event of events) {
    const quote = work.store.lastSeenPending(event.payload.quoteId)
    work.watchClock(event.payload.quoteId, Date.parse(event.time), now_ms)
    const { ending } = judged(event, quote, { rules, now_ms })
    if (ending === undefined) others.push(event)
    else endings.push(ending)
  }
  // A message that ends no quote is answered according to the current rows.
  const stored = await work.store.read(others.map(({ payload }) => payload.quoteId))
  const answers: OutgoingMessage[] = []
  for (const event of others) {
    const { ending, decision } = judged(event, stored.get(event.payload.quoteId), {
      rules,
      now_ms,
    })
    if (ending !== undefined) endings.push(ending)
    else if (decision.type === 'error') answers.push(errorMessage(event, decision))
  }
  if (endings.length > 0) await end(work, endings, answers, { rules, now_ms })
  else if (answers.length > 0) await work.publish(answers)
}

/** The basis of decisions. */
interface DecisionContext {
  readonly rules: readonly Rule[]
  readonly now_ms: number
}

interface JudgedMessage {
  readonly decision: PayeeDecision
  readonly ending: QuoteEnding | undefined
}

function judged(
  event: PayeeEvent,
  quote: Quote | undefined,
  context: DecisionContext,
): JudgedMessage {
  const message = payeeMessageOf(event)
  const decision = decide(quote, message, context)
  const ending =
    quote !== undefined && isPending(quote) ? endingOf(event, message, quote, decision) : undefined
  return { decision, ending }
}

function decide(
  quote: Quote | undefined,
  message: Response | Reject,
  { rules, now_ms }: DecisionContext,
): PayeeDecision {
  return message.kind === 'RESPONSE'
    ? decideResponse(quote, message, rules, now_ms)
    : decideReject(quote, message)
}

async function end(
  work: Work,
  endings: readonly QuoteEnding[],
  answers: readonly OutgoingMessage[],
  context: DecisionContext,
): Promise<void> {
  const { moved } = await work.store.move(
    endings.map(changeOf),
    work.now(),
    ({ moved: ended, unchanged }) => [
      ...endings.flatMap(({ event, message, callback }) => {
        if (ended.has(message.quoteId)) return [callback]
        // The quote has ended meanwhile.
        const decision = decide(unchanged.get(message.quoteId), message, context)
        return decision.type === 'error' ? [errorMessage(event, decision)] : []
      }),
      ...answers,
    ],
  )
  const states = endings.flatMap(({ quote: { quoteId, state } }) =>
    moved.has(quoteId) ? [state] : [],
  )
  const accepted = states.filter((state) => state === 'ACCEPTED').length
  work.became('ACCEPTED', accepted)
  work.became('REJECTED', states.length - accepted)
}

function endingOf(
  event: PayeeEvent,
  message: Response | Reject,
  quote: Claimed & Pending,
  decision: PayeeDecision,
): QuoteEnding | undefined {
  const ended = { ruleId: undefined, outcome: outcomeOf(event) }
  if (event.name === 'QuoteRejectReceived') {
    if (decision.type !== 'reject') return undefined
    const { error } = decision
    const rejected = { ...quote, ...ended, state: 'REJECTED', reason: 'REFUSED', error } as const
    return { event, message, quote: rejected, callback: rejectAccepted(event, quote) }
  }
  if (message.kind !== 'RESPONSE') return undefined
  if (decision.type === 'accept') {
    const { transferAmount, validUntil_ms } = message
    const accepted = {
      ...quote,
      state: 'ACCEPTED',
      outcome: ended.outcome,
      transferAmount: transferAmount.amount,
      validUntil: writeDateTime(validUntil_ms),
    } as const
    return { event, message, quote: accepted, callback: responseAccepted(event, quote.payerFsp) }
  }
  if (decision.type !== 'forbid') return undefined
  const { violation } = decision
  const forbidden = {
    ...quote,
    ...ended,
    state: 'REJECTED',
    reason: 'RULE',
    error: violationErrorOf(violation),
    ruleId: violation.ruleId,
  } as const
  return { event, message, quote: forbidden, callback: responseForbidden(event, quote, violation) }
}

function changeOf({ event, message, quote }: QuoteEnding): QuoteEnd {
  const change = { quote, message: storedMessageOf(event, message) }
  if (event.name === 'QuoteRejectReceived') return change
  return { ...change, condition: event.payload.condition }
}

function storedMessageOf(
  { id, relay }: PayeeEvent,
  { kind }: Response | Reject,
): StoredMessage | undefined {
  return relay === undefined ? undefined : { kind, eventId: id, relay }
}
