/** A hub with its FSPs in virtual time, on which one history after the other is played. */
import { createHash, randomUUID, type Hash } from 'node:crypto'
import { openLog } from '@causeway/process'
import { Supervisor } from '../hub/supervisor.ts'
import { Cluster } from '../kafka/cluster.ts'
import { openSqlServer, type SqlServer } from '../sql/server.ts'
import { seedOf } from '../virtual/chance.ts'
import {
  leapTo,
  now_ms,
  ownedBy,
  reseed,
  resetTime,
  run,
  since_ms,
  Owner,
} from '../virtual/world.ts'
import { Announcements } from './oracle/announcements.ts'
import { AuditLog } from './oracle/audit-log.ts'
import { Bulks, isBulkOver, newBulk, type BulkRecord } from './bulks.ts'
import { Differences } from './oracle/differences.ts'
import { Faults } from './faults.ts'
import { Fsps } from './fsps.ts'
import { onboard, register } from './onboarding.ts'
import { isLinkOver, newLink, type LinkRecord } from './links/link-record.ts'
import { Operators } from './operators.ts'
import { databaseOfScheme } from './scheme.ts'
import { Backlog } from './oracle/backlog.ts'
import { Balances } from './oracle/balances.ts'
import { judge } from './oracle/oracle.ts'
import type { Plan } from './plan/plan.ts'
import { Sender } from './sender.ts'
import { isOver, newRecord, type TransferRecord } from './record.ts'
import { Unpaid } from './oracle/unpaid.ts'

export interface Result {
  readonly wrong: readonly string[]
  readonly transfers: number
  readonly links: number
  readonly faults: number
}

/** Calls to the services that do not take part. */
const notServed = 'it is not served here now'
/** Lines for operators: `ALARM` in the sentence, or the kind of an alarm; any error. */
const isAlarm = /ALARM|"alarm":|"level":"(?:error|fatal)"/
/** When simulations begin, after the beginning of the world: by then the scheme is there. */
const scheme_ms = 120_000
const start_ms_max = 60_000
const accepted_ms_max = 120_000
const ended_ms_max = 180_000
const quiet_ms = 4_000
/** Longer than a freeze, the timeout of a callback and the pause of a circuit. */
const recovered_ms = 20_000
const tidied_every = 50
/** Brokers keep at least so much. */
const tidied_ms = 600_000
const judged_ms_max = 600_000

type ShowLog = (line: string) => void

export interface SimulationOptions {
  /** Whether the hub is two replicas of each service over Kafka, instead of one process. */
  readonly isDistributed: boolean
  /** Gets each line that the hub logs from level warn on. */
  readonly showLog?: ShowLog
}

export async function openSimulation(
  seed: number,
  { isDistributed, showLog = () => undefined }: SimulationOptions,
): Promise<Simulation> {
  const data = databaseOfScheme()
  resetTime(scheme_ms)
  reseed(seedOf(seed, 'begin'))
  const parts = await openParts(data, { isDistributed, showLog })
  await run(quiet_ms)
  return new Simulation(parts)
}

/** Onboards the FSPs of the scheme on a new hub, and stops it; its database as a tar file. */
export async function makeScheme(): Promise<Buffer> {
  resetTime(0)
  reseed(seedOf('scheme'))
  const { supervisor, server, sender } = await openParts(undefined, {
    isDistributed: false,
  })
  await complete(
    'the scheme is there',
    supervisor.ask((process) => onboard(process.grpc)),
  )
  await complete('parties are registered', register(sender))
  await run(quiet_ms)
  const stopping = supervisor.process()
  if (stopping !== undefined) await complete('the hub has stopped', stopping.stop())
  supervisor.end()
  await run(quiet_ms)
  if (since_ms() > scheme_ms) throw new Error(`the scheme takes ${since_ms()} ms`)
  const data = await server.dump()
  await server.close()
  return data
}

async function openParts(
  data: Blob | undefined,
  { isDistributed, showLog = () => undefined }: SimulationOptions,
): Promise<SimulationParts> {
  const hash = createHash('sha256')
  const alarms: string[] = []
  const log = openLog({
    name: 'simulation',
    level: 'warn',
    destination: {
      write(line) {
        showLog(line)
        if (isAlarm.test(line) && !line.includes(notServed)) alarms.push(line.trim())
      },
    },
  })
  const database = new Owner('database')
  const strikes = {
    kill: (owner: Owner) => supervisor.kill(owner),
    stop: (owner: Owner) => supervisor.stop(owner),
    cutAll: () => server.cut(),
    leaveBrokers: (lasts_ms: number) => cluster?.leave(lasts_ms),
  }
  const faults = new Faults(strikes, (bytes) => hash.update(bytes))
  const server = await openSqlServer(database, faults, data)
  const cluster = isDistributed ? new Cluster(faults) : undefined
  const sender = new Sender(() => supervisor.process()?.network, faults)
  const bulks = new Bulks(sender)
  const announcements = new Announcements()
  const fsps = new Fsps(sender, bulks, faults)
  const supervisor: Supervisor = new Supervisor({
    log,
    outside: (request) => fsps.answer(request),
    callFate: () => faults.callFate(),
    server: () => server,
    cluster,
    processes: isDistributed ? 2 : 1,
    onOpen: (process) => announcements.listen(process),
  })
  const operators = new Operators(supervisor)
  const isOpen = () => supervisor.isComplete()
  await until(() => `the hub has started; ${alarms.join('; ')}`, isOpen, start_ms_max)
  return {
    hash,
    alarms,
    faults,
    server,
    cluster,
    announcements,
    sender,
    bulks,
    fsps,
    supervisor,
    operators,
  }
}

interface SimulationParts {
  readonly hash: Hash
  readonly alarms: string[]
  readonly faults: Faults
  readonly server: SqlServer
  /** Undefined: the hub is one process. */
  readonly cluster: Cluster | undefined
  readonly announcements: Announcements
  readonly sender: Sender
  readonly bulks: Bulks
  readonly fsps: Fsps
  readonly supervisor: Supervisor
  readonly operators: Operators
}

/** What the world outside knows of a history. */
interface Records {
  readonly began_ms: number
  /** Those that pay from links come while it is played. */
  readonly transfers: TransferRecord[]
  readonly bulks: readonly BulkRecord[]
  readonly links: readonly LinkRecord[]
}

export class Simulation {
  readonly #parts: SimulationParts
  readonly #balances = new Balances()
  readonly #unpaid = new Unpaid()
  readonly #auditLog = new AuditLog()
  readonly #backlog = new Backlog()
  readonly #differences = new Differences()
  #played = 0

  constructor(parts: SimulationParts) {
    this.#parts = parts
  }

  /** What is wrong; nothing is after a history that is right. */
  async play(plan: Plan): Promise<Result> {
    const { faults, server, cluster } = this.#parts
    this.#played += 1
    if (this.#played % tidied_every === 0) {
      await complete('it is tidied', server.tidy())
      cluster?.tidy(tidied_ms)
    }
    if (plan.monthEnds_ms !== undefined) await this.#leap(plan.monthEnds_ms)
    // What earlier faults have left behind is over.
    else if (plan.faults.length === 0) await run(recovered_ms)
    reseed(plan.seed)
    const records: Records = {
      began_ms: now_ms(),
      transfers: plan.transfers.map((planned) => newRecord(randomUUID(), planned)),
      bulks: plan.bulks.map(newBulk),
      links: plan.links.map(newLink),
    }
    const result = (wrong: readonly string[]): Result => ({
      wrong,
      transfers: records.transfers.length,
      links: records.links.length,
      faults: faults.struck(),
    })
    this.#begin(plan, records)
    try {
      await this.#ended(records)
      faults.end()
      this.#parts.supervisor.setClocksRight()
      return result(await complete('it is judged', this.#judge(plan, records)))
    } catch (error) {
      if (!(error instanceof TooLate)) throw error
      return result([error.message])
    }
  }

  /** SHA-256 over all SQL in and out until now, in hexadecimal digits. */
  digest(): string {
    return this.#parts.hash.copy().digest('hex')
  }

  async close(): Promise<void> {
    const { supervisor, server, cluster } = this.#parts
    supervisor.end()
    cluster?.end()
    await run(0)
    await server.close()
  }

  #begin(plan: Plan, { transfers, bulks: ofBulks, links }: Records): void {
    const { alarms, faults, fsps, bulks, operators } = this.#parts
    alarms.length = 0
    faults.begin(plan.faults, plan.trip_ms)
    fsps.begin(transfers, links)
    bulks.begin(ofBulks)
    ownedBy(undefined, () => {
      for (const record of transfers) void fsps.pay(record)
      for (const record of ofBulks) void bulks.pay(record)
      for (const link of links) void fsps.links.play(link)
      for (const act of plan.acts) void operators.act(act)
    })
  }

  /** The hub is off until shortly before a month's end, which then comes in so many ms. */
  async #leap(monthEnds_ms: number): Promise<void> {
    const { supervisor } = this.#parts
    const begins_ms = monthEndAfter(now_ms() + recovered_ms + monthEnds_ms) - monthEnds_ms
    const leap = supervisor.startAgainAfter(() => leapTo(begins_ms - recovered_ms))
    await complete('the hub has stopped', leap)
    await until('the hub runs again', () => supervisor.isComplete(), start_ms_max)
    await run(begins_ms - now_ms())
  }

  #judge(plan: Plan, records: Records): Promise<readonly string[]> {
    const { supervisor, server, cluster, alarms, announcements, operators, fsps } = this.#parts
    const judged = {
      supervisor,
      server,
      cluster,
      balances: this.#balances,
      unpaid: this.#unpaid,
      auditLog: this.#auditLog,
      backlog: this.#backlog,
      differences: this.#differences,
    }
    return judge(judged, {
      plan,
      began_ms: records.began_ms,
      records: records.transfers,
      bulks: records.bulks,
      links: records.links,
      relayed: fsps.takeWrong(),
      alarms,
      announced: announcements.takeWrong(),
      settled: operators.takeSettled(),
      audited: operators.takeAudited(),
      funds: operators.funds.takeWrong(),
      switched: operators.switches.takeSwitched(),
      changed: operators.changes.take(),
    })
  }

  async #ended({ transfers, bulks, links }: Records): Promise<void> {
    const { supervisor, cluster, operators } = this.#parts
    // Those that pay from links come later.
    const first = [...transfers]
    const areAnswered = () => first.every(({ prepare }) => prepare.status !== undefined)
    await until('all requests are answered', areAnswered, accepted_ms_max)
    const areOver = () =>
      links.every(isLinkOver) &&
      transfers.every(isOver) &&
      bulks.every(isBulkOver) &&
      supervisor.isComplete()
    await until('all transfers have ended', areOver, ended_ms_max).catch((error: unknown) => {
      const open = [
        ...transfers.filter((record) => !isOver(record)),
        ...links.filter((link) => !isLinkOver(link)),
        ...bulks.filter((bulk) => !isBulkOver(bulk)),
      ].map(({ id }) => id)
      throw new TooLate(`${(error as Error).message}; open: ${open.join()}`)
    })
    await until('operators are done', () => !operators.isBusy(), ended_ms_max)
    await run(quiet_ms)
    const unread = () => cluster?.behind() ?? []
    await until(
      () => `all events are read: ${unread().join('; ')}`,
      () => unread().length === 0,
      ended_ms_max,
    )
    await until('the hub runs', () => supervisor.isComplete(), ended_ms_max)
  }
}

/** UTC. */
function monthEndAfter(time_ms: number): number {
  const time = new Date(time_ms)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1)
}

class TooLate extends Error {}

async function until(
  what: string | (() => string),
  done: () => boolean,
  longest_ms: number,
): Promise<void> {
  if (await run(longest_ms, done)) return
  throw new TooLate(`not within ${longest_ms} ms: ${typeof what === 'string' ? what : what()}`)
}

async function complete<T>(what: string, work: Promise<T>): Promise<T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined
  work.then(
    (value) => (outcome = { value }),
    (error: unknown) => (outcome = { error }),
  )
  await until(what, () => outcome !== undefined, judged_ms_max)
  if (outcome !== undefined && 'value' in outcome) return outcome.value
  throw outcome?.error
}
