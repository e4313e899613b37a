/**
 * Handles a batch of events by name. Events of one quote stay in order: they are processed in
 * rounds with at most one event per quote.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { roundsOf, type DomainEvent, type EventName } from '@causeway/events'
import { allOf } from '@causeway/process'
import { answer, type PayeeEvent } from './quotes/answer.ts'
import {
  errorMessage,
  forward,
  replayStored,
  type QueryEvent,
  type QuoteEvent,
  type RequestEvent,
} from './quotes/contract.ts'
import { decideQuery } from './quotes/domain/decide.ts'
import { passOn, type PassThrough } from './quotes/pass-through.ts'
import { request } from './quotes/request.ts'
import type { QuoteWithAnswer } from './quotes/store.ts'
import { endUndelivered } from './quotes/undelivered.ts'
import { committedNames, count, type CommittedEvent } from './velocity/count.ts'
import type { Work } from './work.ts'

const quoteNames = [
  'QuoteRequestReceived',
  'QuoteResponseReceived',
  'QuoteRejectReceived',
  'QuoteQueryReceived',
] as const satisfies readonly EventName[]

const reportNames = [
  'QuoteReceivedCallbackReport',
  'QuoteAcceptedCallbackReport',
  'QuoteRejectCallbackReport',
  'QuoteQueryResponseCallbackReport',
  'InvalidQuoteRequestCallbackReport',
  'InvalidFSPInQuoteRequestCallbackReport',
  'RuleViolatedInQuoteRequestCallbackReport',
  'RuleViolatedInQuoteResponseCallbackReport',
] as const satisfies readonly EventName[]

export const consumedEvents = [...quoteNames, ...reportNames, ...committedNames] as const

export type ConsumedEvent = DomainEvent<(typeof consumedEvents)[number]>
type QuoteReportEvent = DomainEvent<(typeof reportNames)[number]>

interface Sorted {
  readonly quotes: readonly QuoteEvent[]
  readonly reports: readonly QuoteReportEvent[]
  readonly committed: readonly CommittedEvent[]
}

export async function handleBatch(work: Work, events: readonly ConsumedEvent[]): Promise<void> {
  const { quotes, reports, committed } = sorted(events)
  await allOf([
    processInRounds(work, quotes),
    storeDeliveries(work, reports),
    count(work, committed),
  ])
}

/** Stores nothing: callback reports and payments are ignored. */
export async function passThroughBatch(
  parts: PassThrough,
  events: readonly ConsumedEvent[],
): Promise<void> {
  for (const round of roundsOf(sorted(events).quotes, idsOf)) await passOn(parts, round)
}

function sorted(events: readonly ConsumedEvent[]): Sorted {
  const quotes: QuoteEvent[] = []
  const reports: QuoteReportEvent[] = []
  const committed: CommittedEvent[] = []
  for (const event of events) {
    if (event.name === 'TransferCommittedFulfiled' || event.name === 'BulkTransferItemsEnded') {
      committed.push(event)
    } else if ('reports' in event.payload) reports.push(event as QuoteReportEvent)
    else quotes.push(event as QuoteEvent)
  }
  return { quotes, reports, committed }
}

async function storeDeliveries(work: Work, events: readonly QuoteReportEvent[]): Promise<void> {
  await work.deliveries.keep(
    events.flatMap(({ name, payload }) =>
      payload.reports.map((delivery) => ({ report: name, delivery })),
    ),
    work.now(),
  )
  const ofRequests = events.filter(({ name }) => name === 'QuoteReceivedCallbackReport')
  await endUndelivered(
    work,
    ofRequests.flatMap(({ payload }) => payload.reports),
  )
}

async function processInRounds(work: Work, events: readonly QuoteEvent[]): Promise<void> {
  for (const round of roundsOf(events, idsOf)) {
    const requests: RequestEvent[] = []
    const ofPayees: PayeeEvent[] = []
    const queries: QueryEvent[] = []
    for (const event of round) {
      if (event.name === 'QuoteRequestReceived') requests.push(event)
      else if (event.name === 'QuoteQueryReceived') queries.push(event)
      else ofPayees.push(event)
    }
    await allOf([request(work, requests), answer(work, ofPayees), query(work, queries)])
  }
}

function idsOf({ payload }: QuoteEvent): readonly string[] {
  return [payload.quoteId]
}

/** GET /quotes/{ID}: the stored answer for the parties of the quote; while there is none, the query is forwarded. */
async function query(work: Work, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const stored = await work.store.readWithAnswers(events.map(({ payload }) => payload.quoteId))
  await work.publish(events.map((event) => answerTo(event, stored.get(event.payload.quoteId))))
}

function answerTo(event: QueryEvent, stored: QuoteWithAnswer | undefined): OutgoingMessage {
  const decision = decideQuery(stored?.quote, event.payload.requesterFspId)
  switch (decision.type) {
    case 'error':
      return errorMessage(event, decision)
    case 'replay':
      return replayStored(event, decision.legRole, stored?.answer)
    case 'forward':
      return forward(event, decision.to)
  }
}
