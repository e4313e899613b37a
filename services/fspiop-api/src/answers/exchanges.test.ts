import { openLog } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import type { SharedMemory } from '@causeway/runtime'
import { aloneInMemory, nothingShared } from '@causeway/runtime/testing'
import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openExchanges, type Exchange, type Exchanges } from './exchanges.ts'

const remembered_ms = 60_000
const log = openLog({ name: 'exchanges', level: 'silent' })
const one: Exchange = { from: 'greenbank', to: 'bluewallet', subject: 'transactions/1' }
const others: readonly Exchange[] = [
  { ...one, from: 'redcredit' },
  { ...one, to: 'redcredit' },
  { ...one, subject: 'transactions/2' },
  { from: one.to, to: one.from, subject: one.subject },
]

const opened: Exchanges[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop()
})

function open(shared: SharedMemory = aloneInMemory, clock = { now_ms: 0 }) {
  const now_ms = () => clock.now_ms
  const exchanges = openExchanges({ shared, remembered_ms, now_ms, check_ms: 5, log })
  opened.push(exchanges)
  return { exchanges, clock }
}

test('Only the exchange that was noted is found', async () => {
  const { exchanges, clock } = open()
  clock.now_ms = remembered_ms
  exchanges.note(one)
  expect([exchanges.isNoted(one), await exchanges.find(one)]).toEqual([true, 'NOTED'])
  for (const other of others) {
    expect([exchanges.isNoted(other), await exchanges.find(other)]).toEqual([false, 'NOT_NOTED'])
  }
})

test('Until it has run for as long as it remembers, what was not noted is unknown', async () => {
  const { exchanges, clock } = open()
  clock.now_ms = remembered_ms - 1
  expect(await exchanges.find(one)).toBe('UNKNOWN')
  clock.now_ms = remembered_ms
  expect(await exchanges.find(one)).toBe('NOT_NOTED')
})

test('An exchange is found for as long as it is remembered, and not for more than twice as long', () => {
  const steps = fc.array(
    fc.record({ wait_ms: fc.nat({ max: 3 * remembered_ms }), at: fc.nat({ max: 4 }) }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const { exchanges, clock } = open()
      const subjects = [one, ...others]
      const noted_ms = new Map<Exchange, number>()
      for (const { wait_ms, at } of all) {
        clock.now_ms += wait_ms
        for (const subject of subjects) {
          const age_ms = clock.now_ms - (noted_ms.get(subject) ?? -Infinity)
          if (age_ms < remembered_ms) expect(exchanges.isNoted(subject)).toBe(true)
          if (age_ms >= 2 * remembered_ms) expect(exchanges.isNoted(subject)).toBe(false)
        }
        const subject = subjects[at] ?? one
        exchanges.note(subject)
        noted_ms.set(subject, clock.now_ms)
      }
    }),
    { numRuns: 20 },
  )
})

test('Of very many exchanges each is found, and hardly any other', () => {
  const { exchanges } = open()
  const at = (n: number): Exchange => ({ ...one, subject: `transactions/${n}` })
  for (let n = 0; n < 30_000; n++) exchanges.note(at(n))
  let found = 0
  for (let n = 0; n < 60_000; n++) if (exchanges.isNoted(at(n))) found += 1
  expect(found).toBe(30_000)
})

/** What several edges share; while it is lost it answers nothing and takes nothing. */
function openShared() {
  const stored = new Map<string, string>()
  const state = { isAway: false, missed: 0 }
  const shared: SharedMemory = {
    isSole: false,
    shareUse: () => ({ stop: () => undefined }),
    recall(keys) {
      if (state.isAway) state.missed += 1
      return Promise.resolve(
        new Map(
          keys.flatMap((key) => {
            const value = state.isAway ? undefined : stored.get(key)
            return value === undefined ? [] : [[key, value] as const]
          }),
        ),
      )
    },
    remember(entries) {
      if (!state.isAway) for (const [key, value] of entries) stored.set(key, value)
    },
    forget: () => undefined,
  }
  return { stored, state, shared }
}

describe('Several edges', () => {
  /** Two edges whose memory has been there for long. */
  async function twoEdges() {
    const redis = openShared()
    const clock = { now_ms: 0 }
    const [here, there] = [open(redis.shared, clock), open(redis.shared, clock)]
    await eventually(() => redis.stored.size > 0 || undefined, 'the time from which it is there')
    clock.now_ms += 2 * remembered_ms
    return { ...redis, clock, here: here.exchanges, there: there.exchanges }
  }

  test('What one edge has noted is found at the other', async () => {
    const { here, there } = await twoEdges()
    here.note(one)
    expect([there.isNoted(one), await there.find(one)]).toEqual([false, 'NOTED'])
    expect(await there.find({ ...one, to: 'redcredit' })).toBe('NOT_NOTED')
  })

  test('An edge that starts finds what others have noted', async () => {
    const { here, shared, clock } = await twoEdges()
    here.note(one)
    const { exchanges } = open(shared, clock)
    expect(await exchanges.find(one)).toBe('NOTED')
    expect(await exchanges.find({ ...one, to: 'redcredit' })).toBe('NOT_NOTED')
  })

  test('While Redis does not answer, and as long as it remembers after that, what was not noted is unknown', async () => {
    const { here, there, state, clock, stored } = await twoEdges()
    state.isAway = true
    here.note(one)
    expect([await here.find(one), await there.find(one)]).toEqual(['NOTED', 'UNKNOWN'])
    await eventually(() => state.missed > 3 || undefined, 'that both edges have noticed')
    state.isAway = false
    const isNew = () => [...stored.values()].some((value) => value === String(clock.now_ms))
    await eventually(() => isNew() || undefined, 'the time from which it is there again')
    expect(await there.find(one)).toBe('UNKNOWN')
    clock.now_ms += remembered_ms
    expect(await there.find({ ...one, to: 'redcredit' })).toBe('NOT_NOTED')
  })

  test('When Redis has lost its data, what was not noted is unknown', async () => {
    const { here, there, stored } = await twoEdges()
    here.note(one)
    stored.clear()
    expect(await there.find(one)).toBe('UNKNOWN')
  })

  test('Without Redis what another edge may have noted is unknown', async () => {
    const { exchanges, clock } = open(nothingShared)
    clock.now_ms = 10 * remembered_ms
    expect(await exchanges.find(one)).toBe('UNKNOWN')
  })
})
