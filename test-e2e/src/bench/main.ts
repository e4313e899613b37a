/**
 * `npm run bench`: payments per second, the latency of each and its CPU time, on a hub of its own.
 * It uses 127.0.0.1 only, and ends by itself.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { bulkTable, type BulkReport } from './bulk/report.ts'
import { runBulk } from './bulk/run.ts'
import { comparisonOf, type Compared } from './compare.ts'
import { measureMachine } from './machine.ts'
import { missedByOverload, overloadTable } from './overload.ts'
import { readOptions, usage } from './options.ts'
import { pageOf } from './page.ts'
import { tableOf, type Report } from './report.ts'
import { runOnce } from './run.ts'
import { runThirdParty, thirdPartyTable, type ThirdPartyReport } from './thirdparty/run.ts'

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return void process.stdout.write(usage)
  const plan = readOptions(process.argv.slice(2))
  const earlier = plan.compare === undefined ? undefined : await readReports(plan.compare)
  const machine = await measureMachine()
  const reports: Report[] = []
  const ofThirdParties: ThirdPartyReport[] = []
  const ofBulks: BulkReport[] = []
  for (const options of plan.runs) {
    const { thirdParty, bulk } = options
    if (bulk !== undefined) {
      const report = await runBulk({ ...options, bulk }, machine, plan.profiles)
      process.stdout.write(bulkTable(report))
      ofBulks.push(report)
      continue
    }
    if (thirdParty !== undefined) {
      const report = await runThirdParty({ ...options, thirdParty }, machine)
      process.stdout.write(thirdPartyTable(report))
      ofThirdParties.push(report)
      continue
    }
    const report = await runOnce(options, machine, plan.profiles)
    process.stdout.write(tableOf(report))
    reports.push(report)
  }
  const made = [...reports, ...ofThirdParties, ...ofBulks]
  const [only] = made
  if (plan.json !== undefined) {
    const all = made.length === 1 ? only : made
    await writeFile(plan.json, `${JSON.stringify(all, null, 2)}\n`)
  }
  if (plan.html !== undefined) await writeFile(plan.html, pageOf(reports))
  if (earlier !== undefined) {
    process.stdout.write(comparisonOf([...reports, ...ofThirdParties], earlier))
  }
  if (plan.overload) process.stdout.write(overloadTable(reports))
  const missed = plan.overload ? missedByOverload(reports) : []
  process.stdout.write(missed.map((sentence) => `MISSED  ${sentence}\n`).join(''))
  const isWrong = ({ faults, missed: ofOne }: Report | BulkReport) =>
    faults.length + ofOne.length > 0
  const isFaulty = ({ faults }: ThirdPartyReport) => faults.length > 0
  if (
    [...reports, ...ofBulks].some(isWrong) ||
    ofThirdParties.some(isFaulty) ||
    missed.length > 0
  ) {
    process.exitCode = 1
  }
}

async function readReports(file: string): Promise<readonly Compared[]> {
  const json = JSON.parse(await readFile(file, 'utf8')) as Compared | readonly Compared[]
  return [json].flat() as readonly Compared[]
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})
