/**
 * What SQL and events cost on the embedded engine, PostgreSQL with fsync counted: a statement that
 * writes a batch, a commit, an event from publish to consumed.
 */
import {
  byteaArray,
  openEmbedded,
  openLog,
  statement,
  textArray,
  type ProcessParts,
} from '@causeway/runtime'
import { randomUUID } from 'node:crypto'
import { familyCpu_ms } from '../cpu.ts'
import { postmasterOf } from '../database.ts'
import { body } from './http.ts'
import { costOf, ownCpu_us, repeated } from './measure.ts'

export interface StorageCosts {
  /** Of a transaction with one statement that writes one row. */
  readonly commit_us: number
  /** Of a further statement in it. */
  readonly statement_us: number
  /** Of a further row in a statement. */
  readonly row_us: number
  /** Of an event in batches of `batch`. */
  readonly event_us: number
}

const migrations = new URL('../../../src/bench/parts/migrations/', import.meta.url)
const atOnce = 2
export const batch = 10

const write = statement(`
  insert into rows_written (id, body) select * from unnest($1::text[], $2::bytea[])`)

export async function storageCosts(dataDir: string): Promise<StorageCosts> {
  const log = openLog({ name: 'parts', level: 'silent' })
  const onExit = (reason: string) => process.stderr.write(`${reason}\n`)
  const parts = await openEmbedded({ dataDir, durability: 'fsync', log, onExit })
  const { pid } = postmasterOf(dataDir)
  const cpu_us = () => ownCpu_us() + familyCpu_ms(pid) * 1_000
  try {
    const written = await writer(parts)
    const cost = (statements: number, rows: number) =>
      costOf((until_ms) => repeated(() => written(statements, rows), atOnce, until_ms), cpu_us)
    const one_us = await cost(1, 1)
    const statement_us = ((await cost(1 + batch, 1)) - one_us) / batch
    const row_us = ((await cost(1, 1 + batch)) - one_us) / batch
    return {
      commit_us: one_us - statement_us,
      statement_us,
      row_us,
      event_us: await costOf(await publisher(parts), cpu_us),
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

/** Publishes batches and counts what has been consumed of them. */
async function publisher({ bus }: ProcessParts) {
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
  const publish = () => bus.publish(Array.from({ length: batch }, message))
  return async (until_ms: number) => {
    const before = consumed
    const published = (await repeated(publish, atOnce, until_ms)) * batch
    while (consumed < before + published) await new Promise((resolve) => setImmediate(resolve))
    return published
  }
}
