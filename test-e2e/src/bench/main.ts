/**
 * `npm run bench`: payments per second, the latency of each and its CPU time, on a hub of its own.
 * It uses 127.0.0.1 only, and ends by itself.
 */
import { writeFile } from 'node:fs/promises'
import { runAgainst, type AgainstReport } from './against/run.ts'
import { bulkTable, type BulkReport } from './bulk/report.ts'
import { runBulk } from './bulk/run.ts'
import { measureMachine } from './machine.ts'
import { isOfPisp, readOptions, usage } from './options.ts'
import { missedByOverload, overloadTable } from './overload.ts'
import { pispTable, runPisp, type PispReport } from './pisp/run.ts'
import { tableOf, type BenchReport } from './report.ts'
import { runOnce } from './run.ts'

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return void process.stdout.write(usage)
  const plan = readOptions(process.argv.slice(2))
  const machine = await measureMachine()
  const made: (BenchReport | BulkReport | PispReport | AgainstReport)[] = []
  const ofPayments: BenchReport[] = []
  const missed: string[] = []
  for (const options of plan.runs) {
    if (plan.against !== undefined) {
      const report = await runAgainst(options, plan.against, machine)
      made.push(report)
      process.stdout.write(report.table)
    } else if (options.load === 'bulk') {
      const report = await runBulk(options, machine)
      made.push(report)
      missed.push(...report.missed)
      process.stdout.write(bulkTable(report))
    } else if (isOfPisp(options.load)) {
      const report = await runPisp(options, machine)
      made.push(report)
      process.stdout.write(pispTable(report))
    } else {
      const report = await runOnce(options, machine)
      made.push(report)
      ofPayments.push(report)
      process.stdout.write(tableOf(report))
    }
  }
  if (plan.json !== undefined) {
    const all = made.length === 1 ? made[0] : made
    await writeFile(plan.json, `${JSON.stringify(all, null, 2)}\n`)
  }
  if (plan.overload) {
    process.stdout.write(overloadTable(ofPayments))
    missed.push(...missedByOverload(ofPayments))
  }
  process.stdout.write(missed.map((sentence) => `MISSED            ${sentence}\n`).join(''))
  if (missed.length > 0 || made.some(({ faults }) => faults.length > 0)) process.exitCode = 1
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})
