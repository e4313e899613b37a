/**
 * `npm run bench:parts [-- REPORT.json]`: what the parts of a payment cost on this machine, each alone,
 * and with a report of `npm run bench` their sum beside what the hub took.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureMachine } from '../machine.ts'
import type { Report } from '../report.ts'
import { grpcCost } from './grpc.ts'
import { httpCosts } from './http.ts'
import { signatureCosts } from './signatures.ts'
import { batch, storageCosts } from './storage.ts'
import { partsTable, sumTable, type Costs } from './sum.ts'

async function main(): Promise<void> {
  const [file] = process.argv.slice(2)
  const folder = await mkdtemp(join(tmpdir(), 'causeway-parts-'))
  try {
    const { node_http_us_per_post } = await measureMachine()
    const costs: Costs = {
      post_us: node_http_us_per_post,
      ...(await httpCosts()),
      ...(await signatureCosts()),
      call_us: await grpcCost(folder, batch),
      ...(await storageCosts(join(folder, 'data'))),
    }
    process.stdout.write(partsTable(costs))
    if (file === undefined) return
    const report = [JSON.parse(await readFile(file, 'utf8')) as Report | readonly Report[]].flat()
    // Of services that run apart nobody has counted the events.
    const inOneProcess = report.filter(({ apart }) => apart === undefined)
    for (const each of inOneProcess) process.stdout.write(`\n${sumTable(costs, each)}`)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
})
