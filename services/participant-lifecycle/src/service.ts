/** Builds the service in reading order: questions over a pool, decisions over the one connection. */
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
import { openBell } from './alarms/bell.ts'
import type { AlarmRules } from './alarms/domain/alarm.ts'
import { serveAlarms, type AlarmParts } from './alarms/serve.ts'
import type { ChangesParts } from './changes/handle.ts'
import { sweepFunds } from './funds/sweep.ts'
import { keepOneConnection, type OneConnection } from './ledger/connection.ts'
import { readStates, type States } from './ledger/domain/states.ts'
import type { CoverRules } from './liquidity/handle.ts'
import { openJournalMonths, type JournalMonths } from './ledger/journal-months.ts'
import { planByKeys } from './ledger/lock-store.ts'
import { measureLedger } from './ledger/metrics.ts'
import { openPassingOn, type PassingOn } from './ledger/pass-on.ts'
import { serveLedger } from './ledger/serve.ts'
import { noteWriter, writerAddress } from './ledger/writer-store.ts'
import { openWriter, type Writer } from './ledger/writer.ts'
import { mailPeople, type MailParts } from './mails/handle.ts'
import { alignStates } from './participants/align.ts'
import { modelsFrom } from './participants/models.ts'
import { openTellingStates, type TellingStates } from './participants/tell.ts'
import { nameAuthService, nameHub } from './participants/store.ts'
import { serveLifecycles } from './serve.ts'
import type { Settings } from './settings.ts'
import { openVerifier } from './verification/verifier.ts'

const partitions_every_ms = 6 * 60 * 60 * 1_000
/** Another replica may hold the lock; this one then passes on to it until it can take over. */
const lock_wait_ms = 1_000
/** So long the writer may take to look for alarms. */
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
  const { months, partitions } = await keepPartitions(database, log)

  const connection = openConnection(parts, options, log)
  const bell = openBell(parts.bus, alarmRules(settings))
  const writer = openWriter(connection, {
    log,
    bell,
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
    if (!signal.aborted) log.error({ err: error }, 'ALARM participants could not be made ready')
  })
  await Promise.race([named, wait(lock_wait_ms, undefined, { ref: false })])

  const verifier = openVerifier(() => parts.openDatabase({ ...options, connections_max: 1 }))
  const passing = openPassingOn({
    connection,
    find: () => writerAddress(database),
    grpc: parts.grpc,
  })
  const ledger = serveLedger({ database, writer, verifier, log, hubName, states, months, bell })
  const rules = rulesOf(settings, { hubName, states, months, bell })
  const telling = openTellingStates(parts.grpc, log)
  const handling = handlingOf(parts, settings, { database, writer, rules, telling })
  const sweep = sweepFunds({
    ...handling,
    log,
    every_ms: settings.FUNDS_SWEEP_INTERVAL_MS,
    isHere: () => connection.holdsLock(),
  })
  parts.grpc.serve(ledgerService, passing.byWriter(ledgerService, ledger))
  serveLifecycles(parts.grpc, passing, handling)
  const alarming = { database, writer, bell, states, hubName, log, signal }
  const mailing = await openAlarms(parts, passing, alarming)
  watchHealth(parts, database, passing)

  return {
    async stop() {
      stopping.abort()
      await sweep.stop()
      await writer.drained()
      await connection.close() // A replica waits for the lock, and payments for the replica.
      await mailing.stop()
      await partitions.stop()
      await verifier.stop()
      await telling.drained()
      await database.close()
    },
  }
}

function statesOf({ PARTICIPANT_STATES }: Settings): States {
  const states = readStates(PARTICIPANT_STATES)
  if (typeof states === 'string') throw new StartError(`PARTICIPANT_STATES: ${states}.`)
  return states
}

/** Alarms are served, and people are told of them. */
function openAlarms(
  { bus, grpc }: ProcessParts,
  passing: PassingOn,
  alarming: AlarmParts & Omit<MailParts, 'bus' | 'check'>,
): Promise<Subscribed> {
  const handlers = passing.byWriter(alarmsService, serveAlarms(alarming))
  grpc.serve(alarmsService, handlers)
  // Over gRPC a replica's own question would count as passed on already, and wait for the lock here.
  const own: HandledCall = {
    signal: alarming.signal,
    left_ms: () => own_ms_max,
    caller: undefined,
  }
  const check: MailParts['check'] = (position) => handlers.LiquidityThresholdExceeded(position, own)
  return mailPeople({ ...alarming, bus, check })
}

async function keepPartitions(
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
  given: Pick<CoverRules, 'hubName' | 'states' | 'months' | 'bell'>,
): CoverRules {
  return { ...given, expiryGrace_ms, coverFollows: COVER_PERCENT === 'follows' }
}

/** What commands about participants, funds and cover are decided with. */
function handlingOf(
  { bus, grpc }: ProcessParts,
  settings: Settings,
  {
    telling,
    ...parts
  }: Pick<ChangesParts, 'database' | 'writer' | 'rules'> & { readonly telling: TellingStates },
): ChangesParts {
  return {
    ...parts,
    bus,
    activeOnCreate: settings.COMPATIBILITY === 'mojaloop',
    modelsOf: modelsFrom(grpc.client(settlementModelsService, 'settlements')),
    onState: (participant, oldState) => telling.tell(participant, oldState),
    protectsPosition: settings.COMPATIBILITY !== 'mojaloop',
    validity_ms: settings.FUNDS_OUT_VALIDITY_S * 1_000,
    checksEndpoints: settings.ENDPOINT_CHECK === 'on',
  }
}

function alarmRules(settings: Settings): AlarmRules {
  return {
    interval_ms: settings.LEDGER_ALARM_INTERVAL_MIN * 60_000,
    told_max: settings.LEDGER_ALARM_TOLD_MAX,
    reset_ms: settings.LEDGER_ALARM_RESET_H * 3_600_000,
  }
}

function openConnection(parts: ProcessParts, options: DatabaseOptions, log: Logger): OneConnection {
  return keepOneConnection(
    (signal) => parts.openExclusive({ ...options, connections_max: 1, lock: 'ledger', signal }),
    log,
    async (held) => {
      await planByKeys(held)
      await noteWriter(held, parts.grpc.address)
      log.info('this process writes the ledger from now on')
    },
  )
}

interface Naming {
  readonly connection: OneConnection
  readonly writer: Writer
  readonly bus: EventBus
  readonly settings: Pick<Settings, 'HUB_NAME' | 'AUTH_SERVICE_PARTICIPANT'>
  readonly states: States
  readonly log: Logger
  readonly signal: AbortSignal
}

/** The hub and its auth service have their names, and participants may do what their states permit since this start. */
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
    await alignStates(tx, bus, states)
    if (!(await nameHub(tx, hubName))) return `HUB_NAME is ${hubName}`
    const isNamed = await nameAuthService(tx, authService)
    return isNamed ? undefined : `AUTH_SERVICE_PARTICIPANT is ${authService}`
  }
  const taken = await retrying(() => writer.alone(begin), {
    log,
    what: 'giving the hub its name',
    signal,
  })
  if (taken !== undefined) throw new StartError(`${taken}, which is the name of a participant.`)
}

const alive = statement('select 1')

function watchHealth(parts: ProcessParts, database: Database, passing: PassingOn): void {
  parts.health.ready('participant-lifecycle database', async () => {
    await database.query(alive, [])
  })
  parts.health.ready('ledger writer', () => passing.answers())
}
