/**
 * Delivery: every notification that was heard is delivered, or is a dead letter that the operator can
 * see and send anew.
 */
import { onEvents } from '@causeway/events'
import { hearParticipantStates } from '@causeway/participants'
import {
  ensureMonthlyPartitions,
  periodically,
  readPem,
  statement,
  type ClientTls,
  type Database,
  type Logger,
  type Periodic,
  type ProcessParts,
  type Start,
} from '@causeway/runtime'
import { setTimeout as wait } from 'node:timers/promises'
import { mailServer } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import { noTries } from './domain/tries.ts'
import { openHandle } from './handle.ts'
import { openHttpTransport } from './http-transport.ts'
import { openLanes, type Lanes } from './lanes.ts'
import { openMailTransport, type MailTransport } from './mail-transport.ts'
import { openMeasures } from './measures.ts'
import { serveOperations } from './operate.ts'
import { openRecord } from './record.ts'
import { openRetries, type Retries } from './retries.ts'
import type { Settings } from './settings.ts'
import { readWaiting } from './store.ts'
import { openWaiting } from './waiting.ts'

const connections_max = 4
const hour_ms = 3_600_000
const partitions_every_ms = hour_ms
const stop_wait_ms = 5_000
const stop_look_ms = 20
const partitioned = ['deliveries', 'undelivered']
const ping = statement('select 1')
const heard = ['NotifyRequested'] as const

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'notifications' })
  const tls = await clientTlsOf(settings)
  const mail = await openMail(settings, parts, log)
  const db = await parts.openDatabase({
    url: settings.NOTIFICATIONS_DATABASE_URL,
    schema: 'notifications',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max,
  })
  const partitions = await keepPartitions(db, log)
  const measures = openMeasures(parts.metrics, db)
  const waiting = openWaiting(() => readWaiting(db))
  const stop = new AbortController()
  const record = openRecord({ db, bus: parts.bus, measures, log, waiting, stopping: stop.signal })
  const timeout_ms = settings.CALLBACK_TIMEOUT_MS
  const requests_max = settings.NOTIFICATIONS_LANE_MAX
  const backoff = backoffOf(settings)
  const lanes = openLanes({
    transportTo: (fspId) =>
      fspId === mailServer ? mail : openHttpTransport({ requests_max, timeout_ms, tls }),
    bounds: {
      requests_max,
      timeout_ms,
      failures_max: settings.NOTIFICATIONS_CIRCUIT_FAILURES_MAX,
      trial_every_ms: settings.NOTIFICATIONS_CIRCUIT_TRIAL_MS,
    },
    measures,
    onRecovered: (fspId) => retries.onRecovered(fspId),
  })
  const retries: Retries = openRetries({
    db,
    log,
    lanes,
    record,
    waiting,
    backoff,
    poll_ms: settings.NOTIFICATIONS_RETRY_POLL_MS,
    timeout_ms,
  })
  const handleBatch = openHandle({
    db,
    log,
    stopping: stop.signal,
    lanes,
    record,
    waiting,
    backoff,
    park_after_ms: settings.PARK_AFTER_MS,
    onLateEnd: (notification, end) =>
      retries.onEnd({ notification, attempts: 0, tries: noTries }, end),
  })
  const resend_for_ms = settings.NOTIFICATIONS_RESEND_H * hour_ms
  serveOperations({ db, bus: parts.bus, grpc: parts.grpc, resend_for_ms, waiting })
  hearOfReturns(parts, log, retries)
  const subscribed = await onEvents(parts.bus, 'notifications', heard, handleBatch)
  parts.health.ready('notifications database', () => db.query(ping, []).then(() => undefined))
  return {
    async stop() {
      stop.abort()
      await subscribed.stop()
      await partitions.stop()
      await retries.stop()
      await letFinish(lanes)
      await lanes.close()
      await retries.settled()
      await db.close()
    },
  }
}

function backoffOf(settings: Settings): BackoffBounds {
  const { NOTIFICATIONS_RETRY_FIRST_MS: first_ms, NOTIFICATIONS_RETRY_MAX_MS: max_ms } = settings
  return { first_ms, max_ms }
}

/** Whoever comes back waits for nothing that waits for him. */
function hearOfReturns({ grpc }: ProcessParts, log: Logger, retries: Retries): void {
  hearParticipantStates({ grpc, log }, 'notifications', ({ isActive, participantId }) => {
    if (isActive) retries.onRecovered(participantId)
  })
}

/** Whether e-mails leave is said in the log and told by health. */
async function openMail(
  settings: Settings,
  { health }: ProcessParts,
  log: Logger,
): Promise<MailTransport> {
  const mail = await openMailTransport(settings, log)
  if (mail.isConfigured) log.info(mail.about)
  else log.warn(mail.about)
  health.note('e-mail', mail.about)
  return mail
}

async function clientTlsOf(settings: Settings): Promise<ClientTls | undefined> {
  if (settings.NOTIFICATIONS_TLS_CERTIFICATE_FILE === '') return undefined
  return {
    certificate: await readPem(
      'NOTIFICATIONS_TLS_CERTIFICATE_FILE',
      settings.NOTIFICATIONS_TLS_CERTIFICATE_FILE,
    ),
    key: await readPem('NOTIFICATIONS_TLS_KEY_FILE', settings.NOTIFICATIONS_TLS_KEY_FILE),
    ca: await readPem('NOTIFICATIONS_TLS_CA_FILE', settings.NOTIFICATIONS_TLS_CA_FILE),
  }
}

async function keepPartitions(db: Database, log: Logger): Promise<Periodic> {
  const ensure = () => ensureMonthlyPartitions(db, partitioned, new Date())
  await ensure()
  return periodically(partitions_every_ms, ensure, { log, name: 'partitions of coming months' })
}

/** What is under way may end by itself for a while; what is cut then stays parked. */
async function letFinish(lanes: Lanes): Promise<void> {
  const until_ms = Date.now() + stop_wait_ms
  while (!lanes.idle && Date.now() < until_ms) await wait(stop_look_ms)
}
