/** A hub with its FSPs in virtual time, on which one history after the other is played. */
import { createHash, randomUUID } from 'node:crypto'
import { settlementWindowsService } from '@causeway/protos'
import { openLog } from '@causeway/process'
import { overNetwork } from '@causeway/http'
import { Supervisor } from '../hub/supervisor.ts'
import { openSqlServer } from '../sql/server.ts'
import { seedOf } from '../virtual/chance.ts'
import { now_ms, ownedBy, reseed, resetTime, rest, run, type Owner } from '../virtual/world.ts'
import { Faults } from './faults.ts'
import { Fsps } from './fsps.ts'
import { onboard } from './onboarding.ts'
import { judge, type Positions } from './oracle.ts'
import type { Plan } from './plan.ts'
import { newRecord, type TransferRecord } from './record.ts'

export interface Simulation {
  /** What is wrong; nothing is after a history that is right. */
  play(plan: Plan): Promise<Result>
  /** SHA-256 over all SQL in and out until now, in hexadecimal digits. */
  digest(): string
  close(): Promise<void>
}

export interface Result {
  readonly wrong: readonly string[]
  readonly transfers: number
  readonly faults: number
}

/** Lines for operators: `ALARM` in the sentence, or the kind of an alarm; any error. */
const isAlarm = /ALARM|"alarm":|"level":"(?:error|fatal)"/
const start_ms_max = 60_000
const accepted_ms_max = 120_000
const ended_ms_max = 180_000
const quiet_ms = 4_000
const judged_ms_max = 600_000

export async function openSimulation(seed: number): Promise<Simulation> {
  resetTime()
  reseed(seedOf(seed, 'begin'))
  const hash = createHash('sha256')
  const alarms: string[] = []
  const log = openLog({
    name: 'simulation',
    level: 'warn',
    destination: { write: (line) => void (isAlarm.test(line) && alarms.push(line.trim())) },
  })
  const database: Owner = { name: 'database', isDead: false, frozenUntil_ms: 0, ahead_ms: 0 }
  const faults = new Faults(
    {
      kill: (owner) => supervisor.kill(owner),
      stop: (owner) => supervisor.stop(owner),
      cutAll: () => server.cut(),
    },
    (bytes) => hash.update(bytes),
  )
  const server = await openSqlServer(database, faults)
  const fsps = new Fsps(() => supervisor.process())
  const supervisor: Supervisor = new Supervisor({
    log,
    http: overNetwork,
    callFate: () => faults.callFate(),
    server: () => server,
    onOpen: (process) => fsps.listen(process),
  })
  const positions: Positions = new Map()
  await until('the hub has started', () => supervisor.process() !== undefined, start_ms_max)
  await complete(
    'the scheme is there',
    supervisor.ask((process) => onboard(process.grpc)),
  )
  return {
    async play(plan) {
      reseed(plan.seed)
      const records = plan.transfers.map((planned) => newRecord(randomUUID(), planned, now_ms()))
      alarms.length = 0
      const ends = supervisor.ends()
      faults.begin(plan.faults)
      fsps.begin(records)
      for (const record of records) ownedBy(undefined, () => void fsps.pay(record))
      for (const act of plan.acts) {
        ownedBy(undefined, () => void rest(act.begins_ms).then(() => closeWindow(supervisor)))
      }
      const struck = () => ({ transfers: records.length, faults: faults.struck() })
      try {
        await ended(records, supervisor)
        faults.end()
        const hasEnded = supervisor.ends() > ends
        const wrong = await complete(
          'it is judged',
          judge(supervisor, { plan, records, alarms, hasEnded }, positions),
        )
        return { wrong, ...struck() }
      } catch (error) {
        if (!(error instanceof TooLate)) throw error
        return { wrong: [error.message], ...struck() }
      }
    },
    digest: () => hash.copy().digest('hex'),
    async close() {
      supervisor.end()
      await run(0)
      await server.close()
    },
  }
}

class TooLate extends Error {}

async function ended(records: readonly TransferRecord[], supervisor: Supervisor): Promise<void> {
  const isAccepted = () => records.every((record) => record.isAccepted)
  await until('all requests are accepted', isAccepted, accepted_ms_max)
  const isOver = () =>
    records.every(({ ends }) => ends.size > 0) && supervisor.process() !== undefined
  await until('all transfers have ended', isOver, ended_ms_max).catch((error: unknown) => {
    const open = records.filter(({ ends }) => ends.size === 0)
    throw new TooLate(`${(error as Error).message}; open: ${open.map(({ id }) => id).join()}`)
  })
  await run(quiet_ms)
  await until('the hub runs', () => supervisor.process() !== undefined, ended_ms_max)
}

async function until(what: string, done: () => boolean, longest_ms: number): Promise<void> {
  if (!(await run(longest_ms, done))) throw new TooLate(`not within ${longest_ms} ms: ${what}`)
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

/** An operator closes the open window; a refusal is fine. */
async function closeWindow(supervisor: Supervisor): Promise<void> {
  await supervisor.ask(async ({ grpc }) => {
    const windows = grpc.client(settlementWindowsService, 'settlements')
    const { windows: open } = await windows.ListSettlementWindows({
      participantId: 0,
      state: 'OPEN',
      from: '',
      to: '',
      currency: '',
      limit: 1,
      beforeId: 0,
    })
    const [window] = open
    if (window === undefined) return
    const requestId = randomUUID()
    const closing = { requestId, windowId: window.id, reason: 'end of day', actor: 'operator' }
    await windows.CloseSettlementWindow(closing)
  })
}
