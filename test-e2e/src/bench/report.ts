/** What the bench found, as a table for people and as JSON for machines. */
import type { CpuUse } from './cpu.ts'
import type { RunResult } from './messages.ts'
import type { BenchOptions } from './options.ts'
import type { ProfileEntry } from './profile.ts'

export interface BenchReport {
  readonly result: RunResult
  readonly cpu: CpuUse
  /** The hub's own comparison of its ledger with its transfers. */
  readonly verify: unknown
  readonly profile: readonly ProfileEntry[]
}

export function printReport(options: BenchOptions, report: BenchReport): void {
  const { result, cpu, verify, profile } = report
  const { latency_ms, lateness_ms } = result
  const each = (ms: number) => `${(ms / result.transfers).toPrecision(3)} ms`
  const rows: readonly (readonly [string, string])[] = [
    ['load', `${options.load}, ${options.fsps} FSPs, ${options.rate} begun per second`],
    ['transfers', `${result.transfers}, ${result.committed} committed`],
    ['failures', JSON.stringify(result.failures)],
    ['throughput', `${Math.round((result.committed * 1_000) / result.elapsed_ms)} per second`],
    ['latency', `p50 ${latency_ms.p50}  p95 ${latency_ms.p95}  p99 ${latency_ms.p99} ms`],
    ['generator late', `p50 ${lateness_ms.p50}  p99 ${lateness_ms.p99} ms`],
    ['sent again', String(result.repeated)],
    ['CPU per transfer', `${each(cpu.hub_ms + cpu.postgres_ms)} (hub and PostgreSQL)`],
    ['  hub', each(cpu.hub_ms)],
    ['  PostgreSQL', each(cpu.postgres_ms)],
    ['  FSPs, not counted', each(cpu.load_ms)],
    ['verify', JSON.stringify(verify)],
    ...profile.map(({ name, share }) => [`  ${share} %`, name] as const),
  ]
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(20)}${value}\n`)
}
