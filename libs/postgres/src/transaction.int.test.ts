import { isOutage } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { OutgoingMessage } from './outgoing-message.ts'
import { openTestDatabases, type TestDatabases } from './testing/test-databases.ts'
import { openBreakingProxy, type BreakingProxy } from './testing/breaking-proxy.ts'
import { migrationFiles } from './testing/migration-files.ts'
import type { Database, Outbox, Transaction } from './database.ts'
import { superuser } from './hub-lock.ts'
import { openDatabase } from './open.ts'
import { socketUrl } from './service-databases.ts'
import { statement } from './statement.ts'

const schema = `
  create table accounts (id integer primary key, units numeric(40,0) not null check (units >= 0));
  create table messages (id text primary key);
  create table late (id integer references accounts deferrable initially deferred);
  create sequence counted;`

const add = statement('update accounts set units = units + $2::numeric where id = $1 returning id')
const read = statement('select units from accounts where id = $1')
const addMessage = statement('insert into messages select unnest($1::text[])')
const pid = statement('select pg_backend_pid() as pid')

let databases: TestDatabases
let proxy: BreakingProxy
let db: Database
let outcomes: string[]

/** Writes into a table and records the outcomes, as an engine of the bus does. */
const outbox: Outbox = {
  async write(tx, messages) {
    try {
      await tx.query(addMessage, [`{${messages.map(({ id }) => id).join()}}`])
    } catch (error) {
      outcomes.push('not written')
      throw error
    }
    return {
      committed: () => void outcomes.push('committed'),
      rolledBack: () => void outcomes.push('rolled back'),
      unknown: () => void outcomes.push('unknown'),
    }
  },
}

beforeAll(async () => {
  databases = await openTestDatabases()
  proxy = await openBreakingProxy()
  const database = new URL(databases.databaseUrl).pathname.slice(1)
  db = await openDatabase(
    {
      url: socketUrl(proxy.socketFolder, database, superuser),
      schema: 'money',
      migrations: migrationFiles({ '0001-tables.sql': schema }),
      connections_max: 4,
    },
    { outbox, log: databases.log },
  )
})

afterAll(async () => {
  await db.close()
  await proxy.stop()
  await databases.stop()
})

beforeEach(async () => {
  outcomes = []
  await db.query(statement('truncate accounts, messages, late'), [])
  await db.query(statement('insert into accounts values (1, 100), (2, 100)'), [])
})

function message(id: string): OutgoingMessage {
  return { id, topic: 't', key: '', type: 'Published', source: 'test', payload: {}, headers: {} }
}

async function units(id: number): Promise<string | undefined> {
  return (await db.query<{ units: string }>(read, [id]))[0]?.units
}

async function messages(): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(statement('select id from messages order by id'), [])
  return rows.map(({ id }) => id)
}

function move(tx: Transaction, id: string): Promise<readonly unknown[]> {
  tx.announced.push(message(id))
  return tx.query(add, [1, '5'])
}

describe('Transactions:', () => {
  test('A transaction commits its statements with its announcements and reports the commit once', async () => {
    expect(await db.transaction((tx) => move(tx, 'a'))).toEqual([{ id: 1 }])
    expect([await units(1), await messages(), outcomes]).toEqual(['105', ['a'], ['committed']])
  })

  test('A transaction that only announces commits, too', async () => {
    await db.transaction((tx) => Promise.resolve(tx.announced.push(message('a'))))
    expect([await messages(), outcomes]).toEqual([['a'], ['committed']])
  })

  test('A transaction whose work throws is rolled back without a call of the outbox', async () => {
    const work = async (tx: Transaction) => {
      await move(tx, 'a')
      throw new Error('changed my mind')
    }
    await expect(db.transaction(work)).rejects.toThrow('changed my mind')
    expect([await units(1), await messages(), outcomes]).toEqual(['100', [], []])
  })

  test('A transaction whose outbox is refused is rolled back, and its connection stays usable', async () => {
    await db.transaction((tx) => move(tx, 'a'))
    await expect(db.transaction((tx) => move(tx, 'a'))).rejects.toMatchObject({ code: '23505' })
    expect([await units(1), await messages(), outcomes]).toEqual([
      '105',
      ['a'],
      ['committed', 'not written'],
    ])
  })

  test('A transaction whose COMMIT is refused is rolled back', async () => {
    const work = async (tx: Transaction, id: string) => {
      await tx.query(statement('insert into late values (9)'), [])
      return move(tx, id)
    }
    await expect(db.transaction((tx) => work(tx, 'a'))).rejects.toMatchObject({ code: '23503' })
    expect([await units(1), await messages(), outcomes]).toEqual(['100', [], ['not written']])
  })

  test('A transaction whose work ignores a refused statement fails with that refusal', async () => {
    const work = async (tx: Transaction) => {
      await tx.query(add, [1, '-500']).catch(() => undefined)
    }
    await expect(db.transaction(work)).rejects.toMatchObject({ code: '23514' })
    const announcing = async (tx: Transaction) => {
      tx.announced.push(message('a'))
      await work(tx)
    }
    await expect(db.transaction(announcing)).rejects.toMatchObject({ code: '23514' })
    expect([await units(1), await messages()]).toEqual(['100', []])
  })

  test('A transaction accepts no statement after its end', async () => {
    let kept: Transaction | undefined
    await db.transaction(async (tx) => {
      kept = tx
      await tx.query(read, [1])
    })
    await expect(kept?.query(add, [1, '5'])).rejects.toThrow(/has ended/)
    expect(await units(1)).toBe('100')
  })

  test('Statements that a transaction issues at the same time run one after the other on its connection', async () => {
    const pids = await db.transaction((tx) =>
      Promise.all([1, 2, 3, 4].map(() => tx.query<{ pid: number }>(pid, []))),
    )
    expect(new Set(pids.flat().map((row) => row.pid)).size).toBe(1)
  })

  test('A repeatable-read transaction sees one snapshot, and a read-only one cannot write', async () => {
    const seen = await db.transaction(
      async (tx) => {
        const before = await tx.query(read, [1])
        await db.query(add, [1, '7'])
        return [before, await tx.query(read, [1])]
      },
      { isolation: 'repeatable read', readOnly: true },
    )
    expect(seen).toEqual([[{ units: '100' }], [{ units: '100' }]])
    const writing = db.transaction((tx) => tx.query(add, [1, '7']), { readOnly: true })
    await expect(writing).rejects.toMatchObject({ cause: { code: '25006' } })
  })
})

describe('The last statement of a transaction:', () => {
  const commitName = statement('commit').name

  test('The last statement runs before COMMIT, alone, after others, and before the announcements', async () => {
    await db.transaction((tx) => Promise.resolve(tx.finish(add, [1, '1'])))
    await db.transaction(async (tx) => {
      const [row] = await tx.query<{ units: string }>(read, [1])
      tx.finish(add, [1, String(row?.units)])
    })
    const announcing = db.transaction((tx) => {
      tx.announced.push(message('a'))
      return Promise.resolve(tx.finish(add, [2, '5']))
    })
    await announcing
    expect([await units(1), await units(2), await messages()]).toEqual(['202', '105', ['a']])
    expect(outcomes).toEqual(['committed'])
  })

  test('A last statement that is refused rolls everything back, and the connection stays usable', async () => {
    const work = async (tx: Transaction) => {
      await tx.query(add, [2, '5'])
      tx.finish(add, [1, '-500'])
    }
    await expect(db.transaction(work)).rejects.toMatchObject({ code: '23514' })
    const announcing = async (tx: Transaction) => {
      tx.announced.push(message('a'))
      await work(tx)
    }
    await expect(db.transaction(announcing)).rejects.toMatchObject({ code: '23514' })
    expect([await units(1), await units(2), await messages()]).toEqual(['100', '100', []])
    expect(outcomes).toEqual(['not written'])
  })

  test('A last statement does not hide an earlier refusal that the work has ignored', async () => {
    const work = async (tx: Transaction) => {
      await tx.query(add, [1, '-500']).catch(() => undefined)
      tx.finish(add, [2, '5'])
    }
    await expect(db.transaction(work)).rejects.toMatchObject({ code: '23514' })
    expect(await units(2)).toBe('100')
  })

  test('After the last statement no other is accepted', async () => {
    const work = async (tx: Transaction) => {
      tx.finish(add, [1, '5'])
      await tx.query(add, [2, '5'])
    }
    await expect(db.transaction(work)).rejects.toThrow(/has ended/)
    expect([await units(1), await units(2)]).toEqual(['100', '100'])
  })

  test.each(['lost', 'unanswered'] as const)(
    'A last statement whose COMMIT is %s is an outage',
    async (how) => {
      proxy.breakAt(commitName, how)
      const error: unknown = await db
        .transaction((tx) => Promise.resolve(tx.finish(add, [1, '5'])))
        .catch((each: unknown) => each)
      expect(isOutage(error)).toBe(true)
      const after = how === 'lost' ? '100' : '105'
      await eventually(async () => (await units(1)) === after, 'the end of the transaction')
    },
  )
})

describe('Statements that are sent at the same time:', () => {
  const count = statement(`select nextval('counted')::integer as number`)

  test('Statements sent at the same time share a round trip: if the connection breaks at one, none has run', async () => {
    const before = await db.query<{ number: number }>(count, [])
    proxy.breakAt(read.name, 'lost')
    const work = db.transaction((tx) => Promise.all([tx.query(count, []), tx.query(read, [1])]))
    expect(isOutage(await work.catch((error: unknown) => error))).toBe(true)
    const after = await db.query<{ number: number }>(count, [])
    expect((after[0]?.number ?? 0) - (before[0]?.number ?? 0)).toBe(1)
  })

  test('Statements sent at the same time each return their own rows', async () => {
    const rows = await db.transaction((tx) =>
      Promise.all([tx.query(read, [1]), tx.query(add, [1, '5']), tx.query(read, [1])]),
    )
    expect(rows).toEqual([[{ units: '100' }], [{ id: 1 }], [{ units: '105' }]])
  })

  test('Statements sent at the same time fail together with the first one that is refused', async () => {
    const outcomes = await db
      .transaction(async (tx) => {
        const all = [tx.query(read, [1]), tx.query(add, [1, '-500']), tx.query(add, [2, '5'])]
        const settled = await Promise.allSettled(all)
        expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      })
      .catch((error: unknown) => error)
    expect(outcomes).toMatchObject({ code: '23514' })
    expect(await units(2)).toBe('100')
  })
})

describe('Conflicts:', () => {
  test('A transaction is repeated after a deadlock, with the announcements of the last attempt alone', async () => {
    let attempts = 0
    const both: (() => void)[] = []
    const met = new Promise<void>((resolve) => both.push(resolve))
    const cross = (first: number, second: number) =>
      db.transaction(async (tx) => {
        tx.announced.push(message(`${first}${attempts}`))
        await tx.query(add, [first, '1'])
        attempts += 1
        if (attempts === 2) both[0]?.()
        await met
        await tx.query(add, [second, '1'])
      })
    await Promise.all([cross(1, 2), cross(2, 1)])
    // On a slow machine the second attempt meets a deadlock again.
    expect(attempts).toBeGreaterThan(2)
    expect([await units(1), await units(2)]).toEqual(['102', '102'])
    expect(outcomes).toEqual(['committed', 'committed'])
    expect(await messages()).toHaveLength(2)
  })

  test('A transaction is repeated after a serialization failure', async () => {
    let attempts = 0
    await db.transaction(
      async (tx) => {
        attempts += 1
        await tx.query(read, [1])
        if (attempts === 1) await db.query(add, [1, '7'])
        await tx.query(add, [1, '1'])
      },
      { isolation: 'repeatable read' },
    )
    expect([attempts, await units(1)]).toEqual([2, '108'])
  })

  test('A transaction is repeated a bounded number of times; then it is an outage', async () => {
    let attempts = 0
    const hopeless = db.transaction(
      async (tx) => {
        attempts += 1
        await tx.query(read, [1])
        await db.query(add, [1, '7'])
        await tx.query(add, [1, '1'])
      },
      { isolation: 'repeatable read' },
    )
    const error: unknown = await hopeless.catch((each: unknown) => each)
    expect([attempts, isOutage(error)]).toEqual([10, true])
  })
})

describe('Connections that break:', () => {
  const commitName = statement('commit').name

  test('A connection that breaks before COMMIT rolls everything back', async () => {
    const work = async (tx: Transaction) => {
      const [row] = await tx.query<{ pid: number }>(pid, [])
      await move(tx, 'a')
      await db.query(statement('select pg_terminate_backend($1)'), [row?.pid ?? 0])
      await tx.query(read, [1])
    }
    const error: unknown = await db.transaction(work).catch((each: unknown) => each)
    expect([isOutage(error), await units(1), outcomes]).toEqual([true, '100', []])
  })

  test('If the response to COMMIT is lost, the outcome is unknown, though it was committed', async () => {
    proxy.breakAt(commitName, 'unanswered')
    const error: unknown = await db
      .transaction((tx) => move(tx, 'a'))
      .catch((each: unknown) => each)
    expect([isOutage(error), outcomes]).toEqual([true, ['unknown']])
    await eventually(async () => (await messages()).length === 1, 'the commit')
    expect(await units(1)).toBe('105')
  })

  test('If COMMIT itself is lost, the outcome is unknown, though it was not committed', async () => {
    proxy.breakAt(commitName, 'lost')
    const error: unknown = await db
      .transaction((tx) => move(tx, 'a'))
      .catch((each: unknown) => each)
    expect([isOutage(error), outcomes]).toEqual([true, ['unknown']])
    expect([await units(1), await messages()]).toEqual(['100', []])
  })

  test('If the response to a COMMIT without announcements is lost, that is an outage, too', async () => {
    proxy.breakAt(commitName, 'unanswered')
    const moved = db.transaction((tx) => tx.query(add, [1, '5']))
    expect(isOutage(await moved.catch((each: unknown) => each))).toBe(true)
    await eventually(async () => (await units(1)) === '105', 'the commit')
  })
})

describe('Prepared statements:', () => {
  test('A statement that could not be parsed is parsed again when it can be', async () => {
    const early = statement('select id from later')
    await expect(db.query(early, [])).rejects.toMatchObject({ code: '42P01' })
    await db.query(statement('create table later (id integer)'), [])
    expect(await db.query(early, [])).toEqual([])
  })

  test('A prepared statement that failed at its first run runs again', async () => {
    const divide = statement('select 10 / $1::int as result')
    await expect(db.query(divide, [0])).rejects.toMatchObject({ code: '22012' })
    expect(await db.query(divide, [5])).toEqual([{ result: 2 }])
  })

  test('A prepared statement whose columns have changed fails once on each connection', async () => {
    const all = statement('select * from shape')
    await db.query(statement('create table shape (a integer)'), [])
    await db.transaction(async (tx) => {
      await tx.query(all, [])
      await tx.query(statement('alter table shape add b integer'), [])
      await tx.query(statement('insert into shape values (1, 2)'), [])
      await tx.query(statement('savepoint before'), [])
      await expect(tx.query(all, [])).rejects.toMatchObject({ cause: { code: '0A000' } })
      await tx.query(statement('rollback to before'), [])
      expect(await tx.query(all, [])).toEqual([{ a: 1, b: 2 }])
    })
  })
})
