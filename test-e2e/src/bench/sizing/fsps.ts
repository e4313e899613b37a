/** The cost of a payment with more FSPs: each run on a hub of its own. */
import { measureMachine } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import { runOnce } from '../run.ts'
import { storePoint, loadNow, pointOf } from './results.ts'

export interface FspsOptions {
  readonly bench: BenchOptions
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly results: string
  readonly print: (sentence: string) => void
}

export async function measureFsps({ bench, sizes, rounds, results, print }: FspsOptions) {
  for (let round = 1; round <= rounds; round += 1) {
    for (const fsps of sizes) {
      const machine = await measureMachine()
      const load_before = loadNow()
      const report = await runOnce({ ...bench, fsps }, machine)
      const point = pointOf(fsps, report, { load_before, verified: true })
      storePoint(results, 'fsps', point, machine)
      const { hub, postgres } = point.cpu_ms
      print(`${fsps} FSPs: ${hub} + ${postgres} ms CPU, others ${point.others_cores} cores.`)
    }
  }
}
