/**
 * The cost of SQL and events on the embedded engine, with the CPU of PostgreSQL and with fsync: a
 * statement that writes a batch, a commit, an event from publish to consumed.
 */
import { randomUUID } from 'node:crypto'
import { byteaArray, statement, textArray } from '@causeway/postgres'
import { openLog } from '@causeway/process'
import { openEmbedded, type ProcessParts } from '@causeway/runtime'
import { familyCpu_ms } from '../cpu.ts'
import { postmasterOf } from '../database.ts'
import { body } from './http.ts'
import { costOf, ownCpu_us, type Pacing, type Work } from './measure.ts'

export interface StorageCosts {
  /** A transaction with one statement that writes one row. */
  readonly commit_us: number
  /** A further statement in it. */
  readonly statement_us: number
  /** A further row in a statement. */
  readonly row_us: number
  /** An event in batches of `batch`. */
  readonly event_us: number
}

const migrations = new URL('../../../src/bench/parts/migrations/', import.meta.url)
const at_once = 2
const settling_ms = 2
export const batch = 10

const write = statement(`
  insert into rows_written (id, body) select * from unnest($1::text[], $2::bytea[])`)

export interface StoragePacings {
  readonly commits: Pacing
  /** Pacing of batches of events. */
  readonly batches: Pacing
}

export async function storageCosts(
  dataDir: string,
  { commits, batches }: StoragePacings,
): Promise<StorageCosts> {
  const log = openLog({ name: 'parts', level: 'silent' })
  const onExit = (reason: string) => process.stderr.write(`${reason}\n`)
  const parts = await openEmbedded({ dataDir, durability: 'fsync', log, onExit })
  const { pid } = postmasterOf(dataDir)
  const cpu_us = () => ownCpu_us() + familyCpu_ms(pid) * 1_000
  try {
    const written = await writer(parts)
    const cost = (statements: number, rows: number) =>
      costOf({ one: () => written(statements, rows), at_once }, cpu_us, commits)
    const one_us = await cost(1, 1)
    // If the machine had other work meanwhile, more may seem to cost less.
    const further_us = (all_us: number) => Math.max(all_us - one_us, 0) / batch
    const statement_us = further_us(await cost(1 + batch, 1))
    const row_us = further_us(await cost(1, 1 + batch))
    return {
      commit_us: Math.max(one_us - statement_us, 0),
      statement_us,
      row_us,
      event_us: (await costOf(await publisher(parts), cpu_us, batches)) / batch,
    }
  } finally {
    await parts.stop()
  }
}

async function writer(parts: ProcessParts) {
  const options = { url: '', schema: 'parts', migrations, connections_max: 4 }
  const database = await parts.openDatabase(options)
  const bytes = Buffer.from(body)
  return (statements: number, rows: number) =>
    database.transaction(async (tx) => {
      for (let n = 0; n < statements; n += 1) {
        const ids = Array.from({ length: rows }, () => randomUUID())
        await tx.query(write, [textArray(ids), byteaArray(ids.map(() => bytes))])
      }
    })
}

/** Publishes batches and waits at the end until all of them have been consumed. */
async function publisher({ bus }: ProcessParts): Promise<Work> {
  let published = 0
  let consumed = 0
  await bus.subscribe({
    group: 'parts',
    topics: ['parts'],
    types: new Set(['Counted']),
    read: (_type, json) => json,
    handleBatch: (messages) => {
      consumed += messages.length
      return Promise.resolve()
    },
  })
  const payload = { text: 'x'.repeat(300) }
  const message = () => {
    const id = randomUUID()
    const event = { topic: 'parts', key: id, type: 'Counted', source: 'parts' }
    return { id, ...event, payload, headers: { 'relay-body': Buffer.from(body) } }
  }
  const one = () => {
    published += batch
    return bus.publish(Array.from({ length: batch }, message))
  }
  const settled = async () => {
    while (consumed < published) await new Promise((resolve) => setTimeout(resolve, settling_ms))
  }
  return { one, at_once, settled }
}
