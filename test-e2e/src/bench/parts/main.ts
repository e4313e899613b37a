/**
 * `npm run bench:parts [-- REPORT.json]`: what the parts of a payment cost on this machine, each alone
 * in a busy loop; and with a report of `npm run bench`, for each of its runs, their sum beside what the
 * hub took, once with these costs and once with what each costs when it comes as often as it did there.
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
  // Of services that run apart nobody has counted the events.
  for (const run of report.filter(({ apart }) => apart === undefined)) {
    const times = timesOf(run)
    const pace = await costsAt((part, size = 1) => ({
      type: 'PACED',
      per_second: (run.tps * times[part]) / size,
    }))
    process.stdout.write(`\n${sumTable(loop, pace, run)}`)
  }
}

/** @param pacingOf a part that comes in batches of that size */
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

/** In a new folder, of which nothing is left. */
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
