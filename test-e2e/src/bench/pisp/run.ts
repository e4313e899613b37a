/**
 * One run of a PISP's load: whole links of accounts, or whole payments from linked accounts,
 * begun by the clock, with the latency and CPU time of each. It counts only when every one was made
 * and POST /verify reports no difference.
 */
import { position } from '../../operator/operator.ts'
import { forkChild } from '../child.ts'
import type { CpuUse } from '../cpu.ts'
import { faultsOfHub } from '../gate.ts'
import type { Machine } from '../machine.ts'
import { relaxations, type BenchOptions } from '../options.ts'
import { commonRows, cpuBetween, cpuPerEach, linesOf, timesText } from '../report.ts'
import { cpuOf, openHub } from '../setup.ts'
import type { Passed } from '../pace.ts'

export type PispReport = ReturnType<typeof pispReportOf>

export interface Open {
  readonly type: 'OPEN'
  /** Of each edge. */
  readonly hubUrls: readonly string[]
  readonly operatorUrl: string
  readonly passwordFile: string
}

export interface RunPisp {
  readonly type: 'RUN'
  readonly load: 'link' | 'third-party-payment'
  readonly count: number
  /** Begun per second, whether or not earlier ones have finished. */
  readonly rate: number
}

export type PispBenchCommand = Open | RunPisp

export type PispBenchReport =
  /** Onboarded, and the consents that payments need are made. */
  { readonly type: 'LINKED' } | { readonly type: 'DONE'; readonly result: Passed }

const warmupRate = 20

export async function runPisp(options: BenchOptions, machine: Machine): Promise<PispReport> {
  const hub = await openHub(options)
  const { url, operatorUrl, passwordFile, operator } = hub
  const participants = forkChild<PispBenchCommand, PispBenchReport>(
    new URL('./main.js', import.meta.url),
  )
  try {
    const hubUrls = url.split(',')
    await participants.ask({ type: 'OPEN', hubUrls, operatorUrl, passwordFile }, 'LINKED')
    const load = options.load === 'link' ? 'link' : 'third-party-payment'
    const pass = async (count: number, rate: number) =>
      (await participants.ask({ type: 'RUN', load, count, rate }, 'DONE')).result
    const isApart = options.apart !== undefined || options.groups !== undefined
    await pass(options.warmup, isApart ? Math.min(warmupRate, options.rate) : warmupRate)
    const before = await position(operator, 'dfsp')
    const opened = cpuOf(hub, participants)
    const result = await pass(options.payments, options.rate)
    const cpu = cpuBetween(opened, cpuOf(hub, participants))
    const moved = (await position(operator, 'dfsp')) - before
    const faults = [
      ...Object.entries(result.failures).map(([why, n]) => `${n} failed: ${why}`),
      ...(load === 'link' || moved === result.done
        ? []
        : [`${moved} moved in ${result.done} payments`]),
      ...(await faultsOfHub(hub)),
    ]
    return pispReportOf(options, machine, { result, cpu, faults })
  } finally {
    await participants.end()
    await hub.close()
  }
}

interface PispFindings {
  readonly result: Passed
  /** Of all that were measured. */
  readonly cpu: CpuUse
  readonly faults: readonly string[]
}

function pispReportOf(
  options: BenchOptions,
  machine: Machine,
  { result, cpu, faults }: PispFindings,
) {
  return {
    load: options.load,
    apart: options.apart,
    groups: options.groups,
    rate: options.rate,
    transactions: options.payments,
    failed: options.payments - result.done,
    failures: result.failures,
    tps: Math.round((10_000 * result.done) / result.window_ms) / 10,
    latency_ms: result.latency_ms,
    cpu_ms_per_transaction: cpuPerEach(cpu, Math.max(1, result.done)),
    relaxations: relaxations(options),
    faults,
    machine,
  }
}

export function pispTable(report: PispReport): string {
  const { cpu_ms_per_transaction: cpu, transactions, failed } = report
  const kafka = cpu.kafka === 0 ? '' : `, Kafka ${cpu.kafka}`
  return linesOf([
    ['load', `${report.load}, ${report.rate} begun per second, ${report.tps} made`],
    ['made', `${transactions - failed} of ${transactions}`],
    ['latency', timesText(report.latency_ms)],
    ['CPU each', `${cpu.total} ms: hub ${cpu.hub}, PostgreSQL ${cpu.postgres}${kafka}`],
    ['', `${cpu.fsps_not_counted} ms of the participants, not counted`],
    ...commonRows(report),
  ])
}
