/** Builds models, allocation, windows and settlements, and stops them in reverse order. */
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { onEvents } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { periodically, type Logger, type Service } from '@causeway/process'
import {
  ledgerService,
  quotesService,
  settlementReportsService,
  settlementsService,
  settlementWindowsService,
  thirdPartyTransactionsService,
  transfersService,
} from '@causeway/protos'
import { schemaOf, type ProcessParts, type Start } from '@causeway/runtime'
import { openAllocation } from './allocation.ts'
import { calendarOf, openDayReports } from './day-reports/open.ts'
import { consumeLines } from './lines/handle.ts'
import { openModels } from './models/open.ts'
import { withOrigins, type Origins } from './reports/origins.ts'
import { reportHandlers, type OriginsOf } from './reports/serve.ts'
import { settlementHandlers } from './settlements/serve.ts'
import { finishSteps } from './settlements/step.ts'
import type { SettlementsSettings } from './settings.ts'
import { finishClosings } from './windows/close.ts'
import { completeWindows, untilComplete } from './windows/complete.ts'
import { closeDue, type ScheduleParts } from './models/schedule.ts'
import { windowHandlers } from './windows/serve.ts'

/** Closes windows whose last lines another process has stored. */
const complete_every_ms = 1_000
/**
 * The creation of a settlement waits so long for the last lines of a window that was just closed.
 */
const lines_wait_ms = 1_500

/** How often unfinished closings and steps are retried: an outage of the ledger delays them by a minute. */
const usualFinish_ms = 60_000

/** Serves reports and verification only. */
export const startReads: Start<SettlementsSettings> = async (settings, parts) => {
  const db = await openOwnDatabase(settings, parts)
  const ledger = parts.grpc.client(ledgerService, 'participant-lifecycle')
  parts.grpc.serve(
    settlementReportsService,
    reportHandlers(db, ledger, originsAt(parts.grpc, parts.log)),
  )
  return { stop: () => db.close() }
}

export const start = async (
  settings: SettlementsSettings,
  given: ProcessParts,
  finish_every_ms = usualFinish_ms,
): Promise<Service> => {
  const log = given.log.child({ service: 'settlements' })
  const calendar = calendarOf(settings)
  const keyFile = settings.SETTLEMENTS_COMPONENT_KEY_FILE
  const ownKey = await openOwnKey('settlements', keyFile, { ...given, log })
  const parts = { ...given, bus: signedEntries(given.bus, ownKey) }
  const db = await openOwnDatabase(settings, parts)
  const stopping = new AbortController()
  const models = openModels(parts, db, log, stopping.signal)
  const { signal } = stopping
  const { schedules } = models
  const settling = await openSettling(parts, settings, {
    db,
    log,
    signal,
    schedules,
    finish_every_ms,
  })
  const originsOf = originsAt(parts.grpc, log)
  const dayReports = await openDayReports(parts, settings, calendar, { db, log, signal, originsOf })
  parts.health.ready('settlements', async () => {
    await models.store.pendingPushes()
  })
  const allocation = await openAllocation({ ...parts, log }, models.book)

  return {
    async stop() {
      await allocation.stop()
      stopping.abort()
      await dayReports.stop()
      await settling.stop()
      await models.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

function originsAt(grpc: GrpcHost, log: Logger): OriginsOf {
  const origins: Origins = {
    transfers: grpc.client(transfersService, 'transfers'),
    quotes: grpc.client(quotesService, 'quoting'),
    thirdParties: grpc.client(thirdPartyTransactionsService, 'auth-service'),
  }
  return (rows) => withOrigins(origins, log, rows)
}

function openOwnDatabase(settings: SettlementsSettings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.SETTLEMENTS_DATABASE_URL,
    ...schemaOf('settlements'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
}

interface SettlingParts {
  readonly db: Database
  readonly log: Logger
  readonly signal: AbortSignal
  readonly schedules: ScheduleParts
  readonly finish_every_ms: number
}

/** Opens windows and settlements, and finishes what earlier processes have left open. */
async function openSettling(
  { bus, grpc }: ProcessParts,
  settings: SettlementsSettings,
  { db, log, signal, schedules, finish_every_ms }: SettlingParts,
): Promise<Service> {
  const ledger = grpc.client(ledgerService, 'participant-lifecycle')
  const all = {
    ...schedules,
    db,
    bus,
    ledger,
    excludesUnpaid: settings.COMPATIBILITY !== 'mojaloop',
    underWay: new Map(),
    untilComplete: (ids: readonly number[]) => untilComplete(all, ids, lines_wait_ms),
    async onClosed() {
      hasProcessing = true
      await complete()
    },
  }
  let hasProcessing = true
  async function complete(): Promise<void> {
    hasProcessing = (await completeWindows(all)).length > 0
  }
  const finish = () =>
    Promise.all(
      [finishClosings, finishSteps].map(async (work) => {
        try {
          await work(all)
        } catch (error) {
          if (!signal.aborted) log.error({ err: error }, `ALARM ${work.name} has failed`)
        }
      }),
    )
  const finished = finish()
  grpc.serve(settlementWindowsService, windowHandlers(all))
  grpc.serve(settlementsService, settlementHandlers(all))
  grpc.serve(settlementReportsService, reportHandlers(db, ledger, originsAt(grpc, log)))
  const completing = periodically(complete_every_ms, complete, {
    log,
    name: 'completing closed windows',
  })
  const finishing = periodically(
    finish_every_ms,
    async () => {
      await finished
      await finish()
    },
    { log, name: 'finishing closings and steps' },
  )
  const lines = await consumeLines(bus, db, async () => {
    if (hasProcessing) await complete()
  })
  const schedule = await onEvents(
    bus,
    'settlements.schedule',
    ['ScheduleReminderDue'],
    async (events) => {
      for (const event of events) await closeDue(all, event)
    },
  )
  return {
    async stop() {
      await schedule.stop()
      await lines.stop()
      await completing.stop()
      await finishing.stop()
      await finished
    },
  }
}
