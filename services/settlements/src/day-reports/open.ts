/** The reports of days in a running service: scheduled, requested, made and served. */
import { onEvents } from '@causeway/events'
import type { Database } from '@causeway/postgres'
import { periodically, StartError, type Logger, type Service } from '@causeway/process'
import {
  dayReportsService,
  ledgerService,
  liquidityService,
  participantsService,
  schedulerService,
  thirdPartyTransactionsService,
} from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import type { OriginsOf } from '../reports/serve.ts'
import type { SettlementsSettings } from '../settings.ts'
import { readCalendar, type Calendar } from './domain/calendar.ts'
import { makeDueReports, type MakeParts } from './make.ts'
import { daysWithLateLines, requestReports } from './request-store.ts'
import { registerDayReports, requestDue, type DayScheduleParts } from './schedule.ts'
import { dayReportHandlers } from './serve.ts'

const make_every_ms = 1_000
const late_every_ms = 60_000

export interface OpenDayReports {
  readonly db: Database
  readonly log: Logger
  readonly signal: AbortSignal
  readonly originsOf: OriginsOf
}

/** Throws StartError for an end of day that is not a time. */
export function calendarOf(settings: SettlementsSettings): Calendar {
  const calendar = readCalendar(
    settings.SETTLEMENTS_REPORTS_END_OF_DAY,
    settings.SETTLEMENTS_REPORTS_END_OF_DAY_BY_CURRENCY,
  )
  if (typeof calendar === 'string') {
    throw new StartError(`SETTLEMENTS_REPORTS_END_OF_DAY: ${calendar}.`)
  }
  return calendar
}

export async function openDayReports(
  { bus, grpc }: ProcessParts,
  settings: SettlementsSettings,
  calendar: Calendar,
  { db, log, signal, originsOf }: OpenDayReports,
): Promise<Service> {
  const delay_ms = settings.SETTLEMENTS_REPORTS_DELAY_MS
  const making: MakeParts = {
    db,
    bus,
    log,
    signal,
    originsOf,
    participants: grpc.client(participantsService, 'participant-lifecycle'),
    liquidity: grpc.client(liquidityService, 'participant-lifecycle'),
    ledger: grpc.client(ledgerService, 'participant-lifecycle'),
    thirdParties: grpc.client(thirdPartyTransactionsService, 'auth-service'),
    calendar,
    urls: {
      fsp: withoutSlash(settings.SETTLEMENTS_REPORTS_FSP_URL),
      operator: withoutSlash(settings.SETTLEMENTS_REPORTS_OPERATOR_URL),
    },
  }
  const scheduling: DayScheduleParts = {
    db,
    scheduler: grpc.client(schedulerService, 'scheduler'),
    calendar,
    delay_ms,
    log,
    signal,
  }
  grpc.serve(dayReportsService, dayReportHandlers({ db, bus, calendar, delay_ms }))
  const registering = registerDayReports(scheduling).catch(() => undefined) // stopped before it ended
  const subscribed = await onEvents(
    bus,
    'settlements.reports',
    ['ScheduleReminderDue'],
    async (events) => {
      for (const event of events) await requestDue(scheduling, event)
    },
  )
  const work = [
    periodically(make_every_ms, () => makeDueReports(making), { log, name: 'reports of days' }),
    periodically(
      late_every_ms,
      () => requestCorrections(db, settings.SETTLEMENTS_REPORTS_CORRECTED_DAYS, delay_ms),
      { log, name: 'corrections of reports' },
    ),
  ]
  return {
    async stop() {
      await subscribed.stop()
      for (const each of work) await each.stop()
      await registering
    },
  }
}

/** Lines that came after the report of their day make another version of it. */
async function requestCorrections(db: Database, days: number, delay_ms: number): Promise<void> {
  const late = await daysWithLateLines(db, days)
  if (late.length === 0) return
  const requests = late.map((day) => ({
    ...day,
    reason: 'LATE_TRANSFERS' as const,
    actor: 'settlements',
  }))
  await db.transaction((tx) => requestReports(tx, requests, delay_ms))
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}
