/** Builds the service: queries use a pool, decisions the writer's connection. */
import { setTimeout as wait } from 'node:timers/promises'
import { alarmsService, ledgerService, settlementModelsService } from '@causeway/protos'
import {
  periodically,
  retrying,
  StartError,
  statement,
  type Database,
  type DatabaseOptions,
  type EventBus,
  type HandledCall,
  type Logger,
  type Periodic,
  type ProcessParts,
  type Start,
  type Transaction,
  type Subscribed,
} from '@causeway/runtime'
import { openThresholdAlarms } from './alarms/threshold-alarms.ts'
import type { AlarmRules } from './alarms/domain/alarm.ts'
import { serveAlarms, type AlarmParts } from './alarms/serve.ts'
import type { ChangesParts } from './changes/handle.ts'
import { sweepFunds } from './funds/sweep.ts'
import { openLeaderConnection, type LeaderConnection } from './ledger/leader-connection.ts'
import { readStates, type States } from './ledger/domain/states.ts'
import type { CoverRules } from './liquidity/handle.ts'
import { openJournalMonths, type JournalMonths } from './ledger/journal-months.ts'
import { planByKeys } from './ledger/lock-store.ts'
import { measureLedger } from './ledger/metrics.ts'
import { openLeaderForwarding, type LeaderForwarding } from './ledger/leader-forwarding.ts'
import { serveLedger } from './ledger/serve.ts'
import { noteWriter, writerAddress } from './ledger/writer-store.ts'
import { openWriter, type Writer } from './ledger/writer.ts'
import { sendMails, type MailParts } from './mails/handle.ts'
import { republishStates } from './participants/republish-states.ts'
import { modelsFrom } from './participants/models.ts'
import { openStatePusher, type StatePusher } from './participants/push-state.ts'
import { nameAuthService, nameHub } from './participants/store.ts'
import { serveLifecycles } from './serve.ts'
import type { Settings } from './settings.ts'
import { openVerifier } from './verification/verifier.ts'

const partitions_every_ms = 6 * 60 * 60 * 1_000
/** Another replica may hold the lock; this one then forwards to it until it can take over. */
const lock_wait_ms = 1_000
/** The time limit of an alarm check by the writer. */
const own_ms_max = 2_000

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'participant-lifecycle' })
  const options = {
    url: settings.PARTICIPANT_LIFECYCLE_DATABASE_URL,
    schema: 'participant_lifecycle',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.PARTICIPANT_LIFECYCLE_CONNECTIONS,
  }
  const hubName = settings.HUB_NAME
  const states = statesOf(settings)
  const database = await parts.openDatabase(options)
  const { months, partitions } = await maintainPartitions(database, log)

  const connection = openConnection(parts, options, log)
  const alarms = openThresholdAlarms(parts.bus, alarmRules(settings))
  const writer = openWriter(connection, {
    log,
    alarms,
    hubName,
    states,
    months,
    batch_max: settings.LEDGER_BATCH_MAX,
    queued_max: settings.LEDGER_QUEUE_MAX,
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    onBatch: measureLedger(parts.metrics, log),
  })
  const stopping = new AbortController()
  const { signal } = stopping
  const named = beginWhenOpen({ connection, writer, bus: parts.bus, settings, states, log, signal })
  named.catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'ALARM participants could not be initialised')
  })
  await Promise.race([named, wait(lock_wait_ms, undefined, { ref: false })])

  const verifier = openVerifier(() => parts.openDatabase({ ...options, connections_max: 1 }))
  const forwarding = openLeaderForwarding({
    connection,
    find: () => writerAddress(database),
    grpc: parts.grpc,
  })
  const ledger = serveLedger({ database, writer, verifier, log, hubName, states, months, alarms })
  const rules = rulesOf(settings, { hubName, states, months, alarms })
  const statePusher = openStatePusher(parts.grpc, log)
  const handling = handlingOf(parts, settings, { database, writer, rules, statePusher })
  const sweep = sweepFunds({
    ...handling,
    log,
    every_ms: settings.FUNDS_SWEEP_INTERVAL_MS,
    isHere: () => connection.holdsLock(),
  })
  parts.grpc.serve(ledgerService, forwarding.toLeader(ledgerService, ledger))
  serveLifecycles(parts.grpc, forwarding, handling)
  const alarming = { database, writer, alarms, states, hubName, log, signal }
  const mailing = await openAlarms(parts, forwarding, alarming)
  watchHealth(parts, database, forwarding)

  return {
    async stop() {
      stopping.abort()
      await sweep.stop()
      await writer.drained()
      await connection.close() // First, so that another replica can take the lock at once.
      await mailing.stop()
      await partitions.stop()
      await verifier.stop()
      await statePusher.drained()
      await database.close()
    },
  }
}

function statesOf({ PARTICIPANT_STATES }: Settings): States {
  const states = readStates(PARTICIPANT_STATES)
  if (typeof states === 'string') throw new StartError(`PARTICIPANT_STATES: ${states}.`)
  return states
}

/** Serves alarms and sends e-mails about them. */
function openAlarms(
  { bus, grpc }: ProcessParts,
  forwarding: LeaderForwarding,
  alarming: AlarmParts & Omit<MailParts, 'bus' | 'check'>,
): Promise<Subscribed> {
  const handlers = forwarding.toLeader(alarmsService, serveAlarms(alarming))
  grpc.serve(alarmsService, handlers)
  // Over gRPC a replica's own call would count as forwarded already, and wait for the lock here.
  const own: HandledCall = {
    signal: alarming.signal,
    left_ms: () => own_ms_max,
    caller: undefined,
  }
  const check: MailParts['check'] = (position) => handlers.LiquidityThresholdExceeded(position, own)
  return sendMails({ ...alarming, bus, check })
}

async function maintainPartitions(
  database: Database,
  log: Logger,
): Promise<{ readonly months: JournalMonths; readonly partitions: Periodic }> {
  const months = openJournalMonths()
  const make = () => months.make(database, new Date())
  await make()
  const name = "making the journal's next partitions"
  return { months, partitions: periodically(partitions_every_ms, make, { log, name }) }
}

function rulesOf(
  { EXPIRY_GRACE_MS: expiryGrace_ms, COVER_PERCENT }: Settings,
  given: Pick<CoverRules, 'hubName' | 'states' | 'months' | 'alarms'>,
): CoverRules {
  return { ...given, expiryGrace_ms, coverFollows: COVER_PERCENT === 'follows' }
}

/** The dependencies of commands about participants, funds and cover. */
function handlingOf(
  { bus, grpc }: ProcessParts,
  settings: Settings,
  {
    statePusher,
    ...parts
  }: Pick<ChangesParts, 'database' | 'writer' | 'rules'> & { readonly statePusher: StatePusher },
): ChangesParts {
  return {
    ...parts,
    bus,
    activeOnCreate: settings.COMPATIBILITY === 'mojaloop',
    modelsOf: modelsFrom(grpc.client(settlementModelsService, 'settlements')),
    onState: (participant, oldState) => statePusher.push(participant, oldState),
    protectsPosition: settings.COMPATIBILITY !== 'mojaloop',
    validity_ms: settings.FUNDS_OUT_VALIDITY_S * 1_000,
    checksEndpoints: settings.ENDPOINT_CHECK === 'on',
  }
}

function alarmRules(settings: Settings): AlarmRules {
  return {
    interval_ms: settings.LEDGER_ALARM_INTERVAL_MIN * 60_000,
    notified_max: settings.LEDGER_ALARM_TOLD_MAX,
    reset_ms: settings.LEDGER_ALARM_RESET_H * 3_600_000,
  }
}

function openConnection(
  parts: ProcessParts,
  options: DatabaseOptions,
  log: Logger,
): LeaderConnection {
  return openLeaderConnection(
    (signal) => parts.openExclusive({ ...options, connections_max: 1, lock: 'ledger', signal }),
    log,
    async (held) => {
      await planByKeys(held)
      await noteWriter(held, parts.grpc.address)
      log.info('this process is now the writer of the ledger')
    },
  )
}

interface Naming {
  readonly connection: LeaderConnection
  readonly writer: Writer
  readonly bus: EventBus
  readonly settings: Pick<Settings, 'HUB_NAME' | 'AUTH_SERVICE_PARTICIPANT'>
  readonly states: States
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Names the hub and its auth service, and applies the permissions of states that have changed since
 * the last start.
 */
async function beginWhenOpen({
  connection,
  writer,
  bus,
  settings,
  states,
  log,
  signal,
}: Naming): Promise<void> {
  const { HUB_NAME: hubName, AUTH_SERVICE_PARTICIPANT: authService } = settings
  await connection.opened
  const begin = async (tx: Transaction) => {
    await republishStates(tx, bus, states)
    if (!(await nameHub(tx, hubName))) return `HUB_NAME is ${hubName}`
    const isNamed = await nameAuthService(tx, authService)
    return isNamed ? undefined : `AUTH_SERVICE_PARTICIPANT is ${authService}`
  }
  const taken = await retrying(() => writer.runExclusive(begin), {
    log,
    what: 'naming the hub',
    signal,
  })
  if (taken !== undefined) throw new StartError(`${taken}, which is the name of a participant.`)
}

const alive = statement('select 1')

function watchHealth(parts: ProcessParts, database: Database, forwarding: LeaderForwarding): void {
  parts.health.ready('participant-lifecycle database', async () => {
    await database.query(alive, [])
  })
  parts.health.ready('ledger writer', () => forwarding.answers())
}
