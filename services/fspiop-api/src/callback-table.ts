/**
 * The table of all resources: which events cause callbacks, which callbacks, and the event that reports
 * their delivery.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import { bulkQuoteFailure, bulkQuoteCallbacks, bulkQuoteReports } from './bulk-quotes/callbacks.ts'
import { bulkTransferCallbacks, bulkTransferReports } from './bulk-transfers/callbacks.ts'
import type { TriggeredCallback, FailureNotice, Callback } from './callbacks/callback.ts'
import { participantCallbacks, participantReports } from './participants/callbacks.ts'
import { partyCallbacks, partyReports } from './parties/callbacks.ts'
import { pingCallbacks, pingReports } from './pings/callbacks.ts'
import { quoteFailure, quoteCallbacks, quoteReports } from './quotes/callbacks.ts'
import { consentCallbacks, consentReports } from './pisp/callbacks.ts'
import { transferCallbacks, transferReports, type CallbackRules } from './transfers/callbacks.ts'

/** Bulks, whose events may have 5 MiB each. */
const bulkReports = { ...bulkQuoteReports, ...bulkTransferReports } as const

/** The report event of each event; null where no service stores one. */
export const reportNames = {
  ...bulkReports,
  ...transferReports,
  ...quoteReports,
  ...partyReports,
  ...participantReports,
  ...pingReports,
  ...consentReports,
} as const satisfies Partial<Record<EventName, EventName | null>>

export type CallbackEvent = keyof typeof reportNames

type BulkCallbackEvent = keyof typeof bulkReports

export const bulkCallbackEvents = Object.keys(bulkReports) as readonly BulkCallbackEvent[]

export const callbackEvents = Object.keys(reportNames).filter(
  (name) => !Object.hasOwn(bulkReports, name),
) as readonly Exclude<CallbackEvent, BulkCallbackEvent>[]

export function hasCallbacks(name: string): name is CallbackEvent {
  return Object.hasOwn(reportNames, name)
}

export interface CallbackTableRules extends CallbackRules {
  /** The hosted auth service as a participant: it consumes the event itself and needs no callback. */
  readonly authService: string
}

/** The callbacks that the event causes. */
export function triggeredCallbacks(
  event: DomainEvent<CallbackEvent>,
  rules: CallbackTableRules,
): readonly TriggeredCallback[] {
  const isReported = reportNames[event.name] !== null
  const callbacks = callbacksOf(event, rules).filter(({ fspId }) => fspId !== rules.authService)
  return callbacks.map((callback) => ({
    causeId: event.id,
    causeName: event.name,
    traceparent: event.traceparent,
    callback,
    isReported,
    onFailure: failureOf(event),
  }))
}

function failureOf(event: DomainEvent<CallbackEvent>): FailureNotice | undefined {
  if (isOf(quoteReports, event)) return quoteFailure(event)
  return isOf(bulkQuoteReports, event) ? bulkQuoteFailure(event) : undefined
}

function callbacksOf(event: DomainEvent<CallbackEvent>, rules: CallbackRules): readonly Callback[] {
  if (isOf(quoteReports, event)) return quoteCallbacks(event)
  if (isOf(bulkQuoteReports, event)) return bulkQuoteCallbacks(event)
  if (isOf(bulkTransferReports, event)) return bulkTransferCallbacks(event, rules)
  if (isOf(partyReports, event)) return partyCallbacks(event)
  if (isOf(participantReports, event)) return participantCallbacks(event)
  if (isOf(pingReports, event)) return pingCallbacks(event)
  if (isOf(consentReports, event)) return consentCallbacks(event)
  return transferCallbacks(event, rules)
}

function isOf<Table extends Partial<Record<CallbackEvent, EventName | null>>>(
  table: Table,
  event: DomainEvent<CallbackEvent>,
): event is DomainEvent<keyof Table & CallbackEvent> {
  return Object.hasOwn(table, event.name)
}
