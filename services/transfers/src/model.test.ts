/**
 * The histories of the model (docs/model) on the code of this service and the decisions of the ledger: after
 * each step both hold what the model says, also where a process died between two steps.
 */
import { readFileSync } from 'node:fs'
import { Crash, type Gate } from '@causeway/process/testing/gated'
import { expect, test } from '@jest/globals'
import type { FulfilEvent, PrepareEvent, RejectEvent } from './contract.ts'
import { sweep } from './expiry/sweep.ts'
import { fulfilEvent, payer, prepareEvent, rejectEvent } from './testing/messages.ts'
import { openWorld } from './testing/world.ts'

const file = new URL('./testing/model-histories.json', import.meta.url)
const histories = JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly string[])[]

/** Between two moments of the model: the requests expire at the second of them. */
const tick_ms = 60_000
const started_ms = Date.parse('2026-01-01T00:00:00.000Z')
const ids = ['transfer-a', 'transfer-b'] as const

type Incoming = PrepareEvent | FulfilEvent | RejectEvent

const rows: Readonly<Record<string, string>> = {
  RECEIVED: 'Received',
  RESERVED: 'Reserved',
  COMMITTED: 'Committed',
  ABORTED: 'Aborted',
}
const entries: Readonly<Record<string, string>> = {
  RESERVED: 'Held',
  POSTED: 'Posted',
  VOIDED: 'Voided',
  REFUSED: 'Refused',
}
const ends: ReadonlySet<string> = new Set([
  'TransferCommittedFulfiled',
  'TransferRejectRequestProcessed',
  'TransferPrepareRequestTimedout',
  'TransferFulfilComitRequestTimedout',
  'TransferPrepareLiquidityCheckFailed',
])

function eventOf(kind: string, id: string, receivedAt: string): Incoming {
  if (kind === 'Prepare') return prepareEvent(id, { receivedAt })
  return kind === 'Fulfil' ? fulfilEvent(id, { receivedAt }) : rejectEvent(id, { receivedAt })
}

/** Where the process dies that takes a step of the model. */
function gateOf(end: string): Gate {
  let isDead = false
  const place = end === 'AfterClaim' ? /^after claim$/ : /^after Process/
  return (at) => {
    // What ran beside it dies as well.
    if (isDead || (end !== 'Done' && place.test(at))) {
      isDead = true
      throw new Crash(at)
    }
  }
}

/** The service as the model sees it: the cover is that of one transfer. */
function openReplay() {
  const world = openWorld({ covers: new Map([[payer, 125_000n]]) })
  const sent = new Map<string, Incoming>()
  const pending = new Map<Incoming, number>()
  const now_ms = () => Date.parse(world.iso())

  const unlessDead = async (work: Promise<unknown>) => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }

  async function take(action: string): Promise<void> {
    const [name, kind = '', transfer = '', , , end = ''] = action.split(' ')
    const id = ids[Number(transfer) - 1] ?? ''
    if (name === 'tick') world.time(tick_ms)
    else if (name === 'sweep') {
      const clock = () => Promise.resolve(new Date(Math.min(now_ms(), ...pending.values())))
      const deps = world.depsThrough(gateOf(kind))
      await unlessDead(sweep(deps, 'singles', { batch_max: 10, clock }))
    } else if (name === 'send') {
      const event = eventOf(kind, id, world.iso())
      sent.set(`${kind} ${transfer}`, event)
      pending.set(event, now_ms())
    } else {
      const event = sent.get(`${kind} ${transfer}`)
      if (event === undefined) throw new Error(`${action}: it was not sent`)
      await unlessDead(world.handleThrough(gateOf(end), [event]))
      if (end === 'Done') pending.delete(event)
    }
  }

  function held(): string {
    const { tables, ledger } = world
    const each = ids.map((id) => {
      const row = rows[tables.rows.get(id)?.state ?? ''] ?? 'NoRow'
      const entry = entries[ledger.entries.get(id)?.outcome ?? ''] ?? 'NoEntry'
      const announced = tables.published.filter(({ key, type }) => key === id && ends.has(type))
      return `${row} ${entry} ${announced.length}`
    })
    return each.join(', ')
  }

  return { take, held, world }
}

test('There are histories with every kind of end and of death', () => {
  const all = histories.flat().join('\n')
  for (const word of ['Committed Posted 1', 'Aborted Voided 1', 'Aborted Refused 1']) {
    expect(all).toContain(word)
  }
  expect(all).toMatch(/deliver Prepare . at . AfterClaim/)
  expect(all).toMatch(/deliver Fulfil . at . AfterLedger/)
  expect(all).toMatch(/sweep AfterLedger/)
})

test('After each step of each history of the model, rows, entries and announcements are those of the model', async () => {
  for (const history of histories) {
    const { take, held, world } = openReplay()
    expect(now(world.iso())).toBe(0)
    const seen: string[] = []
    for (const step of history) {
      const [action = ''] = step.split(': ')
      await take(action)
      seen.push(`${action}: ${held()}`)
    }
    expect(seen).toEqual(history)
  }
})

function now(iso: string): number {
  return (Date.parse(iso) - started_ms) / tick_ms
}
