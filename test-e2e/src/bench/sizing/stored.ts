/** What a payment costs beside payments that are stored already: hubs of every size, measured in turn. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startHub } from '../../hub/hub-process.ts'
import { postmasterOf } from '../database.ts'
import { measureMachine } from '../machine.ts'
import { hubSettings, type BenchOptions } from '../options.ts'
import { runOnce } from '../run.ts'
import { keep, loadNow, pointOf } from './results.ts'
import { seed } from './seed.ts'

export interface StoredOptions {
  readonly bench: BenchOptions
  readonly sizes: readonly number[]
  readonly rounds: number
  /** Payments of each hub that have their messages. */
  readonly payloads: number
  /** Where the hubs lie; a hub that is there is not filled again. */
  readonly place: string
  readonly results: string
  readonly say: (sentence: string) => void
}

/** Enough to copy from. */
const firstPayments = 200

export async function measureStored(options: StoredOptions): Promise<void> {
  const { bench, sizes, rounds, results, say } = options
  for (const size of sizes) await prepare(options, size)
  for (let round = 1; round <= rounds; round += 1) {
    for (const size of sizes) {
      const machine = await measureMachine()
      const load_before = loadNow()
      const report = await runOnce(bench, machine, undefined, {
        dataDir: folderOf(options, size),
        isNew: false,
        verifies: false,
        prefix: nextPrefix(),
      })
      const point = pointOf(size, report, { load_before, verified: false })
      keep(results, 'stored', point, machine)
      const { hub, postgres } = point.cpu_ms
      say(`${size} stored: ${hub} + ${postgres} ms CPU, others ${point.others_cores} cores.`)
    }
  }
}

function folderOf({ place }: StoredOptions, size: number): string {
  return join(place, `stored-${size}`)
}

/** No two runs have an FSP or a phone number in common, whoever made them. */
function nextPrefix(): string {
  const s = Math.floor(Date.now() / 1_000)
  process.env['CAUSEWAY_BENCH_PARTIES_TAKEN'] = String((s % 80_000) * 1_000_000)
  return `r${s.toString(36)}x`
}

/** Makes a hub, has it make some payments, and copies these. */
async function prepare(options: StoredOptions, size: number): Promise<void> {
  const { bench, payloads, say } = options
  const dataDir = folderOf(options, size)
  const isFilled = join(dataDir, 'filled')
  if (existsSync(isFilled)) return
  // Of a filling that was cut short.
  rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(dataDir, { recursive: true })
  const machine = await measureMachine()
  const small = { ...bench, payments: firstPayments, warmup: 100 }
  const ground = { dataDir, isNew: true, verifies: true, prefix: nextPrefix() }
  await runOnce(small, machine, undefined, ground)
  if (size > 0) {
    const settings = { ...hubSettings(bench), DURABILITY: 'none' }
    const hub = await startHub({ dataDir, settings })
    const { socketFolder: host } = postmasterOf(dataDir)
    const client = new pg.Client({ host, user: 'postgres', database: 'causeway' })
    try {
      await client.connect()
      const onProgress = (table: string, done: number) =>
        say(`${size} stored: ${table} has ${done}.`)
      await seed(client, { payments: size, payloads: Math.min(size, payloads), onProgress })
    } finally {
      await client.end()
      await hub.stop()
    }
    // It was filled without waiting for the disk.
    execFileSync('sync')
  }
  writeFileSync(isFilled, '')
}
