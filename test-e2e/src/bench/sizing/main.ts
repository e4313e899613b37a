/**
 * `npm run sizing`: the cost of a payment with more stored payments, more FSPs and more processes.
 * Each part can be measured by itself; results are stored in a file, from which the tables are
 * printed.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readOptions } from '../options.ts'
import { measureFsps } from './fsps.ts'
import { measureReplicas } from './replicas.ts'
import { readResults } from './results.ts'
import { measureStored } from './stored.ts'
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
  --rounds N         measurements of each size of stored and of FSPs, in turn (3)
  --place FOLDER     folder of the filled hubs (a folder in TMPDIR)
  --keep             does not remove them, for a later run
  --results FILE     earlier and new results (test-output/sizing.json)
  --page FILE        puts the tables into the page, between its marks
`

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
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
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const flags = ['--rate', values.rate, '--payments', values.payments, '--warmup', values.warmup]
  const [bench] = readOptions(flags).runs
  if (bench === undefined) throw new Error('there is no run')
  const results = resolve(values.results)
  mkdirSync(join(results, '..'), { recursive: true })
  const rounds = Number(values.rounds)
  const hubsFolder = resolve(values.place)
  const print = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  for (const part of values.parts.split(',')) {
    if (part === 'stored') {
      const sizes = listOf(values.stored)
      const payloads = Number(values.payloads)
      try {
        await measureStored({ bench, sizes, rounds, payloads, hubsFolder, results, print })
      } finally {
        if (!values.keep) rmSync(hubsFolder, { recursive: true, force: true })
      }
    } else if (part === 'fsps') {
      await measureFsps({ bench, sizes: listOf(values.fsps), rounds, results, print })
    } else if (part === 'replicas') {
      await measureReplicas({ bench, sizes: listOf(values.replicas), results, print })
    } else if (part !== 'print') {
      throw new Error(`there is no part ${part}; choose from stored, fsps, replicas, print`)
    }
  }
  const tables = tablesOf(readResults(results))
  process.stdout.write(tables)
  if (values.page !== undefined) {
    writeFileSync(values.page, withTables(readFileSync(values.page, 'utf8'), tables))
  }
}

function listOf(text: string): readonly number[] {
  return text.split(',').map((part) => {
    const n = Number(part)
    if (Number.isSafeInteger(n) && n >= 0) return n
    throw new Error(`${part} is no number of anything`)
  })
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`)
  process.exitCode = 2
})
