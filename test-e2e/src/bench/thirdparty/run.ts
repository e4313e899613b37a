/**
 * One run of a third-party leg: whole links of accounts, or whole payments from linked accounts,
 * begun by the clock, with the latency and CPU time of each. It counts only when every one was made
 * and POST /verify reports no difference.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { enrolCertificate } from '../../hub/credentials.ts'
import { answered, onboard, type Operator } from '../../hub/operator.ts'
import { onboardPisp } from '../../hub/third-party.ts'
import { position } from '../../hub/operator.ts'
import { openApart } from '../apart.ts'
import { readCpu, type CpuUse } from '../cpu.ts'
import { openEmbedded } from '../embedded.ts'
import type { Machine } from '../machine.ts'
import type { Tls } from '../messages.ts'
import { relaxations, type BenchOptions, type ThirdPartyLeg } from '../options.ts'
import type { Hub } from '../setup.ts'
import { roles, type Answer, type Command, type Opened, type Result } from './messages.ts'

export type ThirdPartyReport = ReturnType<typeof reportOf>

const funds = '1000000000'
const warmupRate = 20

interface Participants {
  readonly pid: number
  ask<Type extends Answer['type']>(
    command: Command,
    answer: Type,
  ): Promise<Extract<Answer, { readonly type: Type }>>
  end(): Promise<void>
}

export async function runThirdParty(
  options: BenchOptions & { readonly thirdParty: ThirdPartyLeg },
  machine: Machine,
): Promise<ThirdPartyReport> {
  const hub =
    options.apart === undefined
      ? await openEmbedded(options, [], undefined)
      : await openApart(options, options.apart, () => [])
  const participants = forkParticipants()
  try {
    await onboardAll(options, hub, participants)
    await participants.ask({ type: 'LINK' }, 'LINKED')
    const { thirdParty: leg, warmup: count } = options
    const rate = options.apart === undefined ? warmupRate : Math.min(warmupRate, options.rate)
    await participants.ask({ type: 'RUN', leg, count, rate }, 'DONE')
    const before = await position(hub.operator, 'dfsp')
    const opened = readUse(hub, participants)
    const run = { type: 'RUN', leg, count: options.payments, rate: options.rate } as const
    const { result } = await participants.ask(run, 'DONE')
    const closed = readUse(hub, participants)
    const moved = (await position(hub.operator, 'dfsp')) - before
    const settings = await hub.database.guarantees()
    const verify = await answered<{ readonly clean?: boolean }>(
      hub.operator.call('POST', '/verify'),
    )
    const faults = [
      ...Object.entries(result.failures).map(([why, n]) => `${n} failed: ${why}`),
      ...(verify.clean === true ? [] : ['POST /verify finds differences']),
      ...(leg === 'link' || moved === result.done
        ? []
        : [`${moved} moved in ${result.done} payments`]),
      ...(settings.fsync && settings.synchronous_commit
        ? []
        : ['what is committed is not durable']),
    ]
    return reportOf(options, machine, { result, opened, closed, faults })
  } finally {
    await participants.end()
    await hub.close()
  }
}

function readUse({ pids, postmaster, broker }: Hub, { pid }: Participants): CpuUse {
  return readCpu({ hub: pids, postmaster, broker, fsps: pid })
}

async function onboardAll(
  options: BenchOptions,
  { operator, url: hubUrl }: Hub,
  participants: Participants,
): Promise<void> {
  for (const name of roles) {
    const kind = name === 'pisp' ? { type: 'PISP' } : { currency: 'USD' }
    await answered(operator.call('POST', '/participants', { name, ...kind }))
  }
  const tls = options.identity === 'mtls' ? await certify(operator) : undefined
  const { participants: opened } = await participants.ask(
    { type: 'OPEN', hubUrl, tls, signed: options.signed },
    'OPENED',
  )
  for (const [n, name] of roles.entries()) {
    const { url, publicKey } = openedAt(opened, n)
    if (publicKey !== undefined) {
      await answered(operator.call('POST', `/participants/${name}/keys`, { use: 'sig', publicKey }))
    }
    if (name === 'pisp') await onboardPisp(operator, { name, url })
    else await onboard(operator, { name, url }, { netDebitCap: funds, funds })
  }
}

function openedAt(opened: readonly Opened[], n: number): Opened {
  const participant = opened[n]
  if (participant === undefined) throw new Error(`${roles[n]} did not open`)
  return participant
}

async function certify(operator: Operator): Promise<Tls> {
  const enrolled = []
  for (const name of roles) enrolled.push(await enrolCertificate(operator, name))
  return { ca: enrolled[0]?.ca ?? '', fsps: enrolled }
}

function forkParticipants(): Participants {
  const child = fork(fileURLToPath(new URL('./participants.js', import.meta.url)))
  const { pid } = child
  if (pid === undefined) throw new Error('the participants did not start')
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    pid,
    ask: (command, answer) =>
      new Promise((resolve, reject) => {
        const settle = () => child.off('message', listen).off('exit', ended)
        const ended = () => {
          settle()
          reject(new Error('the process of the participants ended'))
        }
        const listen = (reply: Answer) => {
          settle()
          if (reply.type === answer) resolve(reply as Extract<Answer, { type: typeof answer }>)
          else reject(new Error(reply.type === 'BROKEN' ? reply.why : `unexpected ${reply.type}`))
        }
        child.on('message', listen).on('exit', ended)
        child.send(command)
      }),
    end() {
      if (child.connected) child.disconnect()
      return gone
    },
  }
}

interface Found {
  readonly result: Result
  readonly opened: CpuUse
  readonly closed: CpuUse
  readonly faults: readonly string[]
}

function reportOf(
  options: BenchOptions & { readonly thirdParty: ThirdPartyLeg },
  machine: Machine,
  { result, opened, closed, faults }: Found,
) {
  const used = (part: 'hub_ms' | 'hub_main_thread_ms' | 'postgres_ms' | 'kafka_ms' | 'fsps_ms') =>
    closed[part] - opened[part]
  const each = (ms: number) => Math.round((100 * ms) / Math.max(1, result.done)) / 100
  return {
    legs: options.thirdParty,
    apart: options.apart,
    rate: options.rate,
    transactions: options.payments,
    failed: options.payments - result.done,
    failures: result.failures,
    tps: Math.round((10_000 * result.done) / result.window_ms) / 10,
    latency_ms: result.latency_ms,
    cpu_ms_per_transaction: {
      hub: each(used('hub_ms')),
      hub_main_thread: each(used('hub_main_thread_ms')),
      postgres: each(used('postgres_ms')),
      kafka: each(used('kafka_ms')),
      total: each(used('hub_ms') + used('postgres_ms') + used('kafka_ms')),
      fsps_not_counted: each(used('fsps_ms')),
    },
    guarantees: { identity: options.identity, signed: options.signed },
    relaxations: relaxations(options),
    faults,
    machine,
  }
}

/** For people. */
export function thirdPartyTable(report: ThirdPartyReport): string {
  const { latency_ms: latency, cpu_ms_per_transaction: cpu, transactions, failed } = report
  const what = report.legs === 'link' ? 'links' : 'payments of a third party'
  const kafka = report.apart === undefined ? '' : `, Kafka ${cpu.kafka}`
  return [
    `${transactions - failed} of ${transactions} ${what}, ${report.rate}/s begun, ${report.tps}/s made`,
    `  latency      p50 ${latency.p50}  p95 ${latency.p95}  p99 ${latency.p99}  max ${latency.max} ms`,
    `  CPU each     ${cpu.total} ms: hub ${cpu.hub}, PostgreSQL ${cpu.postgres}${kafka} (participants, not counted: ${cpu.fsps_not_counted})`,
    ...report.relaxations.map((sentence) => `  RELAXED      ${sentence}`),
    ...report.faults.map((sentence) => `  FAULT        ${sentence}`),
    '',
  ].join('\n')
}
