/**
 * `npm run bench:parts [-- REPORT.json]`: the cost of the parts of a payment on this machine, each
 * alone in a busy loop; and with a report of `npm run bench`, for each of its runs, their sum next
 * to the cost of the hub, once with these costs and once with the cost of each part at the rate of
 * the run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureMachine } from '../machine.ts'
import type { Report } from '../report.ts'
import { grpcCost } from './grpc.ts'
import { httpCosts } from './http.ts'
import type { Pacing } from './measure.ts'
import { signCost, verifyCost } from './signatures.ts'
import { batch, storageCosts } from './storage.ts'
import { partsTable, sumTable, timesOf, type Costs, type Times } from './sum.ts'

const busy: Pacing = { type: 'BUSY' }

async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  const { node_http_us_per_post } = await measureMachine()
  const loop = await costsAt(() => busy)
  const further = {
    post_us: node_http_us_per_post,
    sign_us: await signCost(),
    call_us: await inFolder((folder) => grpcCost(folder, batch)),
  }
  process.stdout.write(partsTable({ ...loop, ...further }))
  if (file === undefined) return
  const report = [JSON.parse(await readFile(file, 'utf8')) as Report | readonly Report[]].flat()
  // For services that run apart the events are not counted.
  for (const run of report.filter(({ apart }) => apart === undefined)) {
    const times = timesOf(run)
    const pace = await costsAt((part, size = 1) => ({
      type: 'PACED',
      per_second: (run.tps * times[part]) / size,
    }))
    process.stdout.write(`\n${sumTable(loop, pace, run)}`)
  }
}

/** @param pacingOf the pacing of a part that is done in batches of that size */
function costsAt(pacingOf: (part: keyof Times, size?: number) => Pacing): Promise<Costs> {
  return inFolder(async (folder) => ({
    ...(await httpCosts(pacingOf('messages'))),
    verify_us: await verifyCost(pacingOf('signatures')),
    ...(await storageCosts(join(folder, 'data'), {
      commits: pacingOf('commits'),
      batches: pacingOf('events', batch),
    })),
  }))
}

/** Runs in a new folder that is removed at the end. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-parts-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})
