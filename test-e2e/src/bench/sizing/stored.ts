/** Hubs with many stored payments: filled once with copies of payments that a hub has made. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../hub/postgres.ts'
import { measureMachine } from '../machine.ts'
import type { BenchOptions } from '../options.ts'
import { runOnce } from '../run.ts'
import type { HubData } from '../setup.ts'
import { seed } from './seed.ts'

export interface StoredOptions {
  readonly bench: BenchOptions
  readonly sizes: readonly number[]
  /** Payments of each hub that have their messages. */
  readonly payloads: number
  /** The folder of the hubs; an existing hub is not filled again. */
  readonly hubsFolder: string
  readonly print: (sentence: string) => void
}

const filledMark = 'filled'
/** Enough to copy from. */
const firstPayments = 200

/** Resolves with the data of the hub of each size, with a prefix of its own for each run. */
export async function filledHubs(options: StoredOptions): Promise<(size: number) => HubData> {
  for (const size of options.sizes) await prepare(options, size)
  return (size) => ({ dataDir: folderOf(options, size), isNew: false, prefix: nextPrefix() })
}

function folderOf({ hubsFolder }: StoredOptions, size: number): string {
  return join(hubsFolder, `stored-${size}`)
}

/** No two runs share an FSP or a phone number, whichever process made them. */
function nextPrefix(): string {
  const s = Math.floor(Date.now() / 1_000)
  process.env['CAUSEWAY_BENCH_PARTIES_TAKEN'] = String((s % 80_000) * 1_000_000)
  return `r${s.toString(36)}x`
}

/** Makes a hub that has made some payments, and from it hubs with copies of these payments. */
async function prepare(options: StoredOptions, size: number): Promise<void> {
  const empty = folderOf(options, 0)
  await once(empty, async () => {
    const { bench } = options
    const small = { ...bench, payments: firstPayments, warmup: 100 }
    const hubData = { dataDir: empty, isNew: true, prefix: nextPrefix() }
    await runOnce(small, await measureMachine(), hubData)
  })
  const dataDir = folderOf(options, size)
  await once(dataDir, async () => {
    // With owners: PostgreSQL runs as a user of its own.
    execFileSync('cp', ['-a', `${empty}/.`, dataDir])
    rmSync(join(dataDir, filledMark))
    await fill(options, dataDir, size)
  })
}

/** A folder is filled once, and from the start again when that was interrupted. */
async function once(folder: string, work: () => Promise<void>): Promise<void> {
  if (existsSync(join(folder, filledMark))) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await work()
  writeFileSync(join(folder, filledMark), '')
}

async function fill(options: StoredOptions, dataDir: string, size: number): Promise<void> {
  const { payloads, print } = options
  const server = await startPostgres(dataDir, 'none')
  const unheed = heedSignals(() => server.stop())
  const client = new pg.Client({
    host: server.socketFolder,
    user: 'postgres',
    database: 'causeway',
  })
  try {
    await client.connect()
    await seed(client, {
      payments: size,
      withPayloads: Math.min(size, payloads),
      onProgress: (done) => print(`${size} stored: ${done} filled.`),
    })
  } finally {
    unheed()
    await client.end()
    await server.stop()
  }
  // It was filled without waiting for the disk.
  execFileSync('sync')
}

/**
 * An interruption runs the clean-up, then ends the process. Returns the function that cancels that.
 */
function heedSignals(clear: () => Promise<unknown>): () => void {
  const end = () => void clear().finally(() => process.exit(130))
  process.once('SIGINT', end).once('SIGTERM', end)
  return () => void process.off('SIGINT', end).off('SIGTERM', end)
}
