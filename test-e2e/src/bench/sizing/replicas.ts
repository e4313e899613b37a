/**
 * The cost of a payment when services run apart, with one process or several of each service that
 * it passes through.
 */
import { measureMachine } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import { runOnce } from '../run.ts'
import { storePoint, loadNow, pointOf } from './results.ts'

export interface ReplicasOptions {
  readonly bench: BenchOptions
  readonly sizes: readonly number[]
  readonly results: string
  readonly print: (sentence: string) => void
}

export async function measureReplicas({ bench, sizes, results, print }: ReplicasOptions) {
  for (const size of sizes) {
    const machine = await measureMachine()
    const load_before = loadNow()
    const report = await runOnce({ ...bench, apart: size }, machine)
    const point = pointOf(size, report, { load_before, verified: true })
    storePoint(results, 'replicas', point, machine)
    const { hub, postgres, kafka } = point.cpu_ms
    print(`${size} of each: ${hub} + ${postgres} + ${kafka ?? 0} ms CPU.`)
  }
}
