/**
 * The ledger as a part of the service that hosts it: it uses the process and the schema of its host.
 * Queries use the host's pool, decisions the connection of the writer. Of any number of replicas one
 * is the writer; the others forward to it what changes something.
 */
import { type Permission, readStates, type States } from '@causeway/services'
import type { HandledCall, Handlers } from '@causeway/grpc'
import type { DecimalBounds } from '@causeway/money'
import type { Database, DatabaseOptions } from '@causeway/postgres'
import { periodically, StartError, type Logger, type Periodic } from '@causeway/process'
import { alarmsService, fundsService, ledgerService, liquidityService } from '@causeway/protos'
import type { ProcessParts } from '@causeway/runtime'
import { usualBounds, type LedgerBounds } from './bounds.ts'
import type { AlarmRules } from './alarms/domain/alarm.ts'
import { serveAlarms } from './alarms/serve.ts'
import { openThresholdAlarms } from './alarms/threshold-alarms.ts'
import type { FundsParts } from './funds/handle.ts'
import { serveFunds } from './funds/serve.ts'
import { sweepFunds } from './funds/sweep.ts'
import { openJournalMonths, type JournalMonths } from './journal-months.ts'
import { openLeaderConnection, type LeaderConnection } from './leader/connection.ts'
import { openLeaderForwarding, type LeaderForwarding } from './leader/forwarding.ts'
import { planByKeys } from './lock-store.ts'
import { measureLedger } from './metrics.ts'
import { serveLedger, type LedgerParts } from './serve.ts'
import { noteWriter, writerAddress } from './leader/address-store.ts'
import { openWriter, type Writer } from './writer.ts'
import type { LedgerSettings } from './settings.ts'
import type { CoverParts, CoverRules } from './liquidity/handle.ts'
import { serveLiquidity } from './liquidity/serve.ts'
import { openVerifier } from './verification/verifier.ts'

const partitions_every_ms = 6 * 60 * 60 * 1_000
const alarmRules: AlarmRules = {
  /** Shortest time between two notifications of an active alarm: an hour. */
  interval_ms: 3_600_000,
  /** Notifications of one alarm; an operator who has not acted after three acts on no fourth. */
  notified_max: 3,
  /** An alarm that has been active for a day is raised again. */
  reset_ms: 24 * 3_600_000,
}
/** The time limit of an alarm check by the writer. */
const own_ms_max = 2_000

export interface LedgerOptions {
  readonly log: Logger
  /** The pool of the host, and how it was opened. */
  readonly database: Database
  readonly databaseOptions: DatabaseOptions
  readonly modelsOf: FundsParts['modelsOf']
  /** How fine amounts may be now. */
  readonly decimals: () => DecimalBounds | undefined
  readonly bounds?: LedgerBounds | undefined
}

/** A position whose alarms are checked. */
export type CheckedPosition = Parameters<
  Handlers<typeof alarmsService>['LiquidityThresholdExceeded']
>[0]

/** What commands about funds and cover need. */
export type LedgerFunds = FundsParts & CoverParts

export interface Ledger {
  readonly writer: Writer
  readonly rules: CoverRules
  readonly forwarding: LeaderForwarding
  /** For funds and cover inside changes under four-eyes control too. */
  readonly funds: LedgerFunds
  /** Resolves when this process has become the writer for the first time. */
  readonly opened: Promise<unknown>
  /** Serves its gRPC services and reports its health. */
  serve(): void
  /**
   * The states that apply from the next batch on: `rules.states` is the same map, with other content.
   * Throws StartError when the text cannot be read.
   */
  useStates(text: string): void
  /** Checks the alarms of a position on the writer, whichever replica that is. */
  checkAlarms(position: CheckedPosition, signal: AbortSignal): Promise<object>
  /** Lets what is queued end, then gives the lock to another replica. */
  stop(): Promise<void>
}

/**
 * Opens the ledger; while another replica is the writer it answers by forwarding.
 *
 * @throws StartError when PARTICIPANT_STATES cannot be read
 */
export async function openLedger(
  settings: LedgerSettings,
  parts: ProcessParts,
  { log, database, databaseOptions, modelsOf, decimals, bounds = usualBounds }: LedgerOptions,
): Promise<Ledger> {
  const hubName = settings.HUB_NAME
  const states = new Map(statesOf(settings.PARTICIPANT_STATES))
  const { months, partitions } = await maintainPartitions(database, log)
  const connection = openConnection(parts, databaseOptions, log)
  const alarms = openThresholdAlarms(parts.bus, alarmRules)
  const rules: CoverRules = {
    hubName,
    decimals,
    states,
    months,
    alarms,
    expiryGrace_ms: settings.EXPIRY_GRACE_MS,
    coverFollows: settings.COVER_PERCENT === 'follows',
  }
  const writer = openWriter(connection, {
    ...rules,
    log,
    batch_max: bounds.batch_max,
    queued_max: bounds.queued_max,
    onBatch: measureLedger(parts.metrics, log),
  })
  const verifier = openVerifier(() =>
    parts.openDatabase({ ...databaseOptions, connections_max: 1 }),
  )
  const forwarding = openLeaderForwarding({
    connection,
    find: () => writerAddress(database),
    grpc: parts.grpc,
  })
  const funds = fundsOf(settings, { writer, bus: parts.bus, rules, modelsOf })
  const sweep = sweepFunds({
    ...funds,
    database,
    log,
    every_ms: bounds.fundsSweep_ms,
    isHere: () => connection.holdsLock(),
  })
  const ledgerParts = { database, writer, verifier, log, ...rules }
  const alarmHandlers = forwarding.toLeader(
    alarmsService,
    serveAlarms({ database, writer, alarms, states }),
  )

  return {
    writer,
    rules,
    forwarding,
    funds,
    opened: connection.opened,
    useStates: (text) => replaceStates(states, statesOf(text)),
    serve: () => serveAll(parts, forwarding, { ...ledgerParts, funds, alarmHandlers }),
    // Over gRPC a replica's own call would count as forwarded already, and wait for the lock here.
    checkAlarms: (position, signal) =>
      alarmHandlers.LiquidityThresholdExceeded(position, ownCall(signal)),
    async stop() {
      await sweep.stop()
      await writer.drained()
      await connection.close() // First, so that another replica can take the lock at once.
      await partitions.stop()
      await verifier.stop()
    },
  }
}

/** Calls that change something run on the writer, whichever replica receives them. */
function serveAll(
  { grpc, health }: ProcessParts,
  forwarding: LeaderForwarding,
  {
    funds,
    alarmHandlers,
    ...ledger
  }: LedgerParts & {
    readonly funds: LedgerFunds
    readonly alarmHandlers: Handlers<typeof alarmsService>
  },
): void {
  const { database } = ledger
  const liquidity = serveLiquidity(database, funds)
  grpc.serve(ledgerService, forwarding.toLeader(ledgerService, serveLedger(ledger)))
  grpc.serve(fundsService, forwarding.toLeader(fundsService, serveFunds(database, funds)))
  grpc.serve(liquidityService, forwarding.toLeader(liquidityService, liquidity))
  grpc.serve(alarmsService, alarmHandlers)
  health.ready('ledger writer', () => forwarding.answers())
}

function fundsOf(
  settings: LedgerSettings,
  parts: Pick<LedgerFunds, 'writer' | 'bus' | 'rules' | 'modelsOf'>,
): LedgerFunds {
  return {
    ...parts,
    protectsPosition: settings.COMPATIBILITY !== 'mojaloop',
    validity_ms: settings.FUNDS_OUT_VALIDITY_S * 1_000,
  }
}

function ownCall(signal: AbortSignal): HandledCall {
  return { signal, left_ms: () => own_ms_max, callers: undefined }
}

function statesOf(text: string): States {
  const states = readStates(text)
  if (typeof states === 'string') throw new StartError(`PARTICIPANT_STATES: ${states}.`)
  return states
}

function replaceStates(states: Map<string, ReadonlySet<Permission>>, wanted: States): void {
  states.clear()
  for (const [name, permissions] of wanted) states.set(name, permissions)
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
