/** The reports of days over gRPC. */
import { readClock } from '@causeway/postgres'
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import {
  dayReportQueryFormatValues,
  reportDeliveryFormValues,
  type dayReportsService,
  type DayReportSummary,
} from '@causeway/protos'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { readFigures } from './document.ts'
import {
  endOf,
  isDay,
  isScope,
  lastEnded,
  missedDays,
  nextDay,
  schemeScope,
  type Calendar,
} from './domain/calendar.ts'
import { operator } from './domain/report.ts'
import { renderReport } from './render.ts'
import {
  deliveryOf,
  findReport,
  listReports,
  saveDelivery,
  type StoredReport,
} from './report-store.ts'
import {
  dayStateOf,
  lastReportedDay,
  readRequests,
  requestReports,
  type NewRequest,
} from './request-store.ts'

const reports_usual = 100
const reports_max = 400

export interface DayReportParts {
  readonly db: Database
  readonly bus: Pick<EventBus, 'announce'>
  readonly calendar: Calendar
  readonly delay_ms: number
}

type DayReportsHandlers = Handlers<typeof dayReportsService>

export function dayReportHandlers(parts: DayReportParts): DayReportsHandlers {
  return { ...reads(parts), ...makingOf(parts), ...deliverySetting(parts) }
}

function reads({
  db,
}: DayReportParts): Pick<
  DayReportsHandlers,
  'ListDayReports' | 'ListRequestedReports' | 'GetDayReport' | 'GetReportDelivery'
> {
  return {
    ListDayReports: async ({ participant = operator, fromDay, toDay, limit = reports_usual }) => {
      if (![fromDay, toDay].every((day) => day === undefined || isDay(day))) return { reports: [] }
      const reports = await listReports(db, {
        participant,
        from: fromDay ?? null,
        to: toDay ?? null,
        scope: null,
        limit: Math.min(Math.max(limit, 1), reports_max),
      })
      return { reports: reports.map(summaryOf) }
    },
    ListRequestedReports: async () => {
      const requests = await readRequests(db)
      const reports = requests.map(({ scope, due_at, last_error, ...request }) => ({
        ...request,
        ...scopeOf(scope),
        dueAt: due_at.toISOString(),
        ...(last_error === null ? {} : { lastError: last_error }),
      }))
      return { reports }
    },
    GetDayReport: async ({ day, format, ...wanted }) => {
      const { participant = operator, scope = schemeScope, version = 0 } = wanted
      if (!dayReportQueryFormatValues.includes(format)) {
        return refusedWith(refuse('INVALID', `${format} is not a format`))
      }
      if (!isDay(day)) return refusedWith(refuse('INVALID', `${day} is not a day`))
      // No scope has U+0000, which PostgreSQL refuses.
      const isPossible = !scope.includes('\0')
      const report = isPossible
        ? await findReport(db, { participant, day, scope, version })
        : undefined
      if (report === undefined) return refusedWith(unknownReport(day, version))
      const { content, ...file } = renderReport(report, format)
      return {
        result: 'file',
        file: { ...file, content: Buffer.from(content), summary: summaryOf(report) },
      }
    },
    GetReportDelivery: async ({ participant = operator }) => ({
      delivery: await deliveryOf(db, participant),
    }),
  }
}

function unknownReport(day: string, version: number): RefusedCommand {
  const what = version === 0 ? 'report' : `version ${version}`
  return refuse('REPORT_UNKNOWN', `there is no ${what} of ${day}`)
}

function makingOf(parts: DayReportParts): Pick<DayReportsHandlers, 'MakeDayReport'> {
  const { db, bus, calendar, delay_ms } = parts
  return {
    MakeDayReport: async ({ day, scope = schemeScope, endsNow, actor }) => {
      if (!isDay(day)) return refusedWith(refuse('INVALID', `${day} is not a day`))
      if (!isScope(calendar, scope)) {
        return refusedWith(refuse('INVALID', `${scope} has no end of day of its own`))
      }
      const refused = await db.transaction(async (tx) => {
        const now = await readClock(tx)
        const last = await lastReportedDay(tx, scope)
        const until = endWanted({ calendar, scope, day, now, last, endsNow })
        if (!(until instanceof Date)) return until
        // A day begins where the one before has ended, so those in between are made as well.
        const days = missedDays(await lastReportedDay(tx, scope, day), day)
        const requests = days.map((each): NewRequest => ({
          day: each,
          scope,
          until: each === day ? until : endOf(calendar, scope, each),
          reason: 'OPERATOR',
          actor,
        }))
        await requestReports(tx, requests, delay_ms)
        bus.announce(tx, [
          auditEntry('settlements', {
            actor,
            action: 'RequestDayReport',
            subject: scope === schemeScope ? `reports/${day}` : `reports/${day}/${scope}`,
            before: null,
            after: { until: until.toISOString(), endsNow, days: days.length },
            at: now,
          }),
        ])
        return undefined
      })
      if (refused !== undefined) return refusedWith(refused)
      const state = await dayStateOf(db, day, scope)
      if (state === undefined) throw new Error(`${day} was requested and is unknown`)
      const { until, version, isRequested: requested } = state
      const made = version === 0 ? {} : { version }
      return {
        result: 'state',
        state: { day, ...scopeOf(scope), ...made, until: until.toISOString(), requested },
      }
    },
  }
}

function deliverySetting({
  db,
  bus,
}: DayReportParts): Pick<DayReportsHandlers, 'SetReportDelivery'> {
  return {
    SetReportDelivery: async ({ participant = operator, delivery, actor }) => {
      if (!reportDeliveryFormValues.includes(delivery)) {
        return { refusal: { reason: 'INVALID', detail: `${delivery} is not a delivery` } }
      }
      await db.transaction(async (tx) => {
        const before = await deliveryOf(tx, participant)
        await saveDelivery(tx, participant, delivery)
        bus.announce(tx, [
          auditEntry('settlements', {
            actor,
            action: 'SetReportDelivery',
            subject: participant === operator ? 'reports' : `participants/${participant}`,
            before: { reportDelivery: before },
            after: { reportDelivery: delivery },
            at: await readClock(tx),
          }),
        ])
      })
      return { refusal: null }
    },
  }
}

interface EndWanted {
  readonly calendar: Calendar
  readonly scope: string
  readonly day: string
  readonly now: Date
  readonly last: string | null
  readonly endsNow: boolean
}

/** The end of the day: by the calendar, or now. A day that has ended keeps its end. */
function endWanted({ calendar, scope, day, now, last, endsNow }: EndWanted): Date | RefusedCommand {
  if (last !== null && day <= last) return endOf(calendar, scope, day)
  const ended = lastEnded(calendar, scope, now)
  if (day <= ended) return endOf(calendar, scope, day)
  const current = nextDay(ended)
  return day === current && endsNow
    ? now
    : refuse('DAY_NOT_OVER', `${day} ends at ${endOf(calendar, scope, day).toISOString()}`)
}

function summaryOf(report: Omit<StoredReport, 'body'>): DayReportSummary {
  const { participant, day, scope, version, madeAt, sha256, summary } = report
  return {
    ...(participant === operator ? {} : { participant }),
    day,
    ...scopeOf(scope),
    version,
    madeAt: madeAt.toISOString(),
    sha256,
    currencies: readFigures(summary).map(({ p50_ms, p95_ms, p99_ms, ...figures }) => ({
      ...figures,
      sentCount: String(figures.sentCount),
      receivedCount: String(figures.receivedCount),
      failuresCount: String(figures.failuresCount),
      ...(p50_ms === null ? {} : { p50Ms: String(p50_ms) }),
      ...(p95_ms === null ? {} : { p95Ms: String(p95_ms) }),
      ...(p99_ms === null ? {} : { p99Ms: String(p99_ms) }),
    })),
  }
}

function scopeOf(scope: string) {
  return scope === schemeScope ? {} : { scope }
}

function refusedWith({ reason, detail }: RefusedCommand) {
  return { refusal: { reason, detail } }
}
