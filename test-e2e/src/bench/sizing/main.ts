/**
 * `npm run sizing`: the cost of a payment with more stored payments, more FSPs and more processes.
 * Each part can be measured by itself; results are stored in a file, from which the tables are
 * printed.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureMachine } from '../machine.ts'
import { readOptions, type BenchOptions } from '../options.ts'
import { runOnce } from '../run.ts'
import type { HubData } from '../setup.ts'
import { partNames, readResults, storePoint, type PartName } from './results.ts'
import { filledHubs } from './stored.ts'
import { tablesOf, withTables } from './tables.ts'

const usage = `npm run sizing -- [flags]

Measures what one payment costs on this machine and prints the tables of deploy/SIZING.md. Short runs at
a modest rate; the main figure is CPU time per payment, which other work on the machine affects least.

  --parts P          of stored,fsps,replicas (all three); print: only prints the tables
  --stored LIST      transfers stored before (0,1000000,10000000); each size is a hub of its own, filled
                     once: about 3 KB of disk for each transfer
  --payloads N       the newest of these have their messages and deliveries (200000)
  --fsps LIST        FSPs that pay each other (2,10,100,1000)
  --replicas LIST    processes of each service, on a Kafka broker of its own (1,2,4); needs Java
  --rate R           payments begun per second (60)
  --payments N       measured payments (1800)
  --warmup N         payments before them (1500)
  --rounds N         measurements of each size, in turn (3)
  --place FOLDER     folder of the filled hubs (a folder in TMPDIR)
  --keep             does not remove them, for a later run
  --results FILE     earlier and new results (test-output/sizing.json)
  --page FILE        puts the tables into the page, between its marks
`

const text = { type: 'string' } as const
const flags = {
  help: { type: 'boolean', default: false },
  parts: { ...text, default: 'stored,fsps,replicas' },
  stored: { ...text, default: '0,1000000,10000000' },
  payloads: { ...text, default: '200000' },
  fsps: { ...text, default: '2,10,100,1000' },
  replicas: { ...text, default: '1,2,4' },
  rate: { ...text, default: '60' },
  payments: { ...text, default: '1800' },
  warmup: { ...text, default: '1500' },
  rounds: { ...text, default: '3' },
  place: { ...text, default: join(tmpdir(), 'causeway-sizing') },
  keep: { type: 'boolean', default: false },
  results: { ...text, default: 'test-output/sizing.json' },
  page: text,
} as const

const print = (sentence: string) => void process.stderr.write(`${sentence}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({ options: flags })
  if (values.help) return void process.stdout.write(usage)
  const { rate, payments, warmup } = values
  const run = `--rate ${rate} --payments ${payments} --warmup ${warmup}`
  const [bench] = readOptions(run.split(' ')).runs
  if (bench === undefined) throw new Error('there is no run')
  const results = resolve(values.results)
  const hubsFolder = resolve(values.place)
  mkdirSync(join(results, '..'), { recursive: true })
  const [rounds = 1, payloads = 0] = listOf(`${values.rounds},${values.payloads}`)
  try {
    for (const name of values.parts.split(',').filter((one) => one !== 'print')) {
      const part = partOf(name)
      const sizes = listOf(values[part])
      const hubs =
        part === 'stored'
          ? await filledHubs({ bench, sizes, payloads, hubsFolder, print })
          : undefined
      for (let round = 1; round <= rounds; round += 1) {
        for (const size of sizes) await measure(results, part, size, bench, hubs?.(size))
      }
    }
  } finally {
    if (!values.keep) rmSync(hubsFolder, { recursive: true, force: true })
  }
  const tables = tablesOf(readResults(results))
  process.stdout.write(tables)
  if (values.page !== undefined) {
    writeFileSync(values.page, withTables(readFileSync(values.page, 'utf8'), tables))
  }
}

/** One run, on a hub of its own or on the data of a filled one. */
async function measure(
  results: string,
  part: PartName,
  size: number,
  bench: BenchOptions,
  hubData: HubData | undefined,
): Promise<void> {
  const options = {
    ...bench,
    ...(part === 'fsps' ? { fsps: size } : {}),
    ...(part === 'replicas' ? { apart: size } : {}),
  }
  const report = await runOnce(options, await measureMachine(), hubData)
  storePoint(results, part, { size, report, wasVerified: hubData === undefined })
  const { cpu_ms_per_transaction: cpu, cores_used } = report
  print(`${part} ${size}: ${cpu.total} ms CPU, others ${cores_used.others} cores.`)
}

function partOf(name: string): PartName {
  const found = partNames.find((part) => part === name)
  if (found === undefined) {
    throw new Error(`there is no part ${name}; choose from ${partNames.join(', ')}, print`)
  }
  return found
}

function listOf(numbers: string): readonly number[] {
  return numbers.split(',').map((part) => {
    const n = Number(part)
    if (Number.isSafeInteger(n) && n >= 0) return n
    throw new Error(`${part} is no number of anything`)
  })
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`)
  process.exitCode = 2
})
