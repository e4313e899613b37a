/**
 * Handles a batch of events about bulk quotes, one after the other: each is as much work as a batch of
 * quotes, and they take turns with quotes.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { DomainEvent, EventName } from '@causeway/events'
import { decideQuery } from '../quotes/domain/decide.ts'
import type { Work } from '../work.ts'
import { answerBulk } from './answer.ts'
import {
  forward,
  replayStored,
  tellError,
  type BulkEvent,
  type BulkQueryEvent,
} from './contract.ts'
import { passBulkOn, type BulkPassThrough } from './pass-through.ts'
import { requestBulk } from './request.ts'
import type { StoredBulk } from './store.ts'
import { endUndeliveredBulks } from './undelivered.ts'

const bulkNames = [
  'BulkQuoteRequestReceived',
  'BulkQuoteResponseReceived',
  'BulkQuoteRejectReceived',
  'BulkQuoteQueryReceived',
] as const satisfies readonly EventName[]

const reportNames = [
  'BulkQuoteReceivedCallbackReport',
  'BulkQuoteAcceptedCallbackReport',
  'BulkQuoteRejectCallbackReport',
  'BulkQuoteQueryResponseCallbackReport',
  'InvalidBulkQuoteRequestCallbackReport',
  'InvalidFSPInBulkQuoteRequestCallbackReport',
  'BulkQuoteItemsRefusedCallbackReport',
  'RuleViolatedInBulkQuoteResponseCallbackReport',
] as const satisfies readonly EventName[]

export const consumedOfBulks = [...bulkNames, ...reportNames] as const

export type ConsumedBulkEvent = DomainEvent<(typeof consumedOfBulks)[number]>
type BulkReportEvent = DomainEvent<(typeof reportNames)[number]>

export async function handleBulks(work: Work, events: readonly ConsumedBulkEvent[]): Promise<void> {
  for (const event of events) {
    if (isReport(event)) await keep(work, event)
    else await handleOne(work, event)
  }
}

/** Stores nothing: callback reports are ignored. */
export async function passBulksOn(
  parts: BulkPassThrough,
  events: readonly ConsumedBulkEvent[],
): Promise<void> {
  for (const event of events) {
    if (!isReport(event)) await passBulkOn(parts, event)
  }
}

function handleOne(work: Work, event: BulkEvent): Promise<void> {
  switch (event.name) {
    case 'BulkQuoteRequestReceived':
      return requestBulk(work, event)
    case 'BulkQuoteResponseReceived':
    case 'BulkQuoteRejectReceived':
      return answerBulk(work, event)
    case 'BulkQuoteQueryReceived':
      return queryBulk(work, event)
  }
}

async function keep(work: Work, { name, payload: { reports } }: BulkReportEvent): Promise<void> {
  await work.deliveries.keep(
    reports.map((delivery) => ({ report: name, delivery })),
    work.now(),
  )
  if (name === 'BulkQuoteReceivedCallbackReport') await endUndeliveredBulks(work, reports)
}

function isReport(event: ConsumedBulkEvent): event is BulkReportEvent {
  return 'reports' in event.payload
}

/** GET /bulkQuotes/{ID}: the stored answer for its parties; while there is none, the query is forwarded. */
async function queryBulk(work: Work, event: BulkQueryEvent): Promise<void> {
  const stored = await work.bulks.read(event.payload.bulkQuoteId, event.payload.requesterFspId)
  await work.publish([answerTo(event, stored)])
}

function answerTo(event: BulkQueryEvent, stored: StoredBulk | undefined): OutgoingMessage {
  const decision = decideQuery(stored?.bulk, event.payload.requesterFspId)
  switch (decision.type) {
    case 'error':
      return stored?.answer === undefined || decision.legRole !== 'PAYER'
        ? tellError(event, decision)
        : replayStored(event, 'PAYER', stored.answer)
    case 'replay':
      return replayStored(event, decision.legRole, stored?.answer)
    case 'forward':
      return forward(event, decision.to)
  }
}
