/** How reservations end, and that they end once. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Account, valueOf } from './account.ts'
import type { LockedRows } from './book.ts'
import type { Command } from './command.ts'
import {
  at,
  bluewallet,
  depositing,
  entryIn,
  greenbank,
  later,
  now,
  play,
  positionOf,
  posting,
  rejecting,
  reserving,
  rows,
  settlementOf,
  timingOut,
  withAccounts,
} from '../testing/scene.ts'

const reserved = play(rows, reserving(100n)).rows
const expiresAt = later(10_000)

function outcomeOf(from: LockedRows, command: Command): string {
  const [answer] = play(from, command).answers
  return answer?.type === 'ENTRY' ? answer.entry.outcome : (answer?.type ?? '')
}

function valueIn(from: LockedRows, { id }: Account): bigint | undefined {
  const account = from.accounts.find((one) => one.id === id)
  return account && valueOf(account)
}

describe('a post', () => {
  test('A post makes the reservation final on both sides and stamps it with the current window', () => {
    const { answers, book } = play(reserved, posting)
    expect(answers[0]).toMatchObject({
      entry: { outcome: 'POSTED', windowId: 7, evidence: posting.evidence, completedAt: now },
      payer: { value: 100n },
      payee: { value: -100n },
    })
    expect(book.changes()).toMatchObject({
      completed: [{ id: 'a-transfer' }],
      gains: [
        { modelId: 5, accountId: positionOf(greenbank).id, net: 100n, count: 1 },
        { modelId: 5, accountId: positionOf(bluewallet).id, net: -100n, count: 1 },
      ],
    })
  })

  test('A post is decided by the time of receipt, not of processing', () => {
    const late = at(later(60_000), reserved)
    expect(outcomeOf(late, { ...posting, receivedAt: later(9_999) })).toBe('POSTED')
  })

  test('A post decided before the expiration succeeds, regardless of its time of receipt', () => {
    const offsets = fc.integer({ min: -86_400_000, max: 86_400_000 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_999 }), offsets, (passed_ms, offset_ms) => {
        const receivedAt = later(passed_ms + offset_ms)
        const from = at(later(passed_ms), reserved)
        expect(outcomeOf(from, { ...posting, receivedAt })).toBe('POSTED')
      }),
    )
  })

  test('A post received at the expiration or later voids the reservation with TIMEOUT', () => {
    const { answers } = play(at(expiresAt, reserved), { ...posting, receivedAt: expiresAt })
    expect(entryIn(answers[0])).toMatchObject({ outcome: 'VOIDED', reason: 'TIMEOUT' })
  })

  test('A post ignores flags, limits and cover', () => {
    const closed: LockedRows = {
      ...reserved,
      parties: [],
      accounts: reserved.accounts.map((account) => ({
        ...account,
        isActive: false,
        cap: 0n,
        excluded: 10_000n,
      })),
    }
    expect(outcomeOf(closed, posting)).toBe('POSTED')
  })

  test('A post of an unknown id stores nothing', () => {
    const { answers, book } = play(rows, posting)
    expect(answers[0]).toEqual({ type: 'UNKNOWN' })
    expect(book.changes().entered).toEqual([])
  })

  test('A post of a refused transfer returns the refusal', () => {
    expect(outcomeOf(play(rows, reserving(601n)).rows, posting)).toBe('REFUSED')
  })

  test('A repeated post keeps the evidence of the first one', () => {
    const { answers } = play(reserved, posting, { ...posting, evidence: Buffer.from('other') })
    expect(entryIn(answers[1]).evidence).toEqual(posting.evidence)
  })

  test('A post settled gross at once reverses the positions and moves the settlement accounts', () => {
    const gross = reserving(100n, { settlement: { modelId: 6, settles: 'GROSS_IMMEDIATE' } })
    const { rows: after, answers, book } = play(play(rows, gross).rows, posting)
    expect(entryIn(answers[0])).toMatchObject({ outcome: 'POSTED', windowId: null })
    expect(valueIn(after, positionOf(greenbank))).toBe(0n)
    expect(valueIn(after, positionOf(bluewallet))).toBe(0n)
    expect(valueIn(after, settlementOf(greenbank))).toBe(-900n)
    expect(valueIn(after, settlementOf(bluewallet))).toBe(-1_100n)
    expect(book.changes().journal.map(({ step }) => step)).toEqual([
      'POST',
      'GROSS_PAYER',
      'GROSS_PAYEE',
    ])
    expect(book.changes().gains).toEqual([])
  })

  test('Two posts between the same accounts are summed in the window', () => {
    const { book } = play(rows, reserving(100n), reserving(20n, { id: 'another' }), posting, {
      ...posting,
      id: 'another',
    })
    expect(book.changes().gains).toMatchObject([
      { net: 120n, count: 2 },
      { net: -120n, count: 2 },
    ])
  })
})

describe('a void', () => {
  test('A void releases the reservation and stores its reason and evidence', () => {
    const { rows: after, answers } = play(reserved, rejecting)
    expect(entryIn(answers[0])).toMatchObject({
      outcome: 'VOIDED',
      reason: 'REJECTED',
      evidence: rejecting.evidence,
    })
    expect(after.accounts.map(valueOf)).toEqual(rows.accounts.map(valueOf))
  })

  test('A void of an unknown id leaves a tombstone', () => {
    const { answers, book } = play(rows, rejecting)
    expect(answers[0]).toMatchObject({
      entry: { outcome: 'VOIDED', terms: null, accounts: null, expiresAt },
      payer: null,
    })
    expect(book.changes().journal).toEqual([])
  })

  test('A timeout is too early until expiration and grace have passed, and returns the remaining time', () => {
    const end = later(11_000)
    expect(play(reserved, timingOut).answers).toEqual([{ type: 'TOO_EARLY', retry_ms: 11_000 }])
    const before = at(new Date(end.getTime() - 1), reserved)
    expect(play(before, timingOut).answers).toEqual([{ type: 'TOO_EARLY', retry_ms: 1 }])
    expect(outcomeOf(at(end, reserved), timingOut)).toBe('VOIDED')
  })

  test('A timeout of an unknown id waits just as long', () => {
    expect(outcomeOf(at(later(10_999), rows), timingOut)).toBe('TOO_EARLY')
    expect(outcomeOf(at(later(11_000), rows), timingOut)).toBe('VOIDED')
  })

  test('A timeout uses the reserved expiration, not the one that it names', () => {
    const hasty = { ...timingOut, expiresAt: later(-60_000) }
    expect(outcomeOf(reserved, hasty)).toBe('TOO_EARLY')
  })

  test('A void of a posted transfer returns the post, and a post of a voided transfer the void', () => {
    expect(outcomeOf(play(reserved, posting).rows, rejecting)).toBe('POSTED')
    expect(outcomeOf(play(reserved, rejecting).rows, posting)).toBe('VOIDED')
    expect(outcomeOf(at(later(60_000), play(reserved, posting).rows), timingOut)).toBe('POSTED')
  })
})

describe('funds in', () => {
  test('Funds in debit the reconciliation account and credit the settlement account at once', () => {
    const { rows: after, answers } = play(rows, depositing)
    expect(entryIn(answers[0])).toMatchObject({
      kind: 'FUNDS_IN',
      outcome: 'POSTED',
      windowId: null,
    })
    expect(valueIn(after, settlementOf(greenbank))).toBe(-1_050n)
    expect(after.accounts.find(({ id }) => id === 10)?.debitsPosted).toBe(2_050n)
  })

  test('Funds in are posted once, however often the instruction is repeated', () => {
    const { book } = play(play(rows, depositing).rows, depositing, depositing)
    expect(book.changes().journal).toEqual([])
  })

  test.each([
    { amount: 51n },
    { participant: 'bluewallet' },
    { accountId: settlementOf(bluewallet).id },
    { evidence: Buffer.from('another reference') },
  ])('Funds in with a used id and other content are a mismatch: %p', (change) => {
    const { answers } = play(play(rows, depositing).rows, { ...depositing, ...change })
    expect(answers[0]).toEqual({ type: 'MISMATCH' })
  })

  test.each<readonly [string, LockedRows, Partial<typeof depositing>]>([
    ['PARTICIPANT_UNKNOWN', rows, { participant: 'nobody' }],
    ['PARTICIPANT_INACTIVE', { ...rows, parties: [{ ...greenbank, permits: new Set() }] }, {}],
    ['ACCOUNT_UNKNOWN', rows, { accountId: 999 }],
    ['ACCOUNT_UNKNOWN', rows, { accountId: settlementOf(bluewallet).id }],
    ['ACCOUNT_TYPE_WRONG', rows, { accountId: positionOf(greenbank).id }],
    ['CURRENCY_MISMATCH', rows, { currency: 'EUR' }],
    ['ACCOUNT_INACTIVE', withAccounts(settlementOf(greenbank, { isActive: false })), {}],
    [
      'HUB_ACCOUNTS_MISSING',
      { ...rows, accounts: rows.accounts.filter(({ id }) => id !== 10) },
      {},
    ],
  ])('Funds in are declined when %s, and may be retried', (reason, from, change) => {
    const { answers, book } = play(from, { ...depositing, ...change })
    expect(answers[0]).toEqual({ type: 'DECLINE', reason })
    expect(book.changes().entered).toEqual([])
  })

  test('Funds in and transfers share one id space and are never mistaken for each other', () => {
    const before = play(rows, depositing).rows
    const id = depositing.id
    expect(outcomeOf(before, reserving(50n, { id }))).toBe('MISMATCH')
    expect(outcomeOf(before, { ...posting, id })).toBe('MISMATCH')
    expect(outcomeOf(before, { ...rejecting, id })).toBe('MISMATCH')
    expect(outcomeOf(reserved, { ...depositing, id: 'a-transfer' })).toBe('MISMATCH')
  })
})
