/**
 * Delivery: every notification that was received is delivered, or becomes a dead letter that an
 * operator can see and send again.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Listener } from '@causeway/bus'
import { openOwnKey, signedEntries, type OwnKey } from '@causeway/keys/components'
import { onBroadcast, onEvents } from '@causeway/events'
import type { ClientTls } from '@causeway/http'
import { openLiveSettings, type LiveSettings } from '@causeway/live-settings'
import { openBodies } from '@causeway/keys/months'
import { onParticipantStates, openParticipants } from '@causeway/participants'
import { ensureMonthlyPartitions, statement, type Database } from '@causeway/postgres'
import {
  noteCertificateEnd,
  periodically,
  readPem,
  type Logger,
  type Metrics,
  type Periodic,
} from '@causeway/process'
import { openServiceEgress, schemaOf, type ProcessParts } from '@causeway/runtime'
import { openAddresses } from './addresses.ts'
import { mailServer } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import { noTries } from './domain/tries.ts'
import { openHandle } from './handle.ts'
import { openHttpTransport, type HttpBounds } from './lanes/http-transport.ts'
import { type LaneParts, openLanes, type Lanes } from './lanes/lane.ts'
import { openMailTransport, type MailTransport } from './lanes/mail-transport.ts'
import { openMeasures } from './measures.ts'
import { serveDeadLetterApi } from './dead-letters/serve.ts'
import { serveIdempotencyKeys } from './idempotency-api.ts'
import { deleteOldDeadLetters } from './dead-letters/store.ts'
import { openReachability } from './reachability.ts'
import { openRecord } from './record.ts'
import { openRetries, type Retries } from './retries.ts'
import { schemaVersion, settings as definitions, type NotificationsSettings } from './settings.ts'
import { readWaiting } from './parked-store.ts'
import { openWaiting } from './waiting.ts'

const group = 'notifications'
const connections_max = 4
const hour_ms = 3_600_000
const upkeep_every_ms = hour_ms
/** The maximum age of cached participants, also when a change event was missed. */
const age_max_ms = 60_000
/** A callback unanswered for this time is parked, and other messages continue; most FSPs answer sooner. */
const usualPark_ms = 500
const stop_wait_ms = 5_000
const stop_look_ms = 20
const partitioned = ['deliveries', 'undelivered']
const ping = statement('select 1')
const consumedEvents = ['NotifyRequested'] as const

export const start = async (
  settings: NotificationsSettings,
  given: ProcessParts,
  park_ms = usualPark_ms,
) => {
  const log = given.log.child({ service: 'notifications' })
  const tls = await clientTlsOf(settings, given.metrics)
  const egress = openServiceEgress('notifications', settings, given, log)
  const mail = await openMail(settings, given, log)
  const ownKey = await openOwnKey('notifications', settings.NOTIFICATIONS_COMPONENT_KEY_FILE, given)
  const parts = { ...given, bus: signedEntries(given.bus, ownKey) }
  const { db, bodies, waiting, reachability } = await openStored(settings, parts, log)
  const measures = openMeasures(parts.metrics, db)
  const stop = new AbortController()
  const live = await openLive(settings, ownKey, { ...parts, log })
  const upkeep = follow(live, mail, { db, log })
  const backoff = backoffOf(live)
  const { bus, grpc, http, tracer } = parts
  const delivering = { tls, egress, http, tracer, measures, reachability }
  const lanes = lanesOf(live, mail, {
    ...delivering,
    onRecovered: (fspId) => retries.onRecovered(fspId),
  })
  const storing = { db, bus, bodies, measures, log, waiting, lanes }
  const record = openRecord({ ...storing, stopping: stop.signal })
  const participants = await openParticipants({ group, bus, grpc, log, age_max_ms })
  const sending = { db, log, lanes, record, waiting, backoff }
  const retries: Retries = openRetries({
    ...sending,
    bodies,
    addresses: openAddresses({ participants, log }),
    poll_ms: () => live.current.NOTIFICATIONS_RETRY_POLL_MS,
    timeout_ms: settings.CALLBACK_TIMEOUT_MS,
  })
  const handleBatch = openHandle({
    ...sending,
    stopping: stop.signal,
    isTraced: tracer !== undefined,
    park_after_ms: park_ms,
    onLateEnd: (notification, end) =>
      retries.onEnd({ notification, attempts: 0, tries: noTries }, end),
  })
  serveDeadLetterApi({ db, bus, bodies, grpc, resend_for_ms: resendTime(live), waiting })
  serveIdempotencyKeys(grpc, db)
  endPausesOnReactivation(parts, log, retries)
  const moves = await followEndpointChanges(parts, retries)
  const subscribed = await onEvents(bus, group, consumedEvents, handleBatch)
  parts.health.ready('notifications database', () => db.query(ping, []).then(() => undefined))
  return {
    async stop() {
      await live.stop()
      stop.abort()
      await subscribed.stop()
      await moves.stop()
      await participants.stop()
      await upkeep.stop()
      await retries.stop()
      await endLanes(lanes, retries)
      await reachability.stop()
      await bodies.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

async function openStored(settings: NotificationsSettings, parts: ProcessParts, log: Logger) {
  const db = await openOwnDatabase(settings, parts)
  const encryption = settings.MESSAGE_ENCRYPTION
  const bodies = await openBodies(encryption, { ...parts, service: 'notifications', db, log })
  await ensurePartitions(db)
  const reachability = await openReachability(db, log)
  return { db, bodies, reachability, waiting: openWaiting(() => readWaiting(db)) }
}

function openOwnDatabase(settings: NotificationsSettings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.NOTIFICATIONS_DATABASE_URL,
    ...schemaOf('notifications'),
    connections_max,
  })
}

function openLive(
  values: NotificationsSettings,
  ownKey: OwnKey,
  parts: ProcessParts,
): Promise<LiveSettings<NotificationsSettings>> {
  const service = 'notifications'
  return openLiveSettings({ service, schemaVersion, definitions, values, ownKey }, parts)
}

/** Uses the current password of the mail server, creates partitions and deletes old dead letters. */
function follow(
  live: LiveSettings<NotificationsSettings>,
  mail: MailTransport,
  { db, log }: { readonly db: Database; readonly log: Logger },
): Periodic {
  const usePassword = (current: NotificationsSettings) =>
    mail.usePassword(current.NOTIFICATIONS_SMTP_PASSWORD)
  usePassword(live.current)
  live.onChange(usePassword)
  const upkeep = async () => {
    await ensurePartitions(db)
    const kept_ms = live.current.NOTIFICATIONS_DEAD_LETTER_RETENTION_D * 24 * hour_ms
    await deleteOldDeadLetters(db, new Date(Date.now() - kept_ms))
  }
  return periodically(upkeep_every_ms, upkeep, { log, name: 'partitions and old dead letters' })
}

function resendTime(live: LiveSettings<NotificationsSettings>): () => number {
  return () => live.current.NOTIFICATIONS_RESEND_H * hour_ms
}

function lanesOf(
  live: LiveSettings<NotificationsSettings>,
  mail: MailTransport,
  {
    tls,
    egress,
    http,
    tracer,
    ...parts
  }: Pick<LaneParts, 'measures' | 'reachability' | 'onRecovered'> &
    Pick<HttpBounds, 'tls' | 'egress' | 'http' | 'tracer'>,
): Lanes {
  const { CALLBACK_TIMEOUT_MS: timeout_ms, NOTIFICATIONS_LANE_MAX: requests_max } = live.current
  return openLanes({
    ...parts,
    transportTo: (fspId) =>
      fspId === mailServer
        ? mail
        : openHttpTransport({ requests_max, timeout_ms, tls, egress, http, tracer }),
    bounds: {
      requests_max,
      timeout_ms,
      get failures_max() {
        return live.current.NOTIFICATIONS_CIRCUIT_FAILURES_MAX
      },
      get trial_every_ms() {
        return live.current.NOTIFICATIONS_CIRCUIT_TRIAL_MS
      },
    },
  })
}

function backoffOf(live: LiveSettings<NotificationsSettings>): BackoffBounds {
  return {
    get first_ms() {
      return live.current.NOTIFICATIONS_RETRY_FIRST_MS
    },
    get max_ms() {
      return live.current.NOTIFICATIONS_RETRY_MAX_MS
    },
  }
}

/** When an FSP becomes active again, everything parked for it becomes due. */
function endPausesOnReactivation({ grpc }: ProcessParts, log: Logger, retries: Retries): void {
  onParticipantStates({ grpc, log }, 'notifications', ({ isActive, participantId }) => {
    if (isActive) retries.onRecovered(participantId)
  })
}

/** One operator action often changes several endpoints of an FSP, in one event each. */
function followEndpointChanges({ bus }: ProcessParts, retries: Retries): Promise<Listener> {
  return onBroadcast(bus, group, ['ParticipantEndpointsUpdated'], {
    onEvents(events) {
      const fspIds = new Set(events.map(({ payload }) => payload.participantId))
      for (const fspId of fspIds) retries.onMoved(fspId)
    },
    // Each attempt reads the address, and the circuit closes with the next trial.
    onMissed: () => undefined,
  })
}

/** Reports in the log and on the health page whether e-mails are sent. */
async function openMail(
  settings: NotificationsSettings,
  { health }: ProcessParts,
  log: Logger,
): Promise<MailTransport> {
  const mail = await openMailTransport(settings, log)
  log.info(mail.about)
  health.note('e-mail', mail.about)
  return mail
}

async function clientTlsOf(
  settings: NotificationsSettings,
  metrics: Metrics,
): Promise<ClientTls | undefined> {
  const { NOTIFICATIONS_TLS_CERTIFICATE_FILE: certificateFile, NOTIFICATIONS_TLS_CA_FILE: caFile } =
    settings
  if (certificateFile === undefined && caFile === undefined) return undefined
  const ca = await readPem('NOTIFICATIONS_TLS_CA_FILE', caFile)
  if (certificateFile === undefined) return { certificate: undefined, key: undefined, ca }
  const certificate = await readPem('NOTIFICATIONS_TLS_CERTIFICATE_FILE', certificateFile)
  noteCertificateEnd(metrics, 'NOTIFICATIONS_TLS_CERTIFICATE_FILE', certificate)
  return {
    certificate,
    key: await readPem('NOTIFICATIONS_TLS_KEY_FILE', settings.NOTIFICATIONS_TLS_KEY_FILE),
    ca,
  }
}

async function endLanes(lanes: Lanes, retries: Retries): Promise<void> {
  await waitUntilIdle(lanes)
  await lanes.close()
  await retries.settled()
}

function ensurePartitions(db: Database): Promise<void> {
  return ensureMonthlyPartitions(db, partitioned, new Date())
}

/** Waits a bounded time for attempts in progress; those cut off afterwards stay parked. */
async function waitUntilIdle(lanes: Lanes): Promise<void> {
  const until_ms = Date.now() + stop_wait_ms
  while (!lanes.idle && Date.now() < until_ms) await wait(stop_look_ms)
}
