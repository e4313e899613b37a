import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventBus, OutgoingMessage, Subscribed } from '@causeway/bus'
import { type Database, type DatabaseOptions, statement } from '@causeway/postgres'
import { migrationFiles } from '@causeway/postgres/testing'
import { openLog } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openEmbedded } from './embedded.ts'
import type { EmbeddedParts } from './embedded-parts.ts'
import { openTestParts, type TestParts } from './testing/test-parts.ts'

const migrations = migrationFiles({ '0001-notes.sql': 'create table notes (text text);' })
const insert = statement('insert into notes values ($1)')
const notes = statement('select text from notes')

function optionsOf(schema: string, url = ''): DatabaseOptions {
  return { url, schema, migrations, connections_max: 2 }
}

function message(id: string): OutgoingMessage {
  return { id, topic: 'notes', key: 'k', type: 'Noted', source: 'one', payload: id, headers: {} }
}

function listen(bus: EventBus, received: string[]): Promise<Subscribed> {
  return bus.subscribe({
    group: 'two',
    topics: ['notes'],
    types: new Set(['Noted']),
    read: (_type, json) => json,
    handleBatch: (messages) => {
      received.push(...messages.map(({ id }) => id))
      return Promise.resolve()
    },
  })
}

async function note(bus: EventBus, db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(insert, [id])
    bus.announce(tx, [message(id)])
  })
}

describe('An embedded process:', () => {
  let dataDir: string
  let parts: EmbeddedParts

  function open(): Promise<EmbeddedParts> {
    const log = openLog({ name: 'test', level: 'silent' })
    return openEmbedded({ dataDir, durability: 'none', log, onExit: () => undefined })
  }

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'causeway-embedded-'))
    chmodSync(dataDir, 0o755)
    parts = await open()
  })

  afterAll(async () => {
    await parts.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('A service may use its own tables and insert into the log, and nothing else', async () => {
    const one = await parts.openDatabase(optionsOf('one'))
    const two = await parts.openDatabase(optionsOf('two'))
    await note(parts.bus, one, 'a')
    expect(await one.query(notes, [])).toEqual([{ text: 'a' }])
    expect(await two.query(notes, [])).toEqual([])
    for (const forbidden of [
      'select * from one.notes',
      'insert into one.notes values (1)',
      'select * from bus.log',
      'delete from bus.log',
      'select * from bus.offsets',
      'create table public.mine (a integer)',
      'create schema three',
    ]) {
      await expect(two.query(statement(forbidden), [])).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('A service whose URL names another database is refused, and one that names the embedded one is accepted', async () => {
    const other = 'postgres://two@localhost:5432/elsewhere'
    await expect(parts.openDatabase(optionsOf('two', other))).rejects.toThrow(
      'The database URL of two names another database: in one process all services share the embedded one.',
    )
    const own = `postgres://two@localhost/causeway?host=${join(dataDir, 'run')}`
    const db = await parts.openDatabase(optionsOf('two', own))
    expect(await db.query(notes, [])).toEqual([])
  })

  test('The gRPC socket is next to that of PostgreSQL, and the process reports that it is ready', async () => {
    expect(existsSync(join(dataDir, 'run', 'grpc.sock'))).toBe(true)
    expect(await parts.health.readiness()).toMatchObject({ ok: true })
    expect(await parts.metrics.metrics()).toContain('process_cpu_seconds_total')
  })

  test('Events that were published before a restart are delivered after it', async () => {
    const received: string[] = []
    await listen(parts.bus, received)
    const one = await parts.openDatabase(optionsOf('one'))
    await note(parts.bus, one, 'b')
    await eventually(() => received.includes('b'), 'the event')
    await parts.stop()
    parts = await open()
    const again = await parts.openDatabase(optionsOf('one'))
    await note(parts.bus, again, 'c')
    const heardAgain: string[] = []
    await listen(parts.bus, heardAgain)
    await eventually(() => heardAgain.includes('c'), 'the event after the restart')
    expect(heardAgain).not.toContain('b')
    expect(await again.query(notes, [])).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
  })
})

describe('Parts for tests:', () => {
  let parts: TestParts

  beforeAll(async () => {
    parts = await openTestParts()
  })

  afterAll(() => parts.stop())

  test('Test parts have a database of their own each', async () => {
    const db = await parts.openDatabase(optionsOf('one'))
    await db.query(insert, ['mine'])
    const others = await openTestParts()
    const theirs = await others.openDatabase(optionsOf('one'))
    expect(await theirs.query(notes, [])).toEqual([])
    await others.stop()
  })

  test('After a crash, committed state is retained and unfinished events are delivered', async () => {
    const db = await parts.openDatabase(optionsOf('one'))
    const never = new Promise<void>(() => undefined)
    await parts.bus.subscribe({
      group: 'two',
      topics: ['notes'],
      types: new Set(['Noted']),
      read: (_type, json) => json,
      handleBatch: () => never,
    })
    await note(parts.bus, db, 'before')
    await new Promise<void>((resolve) => {
      void db.transaction(async (tx) => {
        await tx.query(insert, ['open'])
        resolve()
        await never
      })
    })
    parts = await parts.restart()
    const received: string[] = []
    await listen(parts.bus, received)
    await eventually(() => received.includes('before'), 'the event again')
    const again = await parts.openDatabase(optionsOf('one'))
    expect(await again.query(notes, [])).not.toContainEqual({ text: 'open' })
    await expect(db.query(notes, [])).rejects.toThrow(/pool/)
  })
})
