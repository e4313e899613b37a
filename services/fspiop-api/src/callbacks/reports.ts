/**
 * Reports the delivery of callbacks to the services that caused them: one report event per kind and
 * batch. The sender of a relayed message receives an error callback when its delivery failed.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import { errorInformation, type ErrorInformation } from '@causeway/fspiop'
import { errorInformationOf } from '../contract.ts'
import { failureCallback, type TriggeredCallback } from './callback.ts'
import { refuse } from '../refusals.ts'
import { hasCallbacks, reportNames, type CallbackEvent } from '../callback-table.ts'

type ReportName = NonNullable<(typeof reportNames)[CallbackEvent]>

export interface ReportLine {
  /** The event of the line; the ids of the reports are derived from it. */
  readonly causeEventId: string
  readonly causeName: string
  readonly report: Payload<ReportName>['reports'][number]
}

/** Lines of events that cause no callbacks here are omitted. */
export function reportLines(event: DomainEvent<'NotifyReport'>): readonly ReportLine[] {
  return event.payload.reports.flatMap(({ cause, ...fields }) => {
    if (reportNameOf(cause.msgName) === undefined) return []
    const report = { ...fields, entityId: cause.entityId }
    delete report.onFailure
    return { causeEventId: event.id, causeName: cause.msgName, report }
  })
}

export function reportEvents(lines: readonly ReportLine[]): readonly OutgoingMessage[] {
  const byName = new Map<ReportName, ReportLine[]>()
  for (const line of lines) {
    const name = reportNameOf(line.causeName)
    if (name === undefined) continue
    const ofName = byName.get(name)
    if (ofName === undefined) byName.set(name, [line])
    else ofName.push(line)
  }
  return [...byName].map(([name, ofName]) => {
    const first = ofName[0]?.causeEventId ?? ''
    const last = ofName.at(-1)?.causeEventId ?? ''
    const reports = ofName.map(({ report }) => report)
    return newEvent('fspiop-api', name, { reports }, { id: derivedId(first, name, last) })
  })
}

function reportNameOf(causeName: string): ReportName | undefined {
  return hasCallbacks(causeName) ? (reportNames[causeName] ?? undefined) : undefined
}

/** The error callbacks to the senders of relayed messages that failed. */
export function failureCallbacks(event: DomainEvent<'NotifyReport'>): readonly TriggeredCallback[] {
  return event.payload.reports.flatMap((report) => {
    const { notificationId, cause, onFailure, status } = report
    if (onFailure === undefined || status !== 'FAILED' || onFailure.several !== undefined) return []
    return {
      causeId: notificationId,
      causeName: cause.msgName,
      traceparent: undefined,
      callback: failureCallback(onFailure, cause.entityId, failureOf(report)),
      isReported: false,
      onFailure: undefined,
    }
  })
}

/** Failed deliveries of lookups that went to several FSPs: account-lookup counts them. */
export function undeliveredQuestions(
  event: DomainEvent<'NotifyReport'>,
): readonly OutgoingMessage[] {
  return event.payload.reports.flatMap((report) => {
    const { notificationId, cause, onFailure, status, destinationFspId: fspId } = report
    if (onFailure?.several === undefined || status !== 'FAILED') return []
    const { partyIdType = '', partyIdentifier = '', partySubIdOrType } = onFailure.variables
    const payload: Payload<'PartyQueryUndelivered'> = {
      partyKey: cause.entityId,
      partyIdType,
      partyIdentifier,
      ...(partySubIdOrType === undefined ? {} : { partySubIdOrType }),
      requesterFspId: onFailure.requesterFspId,
      version: onFailure.version,
      fspId,
      errorInformation: failureOf(report),
      ...onFailure.several,
    }
    const id = derivedId(notificationId, 'PartyQueryUndelivered')
    return newEvent('fspiop-api', 'PartyQueryUndelivered', payload, { id })
  })
}

/**
 * The receiver's own error when it refused, the reason why it was not sent, that it had expired when no
 * answer had come yet, or unreachable.
 */
function failureOf(report: Payload<'NotifyReport'>['reports'][number]): ErrorInformation {
  const { httpStatus = 0, attempts, onFailure, reportedAt } = report
  if (attempts === 0 && report.errorInformation !== undefined) return report.errorInformation
  const reason = reasonOf(httpStatus)
  if (reason !== 'DESTINATION_UNREACHABLE' && report.errorInformation !== undefined) {
    return report.errorInformation
  }
  const expiry = httpStatus === 0 ? onFailure?.expiry : undefined
  if (expiry !== undefined && Date.parse(expiry.at) <= Date.parse(reportedAt)) {
    return expiry.errorInformation
  }
  const { code, detail } = refuse(reason)
  return errorInformationOf(errorInformation(code, detail))
}

/** The error in a receiver's 5xx or redirect is not relayed. */
function reasonOf(httpStatus: number) {
  if (httpStatus === 501) return 'DESTINATION_LACKS_OPERATION'
  if (httpStatus === 406) return 'DESTINATION_LACKS_VERSION'
  return httpStatus >= 400 && httpStatus < 500 ? 'DESTINATION_REFUSED' : 'DESTINATION_UNREACHABLE'
}
