/** The life of transfers: built in reading order, taken apart in the reverse. */
import { onEvents } from '@causeway/events'
import { hearParticipantStates } from '@causeway/participants'
import { ledgerService, transfersService } from '@causeway/protos'
import {
  periodically,
  type Database,
  type Metrics,
  type ProcessParts,
  type Start,
} from '@causeway/runtime'
import { Gauge } from 'prom-client'
import { openDeliveryStore } from './delivery-store.ts'
import { handleBatch, heard } from './handle.ts'
import { holdBack, measureHeldBack } from './held-back.ts'
import { openLedger } from './ledger.ts'
import type { Settings } from './settings.ts'
import { openRecordStore } from './record-store.ts'
import { recordHandlers } from './records.ts'
import { stateHandlers } from './states.ts'
import { openTransferStore, type TransferStore } from './store.ts'
import { claimed_ms, heal, openSweepClock, sweep, type SweepOptions } from './sweep.ts'
import { openAlarms, type Work } from './work.ts'

/** New partitions are made well before their month begins. */
const partition_interval_ms = 3_600_000
/** How long work in flight may take when the service stops, before it is left to the next start. */
const stop_ms = 5_000

/** Only what answers questions: no event is heard, nothing expires. */
export const startReads: Start<Settings> = async (settings, parts) => {
  const db = await openOwnDatabase(settings, parts)
  serveReads(parts.grpc, openTransferStore(db, parts.bus), db)
  return { stop: () => db.close() }
}

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'transfers' })
  const db = await openOwnDatabase(settings, parts)
  const store = openTransferStore(db, parts.bus)
  await store.ensurePartitions(new Date())
  const deliveries = openDeliveryStore(db)
  const stopping = new AbortController()
  const calls = parts.grpc.client(ledgerService, 'participant-lifecycle')
  const work: Work = {
    store,
    ledger: openLedger(calls, { log, signal: stopping.signal }),
    alarm: openAlarms(log, parts.metrics),
    now: () => new Date(),
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    payeeRules: { misdirectedAborts: settings.COMPATIBILITY === 'mojaloop' },
    compatibility: settings.COMPATIBILITY,
    abortsRefusedDeliveries: settings.TRANSFERS_ABORT_REFUSED_DELIVERIES === 'on',
  }
  serveReads(parts.grpc, store, db)
  hearParticipantStates({ grpc: parts.grpc, log }, 'transfers')
  measureOverdue(store, parts.metrics)
  measureHeldBack(db, parts.metrics)
  parts.health.ready('transfers', async () => {
    await store.states([])
  })

  const subscribed = await onEvents(
    parts.bus,
    'transfers',
    heard,
    (events) => handleBatch(work, deliveries, events),
    {
      batch_max: settings.TRANSFERS_BATCH_MAX,
      batches_in_flight_max: settings.TRANSFERS_BATCHES_IN_FLIGHT_MAX,
      letters: holdBack(db, work.alarm),
    },
  )
  const sweeping: SweepOptions = {
    batch_max: settings.TRANSFERS_SWEEP_BATCH_MAX,
    clock: openSweepClock(work, () => subscribed.workedOffUntil()),
  }
  const routines = [
    periodically(settings.SWEEP_INTERVAL_MS, () => sweep(work, sweeping), {
      log,
      name: 'expiry sweep',
    }),
    periodically(settings.TRANSFERS_HEAL_INTERVAL_MS, () => heal(work, sweeping), {
      log,
      name: 'comparison with the ledger',
    }),
    periodically(partition_interval_ms, () => store.ensurePartitions(new Date()), {
      log,
      name: 'partitions of the month',
    }),
  ]

  return {
    async stop() {
      const patience = setTimeout(() => stopping.abort(), stop_ms)
      await Promise.all([subscribed.stop(), ...routines.map((routine) => routine.stop())])
      clearTimeout(patience)
      await db.close()
    },
  }
}

function serveReads(grpc: ProcessParts['grpc'], store: TransferStore, db: Database): void {
  grpc.serve(transfersService, { ...stateHandlers(store), ...recordHandlers(openRecordStore(db)) })
}

function openOwnDatabase(settings: Settings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.TRANSFERS_DATABASE_URL,
    schema: 'transfers',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.TRANSFERS_CONNECTIONS_MAX,
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
