/**
 * Makes the reports that are requested. The facts are gathered first; then one transaction stores the
 * reports, ends the request and announces them, so that a day has each version once, whatever is
 * repeated or interrupted.
 */
import type { ReportDeliveryForm } from '@causeway/protos'
import { readClock } from '@causeway/postgres'
import { randomUUID } from 'node:crypto'
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { auditEntry, newEvent } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'
import { isOutage, type Logger } from '@causeway/process'
import { hasFacts, positionsIn, writeDocument } from './document.ts'
import { schemeScope, beginOf, type Calendar } from './domain/calendar.ts'
import type { DayFacts } from './domain/facts.ts'
import { operator, reportsOf, type ReportFacts } from './domain/report.ts'
import { gatherDay, type GatherParts } from './gather.ts'
import { fileNameOf, renderReport } from './render.ts'
import {
  addReports,
  deliveriesOf,
  findReport,
  latestReports,
  lockVersion,
  saveDayMade,
  type StoredReport,
} from './report-store.ts'
import {
  beginReading,
  failRequest,
  finishRequest,
  renewLease,
  takeDueRequest,
  type Leased,
} from './request-store.ts'

export interface MakeParts extends GatherParts {
  readonly bus: Pick<EventBus, 'announce'>
  readonly log: Logger
  readonly calendar: Calendar
  /** Where FSPs and operators fetch reports; empty: the e-mail names the path alone. */
  readonly urls: { readonly fsp: string; readonly operator: string }
  readonly signal: AbortSignal
}

const lease_ms = 60_000
const pause_after_failure_ms = 60_000

/** Makes all reports that are due, one after the other. */
export async function makeDueReports(parts: MakeParts): Promise<void> {
  while (!parts.signal.aborted) {
    const request = await takeDueRequest(parts.db, randomUUID(), lease_ms)
    if (request === undefined) return
    try {
      await makeReports(parts, request)
    } catch (error) {
      await giveBack(parts, request, error)
    }
  }
}

/** It is made again after a pause; at once where this process stops. What is no outage is an alarm. */
async function giveBack(
  { db, log, signal }: MakeParts,
  request: Leased,
  error: unknown,
): Promise<void> {
  const { day, scope } = request
  const failure = { err: error, day, scope }
  if (isOutage(error)) log.warn(failure, 'the reports of a day were not made, and are tried again')
  else if (!signal.aborted) log.error(failure, 'ALARM the reports of a day were not made')
  const detail = error instanceof Error ? error.message : String(error)
  await failRequest(db, request, detail, signal.aborted ? 0 : pause_after_failure_ms)
}

async function makeReports(parts: MakeParts, request: Leased): Promise<void> {
  const { db, calendar, signal } = parts
  const { day, scope, until } = request
  await db.transaction((tx) => beginReading(tx, request))
  const before = await findReport(db, { participant: operator, day, scope, version: 0 })
  let renewed_ms = Date.now()
  const facts = await gatherDay(parts, {
    day,
    scope,
    begin: beginOf(calendar, scope, day),
    until,
    ownScopes: [...calendar.ofCurrency.keys()],
    positions: before === undefined ? [] : positionsIn(before.body),
    async onSlice() {
      signal.throwIfAborted()
      if (Date.now() - renewed_ms < lease_ms / 3) return
      renewed_ms = Date.now()
      if (!(await renewLease(db, request, lease_ms))) throw new Error('the lease was lost')
    },
  })
  await storeReports(parts, request, facts)
}

/** What did not change has no further version. */
async function storeReports(
  parts: Pick<MakeParts, 'db' | 'bus' | 'log' | 'urls'>,
  request: Leased,
  facts: DayFacts,
): Promise<void> {
  const { day, scope } = request
  const reports = reportsOf(facts)
  const stored = await parts.db.transaction(async (tx) => {
    const last = await lockVersion(tx, day, scope)
    if (!(await finishRequest(tx, request))) return []
    const before = await latestReports(tx, day, scope)
    const changed = [...reports].filter(([name, one]) => hasChanged(before.get(name), one))
    const version = changed.length === 0 ? last : last + 1
    await saveDayMade(tx, { day, scope, version, periods: facts.periods })
    if (changed.length === 0) return []
    const madeAt = await readClock(tx)
    const added = changed.map(([participant, one]) =>
      writtenReport({ request, participant, version, madeAt }, before.get(participant), one),
    )
    await addReports(tx, { day, scope, version, madeAt, reason: request.reason, reports: added })
    await announceReports(parts, tx, request, added)
    return added
  })
  const log = { day, scope, reports: stored.length, reason: request.reason }
  parts.log.info(log, 'the reports of a day are stored')
}

function hasChanged(before: StoredReport | undefined, facts: ReportFacts): boolean {
  return before === undefined || !hasFacts(before.body, facts)
}

interface Writing {
  readonly request: Leased
  readonly participant: string
  readonly version: number
  readonly madeAt: Date
}

function writtenReport(
  { request: { day, scope, reason }, participant, version, madeAt }: Writing,
  before: StoredReport | undefined,
  facts: ReportFacts,
): StoredReport {
  const replaces = before === undefined ? null : pick(before)
  const head = { day, scope, participant, version, madeAt: madeAt.toISOString(), reason, replaces }
  return { ...writeDocument(head, facts), day, scope, version, madeAt }
}

function pick({ version, sha256 }: StoredReport) {
  return { version, sha256 }
}

async function announceReports(
  { bus, urls }: Pick<MakeParts, 'bus' | 'urls'>,
  tx: Transaction,
  { day, scope, reason, actor }: Leased,
  reports: readonly StoredReport[],
): Promise<void> {
  const names = reports.map(({ participant }) => participant)
  const delivery = await deliveriesOf(tx, names)
  const [first] = reports
  bus.announce(tx, [
    ...reports.flatMap((report) =>
      storedEvent(report, delivery.get(report.participant) ?? 'OFF', urls),
    ),
    auditEntry('settlements', {
      actor,
      action: 'MakeDayReport',
      subject: scope === schemeScope ? `reports/${day}` : `reports/${day}/${scope}`,
      before: null,
      after: { version: first?.version, reason, reports: reports.length },
      at: first?.madeAt ?? new Date(0),
    }),
  ])
}

/** More would not fit into a message; the e-mail then has the link alone. */
const attachment_bytes_max = 256 * 1024

/** None where the participant gets no e-mail. */
function storedEvent(
  report: StoredReport,
  delivery: ReportDeliveryForm,
  urls: MakeParts['urls'],
): readonly OutgoingMessage[] {
  if (delivery === 'OFF') return []
  const { participant, day, scope, version, madeAt, sha256 } = report
  return [
    newEvent('settlements', 'DayReportStored', {
      reportId: fileNameOf(report),
      ...(participant === operator ? {} : { participantId: participant }),
      day,
      ...(scope === schemeScope ? {} : { scope }),
      version,
      sha256,
      link: linkOf(report, urls),
      files: delivery === 'LINK' ? [] : attachmentsOf(report),
      storedAt: madeAt.toISOString(),
    }),
  ]
}

function linkOf({ participant, day, scope }: StoredReport, urls: MakeParts['urls']): string {
  if (participant === operator) return `${urls.operator}/console#/reports/${day}`
  return `${urls.fsp}/reports/${day}${scope === schemeScope ? '' : `?scope=${scope}`}`
}

function attachmentsOf(report: StoredReport) {
  const files = (['CSV', 'HTML'] as const).map((format) => renderReport(report, format))
  const bytes = files.reduce((all, { content }) => all + Buffer.byteLength(content), 0)
  if (bytes > attachment_bytes_max) return []
  return files.map(({ fileName: name, mediaType: type, content }) => ({ name, type, content }))
}
