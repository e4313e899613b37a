import { statement, textArray } from '@causeway/runtime'
import { openTestParts } from '@causeway/runtime/testing'
import { test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { claimedBy } from './contract.ts'
import { openTransferStore } from './store.ts'
import { fulfilment, hashOf, prepareEvent } from './testing/messages.ts'

test('plans', async () => {
  const parts = await openTestParts()
  const db = await parts.openDatabase({ url: '', schema: 'transfers', migrations: new URL('../migrations/', import.meta.url), connections_max: 1 })
  const store = openTransferStore(db, parts.bus)
  const now = new Date()
  await store.ensurePartitions(now)
  const text = readFileSync(new URL('./store.ts', import.meta.url), 'utf8')
  const m = /const moveStatement = statement\(`([^`]*)`/.exec(text)![1]
  const explain = async (what: string) => {
    const rows = await db.query<{ 'QUERY PLAN': string }>(statement('explain (generic_plan) ' + m + ' -- ' + what), [])
    process.stdout.write(what + '\n' + rows.map((r) => r['QUERY PLAN']).join('\n') + '\n')
  }
  await explain('fresh')
  const out: string[] = []
  const all: string[][] = []
  for (let round = 0; round < 400; round++) {
    const events = Array.from({ length: 50 }, () => prepareEvent(randomUUID(), { expiration: new Date(Date.now() + 60000).toISOString() }))
    const t0 = performance.now()
    await store.claim(events.map((event) => ({ transfer: claimedBy(event), receivedAt: now.toISOString(), sweepAt: new Date(Date.now() + 61000), relay: event.relay })), now)
    const t1 = performance.now()
    await store.move(events.map((e) => ({ transfer: { ...claimedBy(e), state: 'RESERVED' as const }, fromReserved: false, windowId: undefined, message: undefined })), now, () => [])
    const t2 = performance.now()
    await store.read(events.map((e) => e.payload.transferId))
    const t3 = performance.now()
    await store.move(events.map((e) => ({ transfer: { ...claimedBy(e), state: 'COMMITTED' as const, fulfilment, completedTimestamp: 'x', outcomeEventId: randomUUID(), outcomeHash: hashOf('a'), payeeVersion: '1.1' }, fromReserved: true, windowId: 1, message: undefined })), now, () => [])
    const t4 = performance.now()
    if (round === 300) await explain('300')
    all.push(events.map((e) => e.payload.transferId))
    if (round % 40 === 0 || round < 12) out.push(`${round}: claim ${(t1 - t0).toFixed(2)} reserve ${(t2 - t1).toFixed(2)} read ${(t3 - t2).toFixed(2)} commit ${(t4 - t3).toFixed(2)}`)
  }
  process.stdout.write(out.join('\n') + '\n')
  const src = readFileSync(new URL('./store.ts', import.meta.url), 'utf8')
  for (const name of ['moveStatement', 'readStatement', 'takeDueStatement']) void src, name
  const stat = await db.query(statement("select n_live_tup, last_autoanalyze, n_tup_hot_upd, n_tup_upd from pg_stat_user_tables where relname = 'transfers'"), [])
  process.stdout.write(JSON.stringify(stat) + '\n')
  process.stdout.write('done\n')
  await db.close(); await parts.stop()
}, 120000)
