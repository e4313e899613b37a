/** What became of callbacks goes back to who caused them: one report event per kind and batch. */
import { derivedId, newEvent, type DomainEvent, type Payload } from '@causeway/events'
import type { OutgoingMessage } from '@causeway/runtime'
import { transferReports } from './transfers/callbacks.ts'

/** Further resources join with their own tables. */
const reportNames = { ...transferReports }

export type ReportedEvent = keyof typeof reportNames

type ReportName = (typeof reportNames)[ReportedEvent]

export interface ReportLine {
  /** The event that the line comes from: the ids of the reports are made of it. */
  readonly causeEventId: string
  readonly causeName: ReportedEvent
  readonly report: Payload<ReportName>['reports'][number]
}

/** Lines of events that this edge did not make callbacks of are left out. */
export function reportLines(event: DomainEvent<'NotifyReport'>): readonly ReportLine[] {
  return event.payload.reports.flatMap(({ cause, ...report }) =>
    isReported(cause.msgName)
      ? {
          causeEventId: event.id,
          causeName: cause.msgName,
          report: { ...report, entityId: cause.entityId },
        }
      : [],
  )
}

export function reportEvents(lines: readonly ReportLine[]): readonly OutgoingMessage[] {
  const byName = new Map<ReportName, ReportLine[]>()
  for (const line of lines) {
    const name = reportNames[line.causeName]
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

function isReported(name: string): name is ReportedEvent {
  return Object.hasOwn(reportNames, name)
}
