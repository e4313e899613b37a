import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { asSuperuser } from '@causeway/postgres'
import { openLog } from '@causeway/process'
import { eventually, startChild, type Child } from '@causeway/process/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Client } from 'pg'
import { prepareDataFolder } from './data-folder-owner.ts'
import { findInstallation, nativeFolder } from './installation.ts'
import { startServer, type PostgresServer, type ServerOptions } from './server.ts'

const log = openLog({ name: 'test', level: 'silent' })

let dataDir: string
let exits: string[]
let started: Promise<PostgresServer>[]
let children: Child[]

let madeOnce: string

beforeAll(async () => {
  madeOnce = newFolder()
  started = []
  await start({ dataDir: madeOnce })
  await stopAll()
})

beforeEach(() => {
  dataDir = newFolder()
  // Creating data takes a second, copying it a tenth of that.
  spawnSync('cp', ['-a', join(madeOnce, 'pg'), dataDir])
  exits = []
  started = []
  children = []
})

afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()))
  await stopAll()
  if (children.length > 0) {
    // The postmaster of a killed process is found and stopped by another start.
    await start()
    await stopAll()
  }
  rmSync(dataDir, { recursive: true, force: true })
})

afterAll(() => rmSync(madeOnce, { recursive: true, force: true }))

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-server-'))
  chmodSync(folder, 0o755)
  return folder
}

async function stopAll(): Promise<void> {
  for (const server of await Promise.allSettled(started)) {
    if (server.status === 'fulfilled') await server.value.stop()
  }
  started = []
}

function start(options: Partial<ServerOptions> = {}): Promise<PostgresServer> {
  const server = startServer({
    dataDir,
    durability: 'none',
    log,
    onExit: (reason) => void exits.push(reason),
    ...options,
  })
  started.push(server)
  return server
}

function startElsewhere(): Child {
  const child = startChild(new URL('./testing/server-process.ts', import.meta.url), [dataDir])
  children.push(child)
  return child
}

function ask<T>(server: PostgresServer, work: (client: Client) => Promise<T>): Promise<T> {
  return asSuperuser(server.socketFolder, 'postgres', work)
}

async function settingsOf(server: PostgresServer, ...names: readonly string[]): Promise<unknown> {
  const { rows } = await ask(server, (client) =>
    client.query<{ setting: string }>(
      `select setting from unnest($1::text[]) with ordinality as asked (name, n)
         join pg_settings using (name) order by n`,
      [names],
    ),
  )
  return rows.map(({ setting }) => setting)
}

async function remember(server: PostgresServer, word: string): Promise<void> {
  await ask(server, async (client) => {
    await client.query('create table if not exists words (word text)')
    await client.query('insert into words values ($1)', [word])
  })
}

async function remembered(server: PostgresServer): Promise<readonly string[]> {
  const { rows } = await ask(server, (client) =>
    client.query<{ word: string }>('select word from words order by word'),
  )
  return rows.map(({ word }) => word)
}

function postmasterPid(): number {
  return Number(readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8').split('\n')[0])
}

describe('The embedded PostgreSQL:', () => {
  test('The server retains its data between starts, and listens on a socket and no port', async () => {
    const first = await start()
    await remember(first, 'kept')
    await first.stop()
    const second = await start()
    expect(await remembered(second)).toEqual(['kept'])
    expect(second.socketFolder).toBe(join(dataDir, 'run'))
    expect(await settingsOf(second, 'listen_addresses', 'data_checksums', 'jit')).toEqual([
      '',
      'on',
      'off',
    ])
    const { rows } = await ask(second, (client) =>
      client.query(`select datcollate, pg_encoding_to_char(encoding) as encoding
                      from pg_database where datname = 'postgres'`),
    )
    expect(rows).toEqual([{ datcollate: 'C', encoding: 'UTF8' }])
    expect(exits).toEqual([])
  })

  test('The server is durable unless DURABILITY=none is set', async () => {
    const names = ['fsync', 'full_page_writes', 'synchronous_commit'] as const
    const lasting = await start({ durability: 'fsync' })
    expect(await settingsOf(lasting, ...names)).toEqual(['on', 'on', 'on'])
    await lasting.stop()
    const fleeting = await start({ durability: 'none' })
    expect(await settingsOf(fleeting, ...names)).toEqual(['off', 'off', 'on'])
  })

  test('The server starts with empty data on request', async () => {
    const old = await start()
    await remember(old, 'forgotten')
    await old.stop()
    const fresh = await start({ fresh: true })
    await expect(remembered(fresh)).rejects.toMatchObject({ code: '42P01' })
  })

  test('An unexpected end of the server is reported to its process, and the next start recovers', async () => {
    const server = await start()
    await remember(server, 'kept')
    process.kill(postmasterPid(), 'SIGKILL')
    await eventually(() => exits[0], 'the end of the server')
    expect(exits).toHaveLength(1)
    await server.stop()
    expect(await remembered(await start())).toEqual(['kept'])
  })

  test('The loss of the hub lock is reported to the process', async () => {
    const server = await start()
    await ask(server, (client) =>
      client.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`),
    )
    const reason = await eventually(() => exits[0], 'the loss of the lock')
    expect(reason).toBe('The connection to PostgreSQL that holds the lock of the hub has ended')
  })
})

describe('A DATA_DIR of another process:', () => {
  test('A DATA_DIR in use is refused with the number of its process, and nothing is changed', async () => {
    const holder = startElsewhere()
    expect(await holder.firstLine).toBe('ready')
    const postmaster = postmasterPid()
    const sentence = `Causeway already runs on DATA_DIR ${dataDir} as process ${holder.pid}.`
    const attempts = [start(), start({ fresh: true })]
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toThrow(sentence)))
    expect(postmasterPid()).toBe(postmaster)
  })

  test('The DATA_DIR of a killed process is taken over, without any of its backends', async () => {
    const holder = startElsewhere()
    expect(await holder.firstLine).toBe('ready')
    const old = postmasterPid()
    await asSuperuser(join(dataDir, 'run'), 'postgres', async (client) => {
      await client.query(`create table words (word text); insert into words values ('kept')`)
    })
    await holder.kill()
    const server = await start()
    expect(await remembered(server)).toEqual(['kept'])
    expect(postmasterPid()).not.toBe(old)
    const { rows } = await ask(server, (client) =>
      client.query(`select application_name from pg_stat_activity
                     where backend_type = 'client backend' and pid <> pg_backend_pid()`),
    )
    expect(rows).toEqual([{ application_name: `causeway hub, process ${process.pid}` }])
  })

  test('A DATA_DIR can be used after a start that was killed before it changed the owner of the socket folder', async () => {
    rmSync(join(dataDir, 'run'), { recursive: true, force: true })
    mkdirSync(join(dataDir, 'run'), { mode: 0o700 })
    const server = await start()
    await remember(server, 'kept')
    expect(await remembered(server)).toContain('kept')
  })

  test('Exactly one of two processes that start at the same time gets the DATA_DIR', async () => {
    rmSync(join(dataDir, 'pg'), { recursive: true })
    const lines = await Promise.all([startElsewhere().firstLine, startElsewhere().firstLine])
    expect(lines.filter((line) => line === 'ready')).toHaveLength(1)
    const winner = children[lines.indexOf('ready')]
    expect(lines).toContain(
      `refused: Causeway already runs on DATA_DIR ${dataDir} as process ${winner?.pid}.`,
    )
  })
})

describe('Remains in DATA_DIR:', () => {
  test('A pid file whose number another process has now does not prevent a start', async () => {
    const server = await start()
    await remember(server, 'kept')
    const note = readFileSync(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')
    await server.stop()
    const reused = note.replace(/^\d+/, String(process.pid))
    writeFileSync(join(dataDir, 'pg', 'postmaster.pid'), reused)
    expect(await remembered(await start())).toEqual(['kept'])
  })

  test('A first start that was interrupted is repeated', async () => {
    rmSync(join(dataDir, 'pg'), { recursive: true })
    mkdirSync(join(dataDir, 'pg.init-999999999', 'base'), { recursive: true })
    await start()
    const remains = readdirSync(dataDir).filter((name) => name.startsWith('pg'))
    expect(remains).toEqual(['pg'])
  })

  test('Data of another version of PostgreSQL is refused and not changed', async () => {
    writeFileSync(join(dataDir, 'pg', 'PG_VERSION'), '15\n')
    await expect(start()).rejects.toThrow(
      `The data in ${join(dataDir, 'pg')} was made by PostgreSQL 15, and this is PostgreSQL 18.`,
    )
  })
})

describe('Paths of DATA_DIR:', () => {
  test('A DATA_DIR with a long path has its socket under a short one, which is removed afterwards', async () => {
    const long = join(dataDir, 'd'.repeat(90), "it's, é", 'data')
    const server = await start({ dataDir: long })
    expect(server.socketFolder).toMatch(/causeway-[0-9a-f]{8}$/)
    await remember(server, 'kept')
    await server.stop()
    expect(existsSync(server.socketFolder)).toBe(false)
    const again = await start({ dataDir: long })
    expect(await remembered(again)).toEqual(['kept'])
  })

  test('A DATA_DIR whose path needs quoting works', async () => {
    const server = await start({ dataDir: join(dataDir, `a "b", 'c' é`) })
    await remember(server, 'kept')
    expect(await remembered(server)).toEqual(['kept'])
  })

  test('A PostgreSQL whose own path needs quoting is run from a copy', () => {
    const native = join(dataDir, `a "b" $c`)
    spawnSync('cp', ['-a', nativeFolder(), native])
    const copied = findInstallation(prepareDataFolder(dataDir), native)
    expect(dirname(dirname(copied.initdb))).toMatch(/^[^"$]+causeway-postgresql-[0-9a-f]{8}$/)
  })

  test('A DATA_DIR below a folder without access for others works, even if PostgreSQL runs as another user', async () => {
    const closed = join(dataDir, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const first = await start({ dataDir: join(closed, 'data') })
    await remember(first, 'kept')
    await first.stop()
    const second = await start({ dataDir: join(closed, 'data') })
    expect(await remembered(second)).toEqual(['kept'])
  })

  test('A DATA_DIR that is a file is refused', async () => {
    writeFileSync(join(dataDir, 'file'), '')
    const file = join(dataDir, 'file')
    await expect(start({ dataDir: file })).rejects.toThrow(`DATA_DIR ${file} is not a folder.`)
    await expect(start({ dataDir: join(file, 'deeper') })).rejects.toThrow(/is not a folder\.$/)
  })
})
