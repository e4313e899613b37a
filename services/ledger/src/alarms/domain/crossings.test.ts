import { describe, expect, test } from '@jest/globals'
import type { LockedRows } from '../../domain/book.ts'
import type { Command } from '../../domain/command.ts'
import {
  depositing,
  greenbank,
  play,
  positionOf,
  posting,
  rejecting,
  reserving,
  rows,
  settlementOf,
  withAccounts,
  withdrawing,
} from '../../testing/scene.ts'
import { quiet, type AlarmRules, type Alarms } from './alarm.ts'
import { crossingsOf, type WatchedRows } from './crossings.ts'

const rules: AlarmRules = { interval_ms: 1_000, notified_max: 3, reset_ms: 100_000 }
const position = positionOf(greenbank)
/** A cap of 600 and a deposit of 1000: 540 are 90 percent of the cap. */
const watched = { accountId: position.id, alarmPercentage: 100_000n, alarms: quiet }
const active: Alarms = {
  threshold: { firstAt: rows.now, lastNotifiedAt: rows.now, notified: 1, limit: 600n },
  limit: null,
}

function watching(from: LockedRows, alarms: Alarms = quiet): WatchedRows {
  return { ...from, watched: [{ ...watched, alarms }] }
}

/** The alarms that a batch of these commands raises. */
function crossings(from: WatchedRows, ...commands: readonly Command[]) {
  const { book } = play(from, ...commands)
  const decided = { rows: from, book, changes: book.changes() }
  return crossingsOf(decided, rules).map(({ account, notified, reading, alarms }) => ({
    account: account.id,
    notified,
    position: reading.position,
    limit: reading.limit,
    stands: alarms.threshold !== null,
  }))
}

test('A reservation that leaves more than the percentage raises no alarm', () => {
  expect(crossings(watching(rows), reserving(539n))).toEqual([])
})

test('A reservation that reaches the percentage is notified with the position after the batch', () => {
  expect(crossings(watching(rows), reserving(540n))).toEqual([
    { account: position.id, notified: ['THRESHOLD'], position: 540n, limit: 600n, stands: true },
  ])
})

test('A reservation that is voided in the same batch raises no alarm', () => {
  expect(crossings(watching(rows), reserving(540n), rejecting)).toEqual([])
})

test('The cover is the limit where it is lower than the cap', () => {
  const poor = withAccounts(settlementOf(greenbank, { creditsPosted: 100n }))
  expect(crossings(watching(poor), reserving(90n))).toMatchObject([{ position: 90n, limit: 100n }])
})

test('A refusal for lack of liquidity is notified, other refusals are not', () => {
  const another = { id: 'another' }
  expect(crossings(watching(rows), reserving(601n))).toMatchObject([{ notified: ['LIMIT'] }])
  expect(crossings(watching(rows), reserving(601n), reserving(602n, another))).toHaveLength(1)
  expect(crossings(watching(rows), reserving(1n, { settlement: null }))).toEqual([])
})

test('Refused funds out do not count as a refused transfer', () => {
  expect(crossings(watching(rows), { ...withdrawing, amount: 1_001n })).toEqual([])
})

test('A received payment that restores the position ends its alarm', () => {
  const near = withAccounts(positionOf(greenbank, { debitsPosted: 560n }))
  const paid = play(
    near,
    reserving(100n, {
      terms: { payer: 'bluewallet', payee: 'greenbank', amount: 100n, currency: 'USD' },
    }),
  )
  expect(crossings(watching(paid.rows, active), posting)).toEqual([
    { account: position.id, notified: [], position: 460n, limit: 600n, stands: false },
  ])
})

describe('funds in', () => {
  const poor = withAccounts(
    settlementOf(greenbank, { creditsPosted: 100n }),
    positionOf(greenbank, { debitsPosted: 95n }),
  )

  test('Funds in raise the limit and end the alarm although the position is unchanged', () => {
    expect(crossings(watching(poor, active), depositing)).toMatchObject([
      { notified: [], position: 95n, limit: 150n, stands: false },
    ])
  })
})

test('Accounts without a limit are not watched', () => {
  expect(crossings({ ...rows, watched: [] }, reserving(600n))).toEqual([])
})
