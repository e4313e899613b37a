/** The writer under failures: refused batches, lost connections, crashes, redelivery. */
import {
  differencesIn,
  fulfil,
  fulfilItem,
  inFuture,
  onboard,
  openHubAccounts,
  openWorld,
  prepare,
  prepareItem,
  release,
  releaseItem,
  valueOf,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import { decideIn } from '@causeway/ledger'
import type { Command } from '@causeway/ledger/domain'
import {
  decideAll,
  lockRows,
  openBook,
  openJournalMonths,
  openLeaderConnection,
  savingOf,
} from '@causeway/ledger/testing'
import { monthOf, statement } from '@causeway/postgres'
import { isOutage } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

let hub: ParticipantLifecycleWorld

beforeAll(async () => {
  hub = await openWorld({ EXPIRY_GRACE_MS: 0 })
  // The tests meddle with the journal.
  await hub.sql(`alter table journal disable trigger user`)
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank', '1000000', '1000000')
  await onboard(hub, 'bluewallet', '1000000', '1000000')
})

afterAll(() => hub.stop())

beforeEach(async () => {
  await untilAnswered(() => release(hub, releaseItem('until the writer is there')))
  await hub.sql(`delete from entries where kind = 'TRANSFER'`)
  await hub.sql(`delete from journal where step <> 'MOVE'`)
  await hub.sql(`truncate window_net`)
  await hub.sql(`update accounts set debits_posted = 0, debits_pending = 0, credits_posted = 0,
    credits_pending = 0 where type = 'POSITION'`)
})

afterEach(async () => {
  expect(await differencesIn(hub)).toEqual([])
})

/** What a caller of the ledger does: an outage decides nothing. */
function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    try {
      return await call()
    } catch (error) {
      if (isOutage(error)) return undefined
      throw error
    }
  }, 'the ledger answers')
}

const refusedByPostgres = '\u0000'

describe('a batch that the database refuses', () => {
  test('A refused batch is halved down to the one bad item, and all others are done', async () => {
    const items = Array.from({ length: 100 }, () => prepareItem())
    items[37] = prepareItem({ transferId: `t${refusedByPostgres}` })
    const words = wordsOf(await prepare(hub, ...items))
    expect(words[37]).toBe('FAULT')
    expect(words.filter((word) => word === 'RESERVED')).toHaveLength(99)
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('99')
  })

  test('A refused batch keeps the order of its items while it is halved', async () => {
    const item = prepareItem()
    const bad = prepareItem({ payerFsp: `green${refusedByPostgres}` })
    const answers = await Promise.all([
      prepare(hub, prepareItem(), bad, item),
      fulfil(hub, fulfilItem(item.transferId)),
      release(hub, releaseItem(item.transferId)),
    ])
    expect(answers.map(wordsOf)).toEqual([
      ['RESERVED', 'FAULT', 'RESERVED'],
      ['POSTED'],
      ['POSTED'],
    ])
  })

  test('A refused batch does not affect exclusive work in the same queue', async () => {
    const bad = prepareItem({ transferId: refusedByPostgres })
    const limit = { type: 'NET_DEBIT_CAP', value: '999999' }
    const [answers, changed] = await Promise.all([
      prepare(hub, bad),
      hub.participants.UpdateParticipantAccountLimit({ name: 'greenbank', currency: 'USD', limit }),
    ])
    expect(wordsOf(answers)).toEqual(['FAULT'])
    expect(changed.limit?.value).toBe('999999')
  })
})

/** Backends of the writer that wait for locked rows. */
const waiting = statement(`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'participant_lifecycle ledger'
    and wait_event_type = 'Lock'`)

describe('a writer that loses its connection', () => {
  const writers = statement(`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'participant_lifecycle ledger'`)
  const kill = statement(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'participant_lifecycle ledger'`)

  test('A batch cut off by a lost connection leaves nothing, and succeeds when it is repeated', async () => {
    const items = Array.from({ length: 10 }, () => prepareItem())
    const outcome = await hub.database.transaction(async (blocker) => {
      await blocker.query(statement(`select id from accounts for update`), [])
      const call = prepare(hub, ...items).catch((error: unknown) => error)
      await eventually(async () => {
        const [one] = await hub.database.query(waiting, [])
        return one
      }, 'the batch waits for the accounts')
      await hub.database.query(kill, [])
      return call
    })
    expect(isOutage(outcome)).toBe(true)
    const ids = items.map(({ transferId }) => transferId)
    expect((await hub.ledger.GetLedgerEntries({ ids })).entries).toEqual([])
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('0')
    const answers = await untilAnswered(() => prepare(hub, ...items))
    expect(new Set(wordsOf(answers))).toEqual(new Set(['RESERVED']))
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('10')
  })

  test('Repeated connection losses under load lose nothing and do nothing twice', async () => {
    const lanes = Array.from({ length: 10 }, () => Array.from({ length: 30 }, () => prepareItem()))
    let done = 0
    const work = Promise.all(
      lanes.map(async (items) => {
        for (const item of items) {
          await untilAnswered(() => prepare(hub, item))
          await untilAnswered(() => fulfil(hub, fulfilItem(item.transferId)))
          done++
        }
      }),
    )
    for (const share of [0, 50, 100, 150]) {
      await eventually(async () => {
        const pids = await hub.database.query(writers, [])
        return pids.length > 0 && done >= share
      }, 'the writer works')
      await hub.database.query(kill, [])
    }
    await work
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('300')
    expect(await valueOf(hub, 'bluewallet', 'POSITION')).toBe('-300')
  }, 60_000)
})

describe('a full queue', () => {
  const held = statement(`select id from accounts for update`)

  test('A full queue refuses a list at once as an outage, and the repeat succeeds', async () => {
    const small = await openWorld({ queued_max: 200, batch_max: 100 })
    await openHubAccounts(small)
    await onboard(small, 'greenbank', '1000', '1000')
    await onboard(small, 'bluewallet')
    const lists = Array.from({ length: 4 }, () => Array.from({ length: 100 }, () => prepareItem()))
    const [working = [], first = [], second = [], third = []] = lists
    const { taken, refused } = await small.database.transaction(async (blocker) => {
      await blocker.query(held, [])
      const begun = prepare(small, ...working)
      await eventually(async () => {
        const [one] = await small.database.query(waiting, [])
        return one
      }, 'the first batch waits for the accounts')
      const queued = [prepare(small, ...first), prepare(small, ...second)]
      const outcome = await eventually(async () => {
        const answer = await prepare(small, ...third).catch((error: unknown) => error)
        return answer instanceof Error ? answer : undefined
      }, 'a list is refused')
      return { taken: Promise.all([begun, ...queued]), refused: outcome }
    })
    expect(isOutage(refused)).toBe(true)
    expect(String(refused)).toContain('at most 200 may: come again later')
    expect(new Set(wordsOf((await taken).flat()))).toEqual(new Set(['RESERVED']))
    const ids = third.map(({ transferId }) => transferId)
    expect((await small.ledger.GetLedgerEntries({ ids })).entries).toEqual([])
    expect(new Set(wordsOf(await prepare(small, ...third)))).toEqual(new Set(['RESERVED']))
    await small.stop()
  })
})

test('A second writer waits for the lock and takes over when the first one releases it', async () => {
  const open = (signal: AbortSignal) =>
    hub.parts.openExclusive({
      url: '',
      ...schemaOf('participant-lifecycle'),
      connections_max: 1,
      lock: 'a lock of this test',
      signal,
    })
  const first = openLeaderConnection(open, hub.parts.log)
  await first.opened
  const second = openLeaderConnection(open, hub.parts.log)
  await expect(second.transaction(() => Promise.resolve())).rejects.toThrow('waits for its lock')
  expect([first.holdsLock(), second.holdsLock()]).toEqual([true, false])
  await first.close()
  await second.opened
  expect(second.holdsLock()).toBe(true)
  expect(await second.transaction(() => Promise.resolve('done'))).toBe('done')
  await second.close()
})

describe('a crash', () => {
  const months = { of: monthOf }
  const rules = { hubName: 'Hub', states: new Map(), months, expiryGrace_ms: 0 }

  function reserving(id: string): Command {
    return {
      type: 'RESERVE',
      id,
      terms: { payer: 'greenbank', payee: 'bluewallet', amount: 10_000n, currency: 'USD' },
      expiresAt: new Date(inFuture(60_000)),
      settlement: { modelId: 1, settles: 'NET' },
      payerAccountId: null,
      payeeAccountId: null,
      isBulkItem: false,
    }
  }

  test.each(['LOCKED', 'DECIDED', 'SAVED'] as const)(
    'A crash after the rows were %s and before the commit leaves nothing',
    async (point) => {
      const item = prepareItem()
      const commands = [reserving(item.transferId)]
      const crashing = hub.database.transaction(async (tx) => {
        const rows = await lockRows(tx, commands, rules)
        const book = openBook(rows)
        if (point !== 'LOCKED') decideAll(book, commands, rules)
        const saving = savingOf(rows, book.changes(), monthOf(rows.now))
        if (point === 'SAVED' && saving) await tx.query(saving.statement, saving.values)
        throw new Error(`crash: ${point}`)
      })
      await expect(crashing).rejects.toThrow(point)
      expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('0')
      expect(wordsOf(await prepare(hub, item))).toEqual(['RESERVED'])
    },
  )

  test('A crash between commit and answer is resolved by a repeat', async () => {
    const item = prepareItem()
    await hub.database.transaction((tx) => decideIn(tx, [reserving(item.transferId)], rules))
    expect(wordsOf(await prepare(hub, item))).toEqual(['RESERVED'])
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('1')
  })

  test.each([
    ['behind', '2031-05-10', '2031-04-01'],
    ['ahead of', '2021-05-10', '2021-07-01'],
  ])(
    'A database that is years %s the process files under a month that is there',
    async (_, date, month) => {
      const made = openJournalMonths()
      await made.make(hub.database, new Date(date))
      const item = prepareItem()
      const ruled = { ...rules, months: made }
      await hub.database.transaction((tx) => decideIn(tx, [reserving(item.transferId)], ruled))
      expect(
        await hub.sql(`select month::text from journal where entry_id = '${item.transferId}'`),
      ).toEqual([{ month }])
      expect(wordsOf(await fulfil(hub, fulfilItem(item.transferId)))).toEqual(['POSTED'])
    },
  )

  test('A month that begins after the partitions were made has its own lines', async () => {
    const now = new Date()
    const made = openJournalMonths()
    await made.make(hub.database, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)))
    const item = prepareItem()
    const ruled = { ...rules, months: made }
    await hub.database.transaction((tx) => decideIn(tx, [reserving(item.transferId)], ruled))
    expect(
      await hub.sql(`
        select month = date_trunc('month', at at time zone 'UTC')::date as is_own from journal
        where entry_id = '${item.transferId}'`),
    ).toEqual([{ is_own: true }])
  })

  test('A restart between a prepare and its fulfil changes nothing', async () => {
    const [posted, voided] = [prepareItem(), prepareItem()]
    await prepare(hub, posted, voided)
    hub = await hub.restart()
    expect(wordsOf(await prepare(hub, posted))).toEqual(['RESERVED'])
    expect(wordsOf(await fulfil(hub, fulfilItem(posted.transferId)))).toEqual(['POSTED'])
    expect(wordsOf(await release(hub, releaseItem(voided.transferId)))).toEqual(['VOIDED REJECTED'])
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('1')
  })
})

test('Redelivery of any commands in any split gives the same books', async () => {
  const numbers = fc.integer({ min: 0, max: 5 })
  const kinds = fc.constantFrom('PREPARE', 'FULFIL', 'RELEASE')
  const histories = fc.array(fc.tuple(numbers, kinds), { minLength: 1, maxLength: 25 })
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(histories, sizes, sizes, async (history, one, other) => {
      const run = randomUUID()
      const ids = Array.from({ length: 6 }, (_, number) => `${run}-${number}`)
      const expiresAt = inFuture(60_000)
      const deliver = async (split: readonly number[]) => {
        const words: string[] = []
        for (let done = 0, batch = 0; done < history.length; batch++) {
          const items = history.slice(done, done + (split[batch % split.length] ?? 1))
          // Calls that are made in one turn of the event loop are one batch of mixed kinds.
          const calls = items.map(([number, kind]) => {
            const id = ids[number] ?? ''
            if (kind === 'FULFIL') return fulfil(hub, fulfilItem(id))
            if (kind === 'RELEASE') return release(hub, releaseItem(id, { expiresAt }))
            return prepare(hub, prepareItem({ transferId: id, expiresAt, amount: `${number + 1}` }))
          })
          words.push(...(await Promise.all(calls)).flatMap(wordsOf))
          done += items.length
        }
        return words
      }
      await deliver(one)
      await deliver(one)
      const { entries } = await hub.ledger.GetLedgerEntries({ ids })
      const again = await deliver(other)
      expect((await hub.ledger.GetLedgerEntries({ ids })).entries).toEqual(entries)
      expect(again).toHaveLength(history.length)
    }),
    { numRuns: 25 },
  )
}, 60_000)
