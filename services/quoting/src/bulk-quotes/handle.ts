/**
 * Handles a batch of events about bulk quotes, one after the other: each is as much work as a batch of
 * quotes, and they take turns with quotes.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import type { Work } from '../work.ts'
import { answerBulk } from './answer.ts'
import type { BulkEvent } from './contract.ts'
import { passBulkOn, type BulkPassThrough } from './pass-through.ts'
import { queryBulk } from './query.ts'
import { requestBulk } from './request.ts'
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
type ReportEvent = DomainEvent<(typeof reportNames)[number]>

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

async function keep(work: Work, { name, payload: { reports } }: ReportEvent): Promise<void> {
  await work.deliveries.keep(
    reports.map((delivery) => ({ report: name, delivery })),
    work.now(),
  )
  if (name === 'BulkQuoteReceivedCallbackReport') await endUndeliveredBulks(work, reports)
}

function isReport(event: ConsumedBulkEvent): event is ReportEvent {
  return 'reports' in event.payload
}
