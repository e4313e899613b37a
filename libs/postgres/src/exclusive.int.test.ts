import { fileURLToPath } from 'node:url'
import { ProcessStopping, openLog, isOutage } from '@causeway/process'
import { startChild, eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { openTestDatabases, type TestDatabases } from './testing/test-databases.ts'
import { migrationFiles } from './testing/migration-files.ts'
import { openExclusive, type ExclusiveDatabase } from './exclusive.ts'
import { openPool } from './open.ts'
import { socketUrl } from './service-databases.ts'
import { openBreakingProxy, type BreakingProxy } from './testing/breaking-proxy.ts'
import { statement } from './statement.ts'

const migrations = migrationFiles({ '0001-lines.sql': 'create table lines (text text);' })
const pid = statement('select pg_backend_pid() as pid')
const insert = statement('insert into lines values ($1)')
const lines = statement('select text from lines')
const shownLast = statement('select state_change as at from pg_stat_activity where pid = $1')
const later = statement(`insert into migrations values ('0002-later.sql', '')`)
const terminate = statement('select pg_terminate_backend($1)')

let databases: TestDatabases

beforeEach(async () => {
  databases = await openTestDatabases()
})

afterEach(() => databases.stop())

function open(lock = 'writer', signal?: AbortSignal): Promise<ExclusiveDatabase> {
  const options = { url: '', schema: 'ledger', migrations, connections_max: 1, lock }
  return databases.openExclusive({ ...options, signal })
}

async function pidOf(db: ExclusiveDatabase): Promise<number> {
  return (await db.query<{ pid: number }>(pid, []))[0]?.pid ?? 0
}

async function kill(backend: number): Promise<void> {
  const other = await open('killer')
  await other.query(terminate, [backend])
  await other.close()
}

test('The next process in line takes over when the backend of the holder ends, and its transaction is lost', async () => {
  const first = await open()
  const second = open()
  const backend = await pidOf(first)
  const work = first.transaction(async (tx) => {
    await tx.query(insert, ['half'])
    await kill(backend)
    await tx.query(insert, ['rest'])
  })
  expect(isOutage(await work.catch((error: unknown) => error))).toBe(true)
  await first.lost
  const successor = await second
  expect(await successor.query(lines, [])).toEqual([])
  expect(await pidOf(successor)).not.toBe(backend)
  expect(isOutage(await first.query(lines, []).catch((error: unknown) => error))).toBe(true)
})

test.each([
  ['waits for rows of another transaction', "insert into lines values ('late')"],
  ['works on a long statement', 'select pg_sleep(30)'],
])('The next process in line takes over soon when a holder that %s is killed', async (_, text) => {
  const outside = await databases.openDatabase({
    url: '',
    schema: 'ledger',
    migrations,
    connections_max: 1,
  })
  const taken_ms = await outside.transaction(async (tx) => {
    await tx.query(statement('lock table lines in access exclusive mode'), [])
    const program = new URL('./testing/lock-holder.ts', import.meta.url)
    const url = databases.databaseUrl
    const holder = startChild(program, [url, 'ledger', 'writer', fileURLToPath(migrations), text])
    expect(await holder.firstLine).toBe('works')
    const second = open()
    await holder.kill()
    const killed_ms = performance.now()
    await second
    return performance.now() - killed_ms
  })
  expect(taken_ms).toBeLessThan(2_000)
})

test.each([
  ['at rest', ['select 1']],
  ['within a transaction', ['begin', "insert into lines values ('half')"]],
])('The next process in line takes over from a process that is frozen %s', async (_, texts) => {
  // Creates the schema and the role that the other process connects as.
  await (await open()).close()
  const program = new URL('./testing/lock-holder.ts', import.meta.url)
  const url = new URL(databases.databaseUrl)
  url.username = 'ledger'
  const holder = startChild(program, [
    url.href,
    'ledger',
    'writer',
    fileURLToPath(migrations),
    ...texts,
  ])
  expect(await holder.firstLine).toBe('works')
  const second = open()
  process.kill(holder.pid, 'SIGSTOP')
  expect(await (await second).query(lines, [])).toEqual([])
  await holder.kill()
})

describe('A server that stops responding:', () => {
  const silent = openLog({ name: 'test', level: 'silent' })
  const outbox = { write: () => Promise.reject(new Error('nothing is announced')) }
  const held = statement('select pg_sleep(0)')
  let proxy: BreakingProxy

  beforeEach(async () => {
    proxy = await openBreakingProxy()
    // Creates the schema and the role that the holder connects as, through the proxy.
    await (await open()).close()
  })

  afterEach(() => proxy.stop())

  function throughProxy() {
    const database = new URL(databases.databaseUrl).pathname.slice(1)
    const url = socketUrl(proxy.socketFolder, database, 'ledger')
    return { url, schema: 'ledger', migrations, connections_max: 1 }
  }

  async function freezeAtRest(): Promise<boolean> {
    proxy.freeze()
    return Promise.resolve(true)
  }

  async function freezeInTransaction(holder: ExclusiveDatabase): Promise<boolean> {
    const work = holder.transaction(async (tx) => {
      await tx.query(insert, ['half'])
      proxy.freeze()
      await tx.query(insert, ['rest'])
    })
    return isOutage(await work.catch((error: unknown) => error))
  }

  test.each([
    ['at rest', freezeAtRest],
    ['within a transaction', freezeInTransaction],
  ])(
    'If the connection of a holder %s freezes, the next process gets the lock and the holder notices the loss',
    async (_, freeze) => {
      const options = { ...throughProxy(), lock: 'writer' }
      const holder = await openExclusive(options, { outbox, log: silent })
      const frozen = freeze(holder)
      const successor = await open()
      expect(await successor.query(lines, [])).toEqual([])
      await holder.lost
      expect(await frozen).toBe(true)
      expect(isOutage(await holder.query(held, []).catch((error: unknown) => error))).toBe(true)
    },
    15_000,
  )

  test('A statement of a pool on a frozen connection fails as an outage', async () => {
    const pool = openPool({ ...throughProxy(), applicationName: 'pool', outbox, log: silent })
    await pool.query(held, [])
    proxy.freeze()
    expect(isOutage(await pool.query(held, []).catch((error: unknown) => error))).toBe(true)
    await pool.close()
  }, 15_000)

  test('A long statement is not mistaken for a server that does not respond', async () => {
    const holder = await open()
    const pool = await databases.openDatabase({ ...throughProxy(), url: '' })
    const long = statement("select 'done' as text from pg_sleep(4)")
    const done = [{ text: 'done' }]
    expect(await Promise.all([holder.query(long, []), pool.query(long, [])])).toEqual([done, done])
  }, 15_000)
})

test('An idle holder retains its lock while others wait for it', async () => {
  const first = await open()
  const backend = await pidOf(first)
  const stopping = new AbortController()
  const waiting = open('writer', stopping.signal)
  const looking = await open('looker')
  const shown = async () => {
    const [row] = await looking.query<{ at: Date }>(shownLast, [backend])
    return row?.at.getTime() ?? 0
  }
  const begun = await shown()
  await eventually(async () => (await shown()) > begun + 3_000, 'signs of life')
  expect(await pidOf(first)).toBe(backend)
  stopping.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('An idle holder notices that its lock is lost', async () => {
  const first = await open()
  await kill(await pidOf(first))
  await first.lost
  const again = await open()
  expect(await again.query(lines, [])).toEqual([])
})

test('A holder that lost its connection takes the lock again after a newer release has migrated', async () => {
  const first = await open()
  await first.query(later, [])
  await kill(await pidOf(first))
  await first.lost
  const again = await open()
  expect(await again.query(lines, [])).toEqual([])
})

test('A schema that was restored to an older state meanwhile is migrated again', async () => {
  const first = await open()
  await first.query(statement('drop table lines'), [])
  await first.query(statement('delete from migrations'), [])
  await first.close()
  expect(await (await open()).query(lines, [])).toEqual([])
})

test('A holder that closes releases the lock after its work in flight', async () => {
  const first = await open()
  const work = first.transaction((tx) => tx.query(insert, ['done']))
  await first.close()
  await work
  expect(await (await open()).query(lines, [])).toEqual([{ text: 'done' }])
})

test('Locks of other names do not wait for each other', async () => {
  await open('one')
  expect(await pidOf(await open('two'))).toBeGreaterThan(0)
})

test('Waiting for the lock can be aborted, and ends when the process stops', async () => {
  await open()
  const stopping = new AbortController()
  const waiting = open('writer', stopping.signal)
  stopping.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')

  const crashed = databases
  const waitingStill = open()
  const outcome = waitingStill.catch((error: unknown) => error)
  databases = await crashed.restart()
  expect(isOutage(await outcome)).toBe(true)
})

test('A stopped process opens nothing any more, and reports why', async () => {
  const crashed = databases
  databases = await crashed.restart()
  const options = { url: '', schema: 'ledger', migrations, connections_max: 1 }
  await expect(crashed.openDatabase(options)).rejects.toThrow(ProcessStopping)
  const failure = crashed.openExclusive({ ...options, lock: 'writer' })
  const error = await failure.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ProcessStopping)
  expect(isOutage(error)).toBe(true)
})

test('Work is done one piece after the other, never interleaved', async () => {
  const db = await open()
  let inside = 0
  const work = (text: string) =>
    db.transaction(async (tx) => {
      inside += 1
      expect(inside).toBe(1)
      await tx.query(insert, [text])
      await tx.query(lines, [])
      inside -= 1
    })
  await Promise.all([work('a'), db.query(insert, ['b']), work('c'), work('d')])
  expect(await db.query(lines, [])).toHaveLength(4)
})

test('A failure that is no outage affects only its own work', async () => {
  const db = await open()
  const backend = await pidOf(db)
  await expect(db.query(statement('select 1 / 0'), [])).rejects.toMatchObject({ code: '22012' })
  const refused = db.transaction((tx) =>
    tx.query(statement('insert into lines values (1 / 0)'), []),
  )
  await expect(refused).rejects.toMatchObject({ code: '22012' })
  await eventually(async () => (await pidOf(db)) === backend, 'the same connection')
})
