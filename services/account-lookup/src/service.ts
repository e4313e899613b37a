/** Starts account-lookup: parts are opened in reading order and closed in reverse. */
import { openOwnKey, signedEntries } from '@causeway/keys/components'
import { onEvents } from '@causeway/events'
import { openParticipants } from '@causeway/participants'
import type { Database } from '@causeway/postgres'
import type { ClientTls } from '@causeway/http'
import { periodically, readPem, type Logger, type Periodic } from '@causeway/process'
import { accountLookupService, oraclesService, personsService } from '@causeway/protos'
import {
  openServiceEgress,
  schemaOf,
  type ProcessParts,
  type SharedMemory,
} from '@causeway/runtime'
import { openAssociationStore, type AssociationStore } from './associations/store.ts'
import { usualBounds, type LookupBounds } from './bounds.ts'
import type { Party } from './domain/party.ts'
import { handleBatch, handleDeferred, consumedEvents } from './handle.ts'
import { invalidateOnChanges } from './cache-invalidation.ts'
import { openOwnerBook, type OwnerBook, type OwnerBookParts } from './lookups/owners.ts'
import { openRecentOwners } from './lookups/recent-owners.ts'
import { lookupHandlers } from './lookups/serve.ts'
import { deleteUndelivered } from './lookups/store.ts'
import { openMeasures } from './measures.ts'
import { authenticatedMemory } from './oracles/authenticated-memory.ts'
import { openOracles } from './oracles/oracles.ts'
import { oracleHandlers } from './oracles/serve.ts'
import { sharedAnswersKey } from './oracles/shared-answers-store.ts'
import { openOracleStore } from './oracles/store.ts'
import { personHandlers } from './persons/serve.ts'
import type { AccountLookupSettings } from './settings.ts'

const group = 'account_lookup'
const delete_every_ms = 3_600_000
const delete_slice = 10_000
/** How long an FSP may take to answer a query that it has received. */
const answer_ms = 60_000
const ms_per_h = 3_600_000

export const start = async (
  settings: AccountLookupSettings,
  parts: ProcessParts,
  bounds = usualBounds,
) => {
  const log = parts.log.child({ service: 'account-lookup' })
  const { grpc } = parts
  const keyFile = settings.ACCOUNT_LOOKUP_COMPONENT_KEY_FILE
  const ownKey = await openOwnKey('account-lookup', keyFile, { grpc, log })
  const bus = signedEntries(parts.bus, ownKey)
  const egress = openServiceEgress('account-lookup', settings, parts, log)
  const tls = await oracleTlsOf(settings)
  const db = await openOwnDatabase(settings, parts)
  const store = openAssociationStore(db)
  const oracleStore = openOracleStore(db, bus)
  const measures = openMeasures(parts.metrics)
  const answersOfOracles = await memoryOfAnswers(parts.shared, db)
  const oracles = openOracles({
    ...memoryBounds(bounds),
    registered: () => oracleStore.all(),
    otherwise: settings.ACCOUNT_LOOKUP_BUILT_IN === 'default' ? 'BUILT_IN' : 'NONE',
    bounds: oracleBounds(settings, bounds),
    tls,
    egress,
    http: parts.http,
    hubName: settings.HUB_NAME,
    shared: answersOfOracles,
    measures,
    log,
  })
  const found = { store, oracles, shared: answersOfOracles, measures }
  const owners = ownerBookOf(bounds, found)
  const onChanged = () => oracles.changed()
  grpc.serve(accountLookupService, lookupHandlers(owners, bounds.findOwners_ms))
  grpc.serve(personsService, personHandlers({ db, owners }))
  grpc.serve(oraclesService, oracleHandlers({ store: oracleStore, onChanged, egress }))

  const age_max_ms = bounds.participantAge_ms
  const participants = await openParticipants({ group, grpc, bus, log, age_max_ms })
  const shared = { bus, participants, oracles, measures }
  const { batch_max, batches_in_flight_max, queryDeadline_ms: deadline_ms } = bounds
  const lookups = { ...shared, db, owners, deadline_ms }
  const associations = { ...shared, db, store, onChanged: (party: Party) => owners.forget(party) }
  const listener = await invalidateOnChanges(bus, group, owners)
  const subscribed = await onEvents(
    bus,
    group,
    consumedEvents,
    (events, { publishDerived }) => handleBatch(lookups, associations, events, publishDerived),
    { batch_max, batches_in_flight_max },
  )
  const deferred = await onEvents(
    bus,
    group,
    ['OracleRequestDeferred'],
    (events, { publishDerived }) => handleDeferred(lookups, associations, events, publishDerived),
    { batch_max: 1, batches_in_flight_max: bounds.oracleRequests_max },
  )
  const deletion = deleteOldRequests(settings, bounds, { db, store }, log)
  parts.health.ready('account-lookup', () => oracleStore.all().then(() => undefined))
  return {
    async stop() {
      await subscribed.stop()
      await Promise.all([deferred.stop(), listener.stop(), participants.stop(), deletion.stop()])
      await oracles.close()
      await ownKey.stop()
      await db.close()
    },
  }
}

function ownerBookOf(
  bounds: LookupBounds,
  {
    store,
    shared,
    ...parts
  }: Pick<OwnerBookParts, 'oracles' | 'measures'> & {
    readonly store: AssociationStore
    readonly shared: SharedMemory
  },
): OwnerBook {
  const memory = memoryBounds(bounds)
  const recent = openRecentOwners({
    storedSince: (parties, since) => store.findSince(parties, since),
    shared,
    recent_ms: recentOf(bounds),
    entries_max: memory.entries_max,
  })
  return openOwnerBook({ ...parts, ...memory, stored: (parties) => store.find(parties), recent })
}

/** In one process nobody else can write to it. */
async function memoryOfAnswers(shared: SharedMemory, db: Database): Promise<SharedMemory> {
  return shared.isSole ? shared : authenticatedMemory(shared, await sharedAnswersKey(db))
}

function openOwnDatabase(settings: AccountLookupSettings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.ACCOUNT_LOOKUP_DATABASE_URL,
    ...schemaOf('account-lookup'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
}

/** Undefined: no client certificate, and the public CAs. */
async function oracleTlsOf(settings: AccountLookupSettings): Promise<ClientTls | undefined> {
  const pem = (name: keyof AccountLookupSettings & `ACCOUNT_LOOKUP_ORACLE_TLS_${string}_FILE`) =>
    readPem(name, settings[name])
  const hasCertificate = settings.ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE !== undefined
  const hasCa = settings.ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE !== undefined
  if (!hasCertificate && !hasCa) return undefined
  return {
    certificate: hasCertificate
      ? await pem('ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE')
      : undefined,
    key: hasCertificate ? await pem('ACCOUNT_LOOKUP_ORACLE_TLS_KEY_FILE') : undefined,
    ca: hasCa ? await pem('ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE') : undefined,
  }
}

function memoryBounds({ cacheAge_ms, cacheEntries_max }: LookupBounds) {
  return { age_max_ms: cacheAge_ms, entries_max: cacheEntries_max }
}

/** A cached owner is sent a query that is delivered at the last moment, and answers it. */
function recentOf({ cacheAge_ms, queryDeadline_ms }: LookupBounds): number {
  return cacheAge_ms + queryDeadline_ms + answer_ms
}

function oracleBounds(settings: AccountLookupSettings, bounds: LookupBounds) {
  const { attempts_max, calls_max, failures_max, trial_every_ms } = bounds
  const { ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: timeout_ms } = settings
  return { timeout_ms, attempts_max, calls_max, failures_max, trial_every_ms }
}

/** The log redelivers only the events that it retains: ids of older ones are not needed. */
function deleteOldRequests(
  settings: AccountLookupSettings,
  bounds: LookupBounds,
  { db, store }: { readonly db: Database; readonly store: AssociationStore },
  log: Logger,
): Periodic {
  const work = async () => {
    const before = new Date(Date.now() - settings.ACCOUNT_LOOKUP_COMMAND_RETENTION_H * ms_per_h)
    while ((await store.deleteHandled(before, delete_slice)) === delete_slice);
    await deleteUndelivered(db, before)
    await store.deleteRemoved(new Date(Date.now() - recentOf(bounds)))
  }
  return periodically(delete_every_ms, work, { log, name: 'deletion of old requests' })
}
