/** The life of transfers: built in reading order, taken apart in the reverse. */
import type { EventBus } from '@causeway/bus'
import { openOwnKey } from '@causeway/keys/components'
import { onEvents } from '@causeway/events'
import { openLiveSettings, type LiveSettings } from '@causeway/live-settings'
import { openBodies, type Bodies } from '@causeway/keys/months'
import { onParticipantStates } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import { periodically, recent, type Logger, type Metrics, type Periodic } from '@causeway/process'
import {
  bulkTransfersService,
  ledgerService,
  quotesService,
  transfersService,
} from '@causeway/protos'
import { schemaOf, type ProcessParts, type Start } from '@causeway/runtime'
import { Gauge } from 'prom-client'
import { openDeliveryStore } from '@causeway/records'
import { arrivalHandlers } from './bulks/arrivals.ts'
import { handleBulks, consumedOfBulks } from './bulks/handle.ts'
import { openBulkQuotes, unquoted, type BulkQuotes } from './bulks/quotes.ts'
import { openBulkRecordStore } from './bulks/record-store.ts'
import { bulkRecordHandlers } from './bulks/records.ts'
import { openBulkStore } from './bulks/store.ts'
import { handleBatch, consumed } from './handle.ts'
import { holdBack, measureHeldBack } from './expiry/held-back.ts'
import { openLedger } from './ledger.ts'
import { schemaVersion, settings as definitions, type TransfersSettings } from './settings.ts'
import { personHandlers } from './records/person.ts'
import { openRecordStore } from './records/record-store.ts'
import { recordHandlers } from './records/records.ts'
import { openRequestCheck, unchecked, type RequestCheck } from './request-check.ts'
import { stateHandlers } from './records/states.ts'
import { openTransferStore, readTransfers, type TransferStore } from './store.ts'
import { claimed_ms, heal, openSweepClock, sweep, type SweepOptions } from './expiry/sweep.ts'
import { openAlarms, type Deps } from './deps.ts'

/** Events per batch, one batch at a time: what arrives meanwhile forms the next one. */
const batch_max = 100
/** Bulk transfers at once, a slice of each in turn: a second one does not wait for the end of a long one. */
const bulks_in_flight_max = 2
/** New partitions are made well before their month begins. */
const partition_interval_ms = 3_600_000
/** For how long a moment up to which bulks are processed is answered to any edge. */
const progress_fresh_ms = 500
/** How long work in flight may take when the service stops, before it is left to the next start. */
const stop_ms = 5_000

/** Only reads: no event is consumed, nothing expires. */
export const startReads: Start<TransfersSettings> = async (settings, parts) => {
  const db = await openOwnDatabase(settings, parts)
  const bodies = await openBodies('off', { ...parts, service: 'transfers', db })
  serveReads(parts.grpc, openTransferStore(db, parts.bus), { db, bodies })
  return {
    async stop() {
      await bodies.stop()
      await db.close()
    },
  }
}

export const start: Start<TransfersSettings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'transfers' })
  const keyFile = settings.TRANSFERS_COMPONENT_KEY_FILE
  const ownKey = await openOwnKey('transfers', keyFile, { ...parts, log })
  const db = await openOwnDatabase(settings, parts)
  const encryption = settings.MESSAGE_ENCRYPTION
  const bodies = await openBodies(encryption, { ...parts, service: 'transfers', db, log })
  const store = openTransferStore(db, parts.bus, bodies)
  const bulks = openBulkStore(db, parts.bus, readTransfers, bodies)
  await store.ensurePartitions(new Date())
  const stopping = new AbortController()
  const calls = parts.grpc.client(ledgerService, 'participant-lifecycle')
  const deps: Deps = {
    store,
    bulks,
    bulkQuotes: bulkQuotesOf(settings, parts, { log, signal: stopping.signal }),
    ledger: openLedger(calls, { log, signal: stopping.signal }),
    alarm: openAlarms(log, parts.metrics),
    now: () => new Date(),
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    payeeRules: { misdirectedAborts: settings.COMPATIBILITY === 'mojaloop' },
    compatibility: settings.COMPATIBILITY,
    abortsRefusedDeliveries: settings.TRANSFERS_ABORT_REFUSED_DELIVERIES === 'on',
    rejectedBulksKept_ms: settings.TRANSFERS_REJECTED_BULK_RETENTION_H * 3_600_000,
  }
  serveReads(parts.grpc, store, { db, bodies })
  onParticipantStates({ grpc: parts.grpc, log }, 'transfers')
  measureOverdue(store, parts.metrics)
  measureHeldBack(db, parts.metrics)
  parts.health.ready('transfers', async () => {
    await store.states([])
  })

  const check = checkOf(parts)
  const subscribed = await subscribe(parts.bus, db, { deps, check })
  parts.grpc.serve(
    bulkTransfersService,
    arrivalHandlers(bulks, recent(subscribed.lowWatermarks.items, progress_fresh_ms)),
  )
  const live = await openLiveSettings(
    { service: 'transfers', schemaVersion, definitions, values: settings },
    { ...parts, log },
  )
  const routines = routinesOf(deps, live, subscribed, log)

  return {
    async stop() {
      await live.stop()
      const patience = setTimeout(() => stopping.abort(), stop_ms)
      await Promise.all([subscribed.stop(), ...routines.map((routine) => routine.stop())])
      clearTimeout(patience)
      await bodies.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

function routinesOf(
  deps: Deps,
  live: LiveSettings<TransfersSettings>,
  { lowWatermarks }: Subscriptions,
  log: Logger,
): readonly Periodic[] {
  const sweeping: SweepOptions = {
    get batch_max() {
      return live.current.TRANSFERS_SWEEP_BATCH_MAX
    },
    clock: openSweepClock(deps, lowWatermarks),
  }
  const interval_ms = () => live.current.SWEEP_INTERVAL_MS
  const healing_ms = () => live.current.TRANSFERS_HEAL_INTERVAL_MS
  return [
    periodically(interval_ms, () => sweep(deps, 'singles', sweeping), {
      log,
      name: 'expiry sweep',
    }),
    periodically(interval_ms, () => sweep(deps, 'items', sweeping), {
      log,
      name: 'expiry sweep of bulks',
    }),
    periodically(healing_ms, () => heal(deps, sweeping), {
      log,
      name: 'comparison with the ledger',
    }),
    periodically(partition_interval_ms, () => deps.store.ensurePartitions(new Date()), {
      log,
      name: 'partitions of the month',
    }),
  ]
}

function bulkQuotesOf(
  { TRANSFERS_CHECK_BULK_QUOTES, COMPATIBILITY }: TransfersSettings,
  { grpc }: ProcessParts,
  options: Parameters<typeof openBulkQuotes>[1],
): BulkQuotes {
  const isChecked = TRANSFERS_CHECK_BULK_QUOTES === 'on' && COMPATIBILITY !== 'mojaloop'
  return isChecked ? openBulkQuotes(grpc.client(quotesService, 'quoting'), options) : unquoted
}

/** In one process no message between the edge and transfers comes from outside. */
function checkOf({ grpc, shared }: Pick<ProcessParts, 'grpc' | 'shared'>): RequestCheck {
  return shared.isSole ? unchecked : openRequestCheck(grpc)
}

interface Subscriptions {
  readonly lowWatermarks: Parameters<typeof openSweepClock>[1]
  stop(): Promise<void>
}

/** Transfers, and bulks next to them. */
async function subscribe(
  bus: EventBus,
  db: Database,
  { deps, check }: { readonly deps: Deps; readonly check: RequestCheck },
): Promise<Subscriptions> {
  const deliveries = openDeliveryStore(db, 'transfer_id')
  const deadLetterObserver = holdBack(db, deps.alarm)
  const ofTransfers = await onEvents(
    bus,
    'transfers',
    consumed,
    async (events) => {
      await check(events)
      await handleBatch(deps, deliveries, events)
    },
    {
      batch_max,
      deadLetterObserver,
    },
  )
  const ofBulks = await onEvents(
    bus,
    'transfers.bulks',
    consumedOfBulks,
    async (events, { giveWay }) => {
      await check(events)
      await handleBulks({ ...deps, giveWay }, deliveries, events)
    },
    {
      batch_max: 1,
      batches_in_flight_max: bulks_in_flight_max,
      deadLetterObserver,
      givesWay: 'between pieces',
    },
  )
  return {
    lowWatermarks: {
      singles: () => ofTransfers.lowWatermark(),
      items: () => ofBulks.lowWatermark(),
    },
    async stop() {
      await Promise.all([ofTransfers.stop(), ofBulks.stop()])
    },
  }
}

function serveReads(
  grpc: ProcessParts['grpc'],
  store: TransferStore,
  { db, bodies }: { readonly db: Database; readonly bodies: Bodies },
): void {
  grpc.serve(transfersService, {
    ...stateHandlers(store),
    ...recordHandlers(openRecordStore(db, undefined, bodies)),
    ...bulkRecordHandlers(openBulkRecordStore(db)),
    ...personHandlers(db, bodies),
  })
}

function openOwnDatabase(settings: TransfersSettings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.TRANSFERS_DATABASE_URL,
    ...schemaOf('transfers'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
}

/** The alarm of a transfer that is left hanging. */
function measureOverdue(store: TransferStore, metrics: Metrics): void {
  const overdue: Gauge = new Gauge({
    name: 'transfers_oldest_open_past_expiry_seconds',
    help: 'How long the longest overdue open transfer is past its expiration',
    registers: [metrics],
    async collect() {
      // Not known while the database does not answer; the other metrics are to be read all the same.
      const overdue_ms = await store.overdue_ms(new Date(), claimed_ms).catch(() => NaN)
      overdue.set(overdue_ms / 1_000)
    },
  })
}
