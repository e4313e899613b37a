/** Starts quoting: parts are opened in reading order and closed in reverse. */
import { approvalHandlers, openApprovals, personsOf } from '@causeway/approvals'
import type { Subscribed } from '@causeway/bus'
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { onEvents } from '@causeway/events'
import { openLiveSettings, type LiveSettings } from '@causeway/live-settings'
import { openBodies, type Bodies } from '@causeway/keys/months'
import { openParticipants } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import { openClockWatch, periodically, type Metrics, type Service } from '@causeway/process'
import {
  accountLookupService,
  operatorsService,
  quotesService,
  schemeRulesService,
} from '@causeway/protos'
import { openDeliveryStore } from '@causeway/records'
import { schemaOf, type ProcessParts } from '@causeway/runtime'
import { Gauge } from 'prom-client'
import { consumedOfBulks, handleBulks, passBulksOn } from './bulk-quotes/handle.ts'
import { openBulkStore } from './bulk-quotes/store.ts'
import { handleBatch, consumedEvents, passThroughBatch } from './handle.ts'
import { openOwners } from './quotes/destination.ts'
import { cachePending } from './quotes/pending.ts'
import { recordHandlers } from './records.ts'
import { openQuoteTables, type QuoteTables } from './quotes/store.ts'
import { sweep, sweepBulks, type SweepOptions } from './quotes/sweep.ts'
import { openRuleBook } from './rules/book.ts'
import { ruleHandlers, schemeRulesKind } from './rules/serve.ts'
import { openRuleStore } from './rules/store.ts'
import { schemaVersion, settings as definitions, type QuotingSettings } from './settings.ts'
import { openVelocityStore } from './velocity/store.ts'
import { countStates, type Work } from './work.ts'

/** Creates partitions well before their month begins, and deletes old counts. */
const hour_ms = 3_600_000
const upkeep_interval_ms = hour_ms
/** Events per batch, one batch at a time: what arrives meanwhile forms the next one. */
const batch_max = 100
/** The maximum age of cached participants, also when a change event was missed. */
const age_max_ms = 60_000
/**
 * How long the lookup of the payee's FSP may take for a request without destination. It is longer than
 * account-lookup waits for an oracle.
 */
const usualLookup_ms = 2_000

export const start = async (
  settings: QuotingSettings,
  given: ProcessParts,
  lookup_ms = usualLookup_ms,
): Promise<Service> => {
  const log = given.log.child({ service: 'quoting' })
  const ownKey = await openOwnKey('quoting', settings.QUOTING_COMPONENT_KEY_FILE, { ...given, log })
  const parts = { ...given, bus: signedEntries(given.bus, ownKey) }
  const db = await parts.openDatabase({
    url: settings.QUOTING_DATABASE_URL,
    ...schemaOf('quoting'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
  const participants = await openParticipants({
    ...parts,
    group: 'quoting',
    log,
    age_max_ms,
  })
  const encryption = settings.MESSAGE_ENCRYPTION
  const bodies = await openBodies(encryption, { ...parts, service: 'quoting', db, log })
  const work = await openWork({ ...parts, log }, { db, participants, bodies, lookup_ms })
  await ensurePartitions(work)
  parts.grpc.serve(
    quotesService,
    recordHandlers(db, { isStored: settings.QUOTING_MODE === 'stored', bodies }),
  )
  measureOverdue(work.store, parts.metrics)
  parts.health.ready('quoting', () => work.rules.refresh())
  const subscribed = await onEvents(
    parts.bus,
    'quoting',
    consumedEvents,
    settings.QUOTING_MODE === 'pass-through'
      ? (events) => passThroughBatch(work, events)
      : (events) => handleBatch(work, events),
    { batch_max },
  )
  const bulks = await onEvents(
    parts.bus,
    'quoting.bulks',
    consumedOfBulks,
    settings.QUOTING_MODE === 'pass-through'
      ? (events) => passBulksOn(work, events)
      : (events) => handleBulks(work, events),
    { batch_max: 1, givesWay: true },
  )
  const live = await openLiveSettings(
    { service: 'quoting', schemaVersion, definitions, values: settings },
    { ...parts, log },
  )
  serveRules(work, live, { ...parts, log }, db)
  const routines = routinesOf(work, live, { ...parts, log }, { subscribed, bulks })
  return {
    async stop() {
      await live.stop()
      await Promise.all([
        subscribed.stop(),
        bulks.stop(),
        ...routines.map((routine) => routine.stop()),
      ])
      await participants.stop()
      await bodies.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

function serveRules(
  { rules: book, now }: Work,
  live: LiveSettings<QuotingSettings>,
  { bus, grpc, approvals: owners }: ProcessParts,
  db: Database,
): void {
  const life_ms = live.current.APPROVAL_LIFE_H * hour_ms
  const approvals = openApprovals({
    source: 'quoting',
    db,
    bus,
    life_ms,
    kinds: { SchemeRules: schemeRulesKind(bus, book) },
    persons: personsOf(grpc.client(operatorsService, 'auth-service')),
  })
  owners.add('quoting', approvalHandlers({ approvals, db, life_ms }))
  const needsApproval = () => live.current.SCHEME_RULES_FOUR_EYES === 'on'
  grpc.serve(schemeRulesService, ruleHandlers({ book, approvals, needsApproval, now }))
}

interface WorkParts extends Pick<Work, 'participants'> {
  readonly db: Database
  readonly bodies: Bodies
  readonly lookup_ms: number
}

async function openWork(
  { bus, grpc, metrics, log }: ProcessParts,
  { db, participants, bodies, lookup_ms }: WorkParts,
): Promise<Work> {
  return {
    store: cachePending(openQuoteTables(db, bus, bodies)),
    bulks: openBulkStore(db, bus, bodies),
    deliveries: openDeliveryStore(db, 'quote_id'),
    velocity: openVelocityStore(db),
    rules: await openRuleBook(openRuleStore(db, bus)),
    participants,
    findOwners: openOwners({
      calls: grpc.client(accountLookupService, 'account-lookup'),
      deadline_ms: lookup_ms,
      log,
    }),
    publish: (messages) => bus.publish(messages),
    now: () => new Date(),
    watchClock: openClockWatch({
      metrics,
      log,
      counter: 'quoting_receipts_ahead_total',
      clock: 'quoting',
    }),
    ...countStates(metrics),
    // Of a request without expiration: no payer waits longer.
    pending_max_ms: hour_ms,
  }
}

function routinesOf(
  work: Work,
  live: LiveSettings<QuotingSettings>,
  { log }: Pick<ProcessParts, 'log'>,
  { subscribed, bulks }: { readonly subscribed: Subscribed; readonly bulks: Subscribed },
) {
  const sweepOptionsOf = (group: Subscribed): SweepOptions => ({
    get batch_max() {
      return live.current.QUOTING_SWEEP_BATCH_MAX
    },
    lowWatermark: () => group.lowWatermark(),
  })
  const sweeping = sweepOptionsOf(subscribed)
  const ofBulks = sweepOptionsOf(bulks)
  const interval_ms = () => live.current.QUOTING_SWEEP_INTERVAL_MS
  const rules_ms = () => live.current.QUOTING_RULES_INTERVAL_MS
  const upkeep = async () => {
    await ensurePartitions(work)
    await work.velocity.deleteOld(work.now())
  }
  return [
    periodically(interval_ms, () => sweep(work, sweeping), {
      log,
      name: 'sweep for expired quotes',
    }),
    periodically(interval_ms, () => sweepBulks(work, ofBulks), {
      log,
      name: 'sweep for expired bulk quotes',
    }),
    periodically(rules_ms, () => work.rules.refresh(), {
      log,
      name: 'refresh of scheme rules',
    }),
    periodically(upkeep_interval_ms, upkeep, { log, name: 'partitions of the month' }),
  ]
}

async function ensurePartitions({ store, bulks, velocity, now }: Work): Promise<void> {
  await bulks.ensurePartitions(now())
  await store.ensurePartitions(now())
  await velocity.ensurePartitions(now())
}

/** The metric for an alarm on quotes that do not end. */
function measureOverdue(store: QuoteTables, metrics: Metrics): void {
  const overdue: Gauge = new Gauge({
    name: 'quoting_oldest_pending_past_expiry_seconds',
    help: 'How long the longest overdue pending quote is past its expiration',
    registers: [metrics],
    async collect() {
      // Unknown while the database does not answer; other metrics must remain available.
      const overdue_ms = await store.overdue_ms(new Date()).catch(() => NaN)
      overdue.set(overdue_ms / 1_000)
    },
  })
}
