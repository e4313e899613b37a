/**
 * Which events FSPs are told of, what they are told, and the event that reports about the telling:
 * one table of all resources.
 */
import type { DomainEvent, EventName } from '@causeway/events'
import { bulkQuoteFailure, bulkQuoteLegs, bulkQuoteReports } from './bulk-quotes/callbacks.ts'
import { bulkTransferLegs, bulkTransferReports } from './bulk-transfers/callbacks.ts'
import type { CausedLeg, FailureNotice, Leg } from './legs.ts'
import { participantLegs, participantReports } from './participants/callbacks.ts'
import { partyLegs, partyReports } from './parties/callbacks.ts'
import { pingLegs, pingReports } from './pings/callbacks.ts'
import { quoteFailure, quoteLegs, quoteReports } from './quotes/callbacks.ts'
import { consentLegs, consentReports } from './thirdparty/callbacks.ts'
import { transferLegs, transferReports, type CallbackRules } from './transfers/callbacks.ts'

/** Of bulks, whose events may hold 5 MiB each. */
const bulkReports = { ...bulkQuoteReports, ...bulkTransferReports } as const

/** The report of each event; null where nobody keeps one. */
export const reportNames = {
  ...bulkReports,
  ...transferReports,
  ...quoteReports,
  ...partyReports,
  ...participantReports,
  ...pingReports,
  ...consentReports,
} as const satisfies Partial<Record<EventName, EventName | null>>

export type ToldEvent = keyof typeof reportNames

type BulkToldEvent = keyof typeof bulkReports

export const bulkToldEvents = Object.keys(bulkReports) as readonly BulkToldEvent[]

export const toldEvents = Object.keys(reportNames).filter(
  (name) => !Object.hasOwn(bulkReports, name),
) as readonly Exclude<ToldEvent, BulkToldEvent>[]

export function isTold(name: string): name is ToldEvent {
  return Object.hasOwn(reportNames, name)
}

export interface TellingRules extends CallbackRules {
  /** The participant that the hosted auth service is: it hears of what it asked by the event itself. */
  readonly authService: string
}

/** What is to be told of the event, to whom. */
export function causedLegs(
  event: DomainEvent<ToldEvent>,
  rules: TellingRules,
): readonly CausedLeg[] {
  const isReported = reportNames[event.name] !== null
  const legs = legsOf(event, rules).filter(({ fspId }) => fspId !== rules.authService)
  return legs.map((leg) => ({
    causeId: event.id,
    causeName: event.name,
    traceparent: event.traceparent,
    leg,
    isReported,
    onFailure: failureOf(event),
  }))
}

function failureOf(event: DomainEvent<ToldEvent>): FailureNotice | undefined {
  if (isOf(quoteReports, event)) return quoteFailure(event)
  return isOf(bulkQuoteReports, event) ? bulkQuoteFailure(event) : undefined
}

function legsOf(event: DomainEvent<ToldEvent>, rules: CallbackRules): readonly Leg[] {
  if (isOf(quoteReports, event)) return quoteLegs(event)
  if (isOf(bulkQuoteReports, event)) return bulkQuoteLegs(event)
  if (isOf(bulkTransferReports, event)) return bulkTransferLegs(event, rules)
  if (isOf(partyReports, event)) return partyLegs(event)
  if (isOf(participantReports, event)) return participantLegs(event)
  if (isOf(pingReports, event)) return pingLegs(event)
  if (isOf(consentReports, event)) return consentLegs(event)
  return transferLegs(event, rules)
}

function isOf<Table extends Partial<Record<ToldEvent, EventName | null>>>(
  table: Table,
  event: DomainEvent<ToldEvent>,
): event is DomainEvent<keyof Table & ToldEvent> {
  return Object.hasOwn(table, event.name)
}
