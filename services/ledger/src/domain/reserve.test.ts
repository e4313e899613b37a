/** Which transfers are reserved, which are refused, and for what. */
import { describe, expect, test } from '@jest/globals'
import type { LockedRows } from './book.ts'
import type { Reserve } from './command.ts'
import {
  withdrawing,
  depositing,
  bluewallet,
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
  withAccounts,
  withParties,
} from '../testing/scene.ts'

const payerPosition = positionOf(greenbank)
const payerSettlement = settlementOf(greenbank)
const payeePosition = positionOf(bluewallet)
const payeeSettlement = settlementOf(bluewallet)

function outcomeOf(from: LockedRows, command: Reserve): string {
  const { outcome, reason } = entryIn(play(from, command).answers[0])
  return reason ?? outcome
}

function without(id: number): LockedRows {
  return { ...rows, accounts: rows.accounts.filter((account) => account.id !== id) }
}

describe('a reservation', () => {
  test('A reservation makes the amount pending on both positions and shows it only on the payer', () => {
    const { answers, book } = play(rows, reserving(100n))
    expect(answers[0]).toMatchObject({
      entry: { outcome: 'RESERVED', facts: { position: 0n, cover: 1_000n, cap: 600n } },
      payer: { participant: 'greenbank', value: 100n, cap: 600n, liquidity: 1_000n },
      payee: { participant: 'bluewallet', value: 0n },
    })
    expect(book.account(payerPosition.id)).toMatchObject({ debitsPending: 100n, debitsPosted: 0n })
    expect(book.account(payeePosition.id)).toMatchObject({ creditsPending: 100n })
    expect(book.changes().journal).toEqual([
      {
        entryId: 'a-transfer',
        step: 'RESERVE',
        debitAccountId: payerPosition.id,
        creditAccountId: payeePosition.id,
        amount: 100n,
      },
    ])
  })

  test('Insufficient cover is reported before an exceeded cap', () => {
    const poor = withAccounts({ ...payerSettlement, creditsPosted: 99n })
    expect(outcomeOf(poor, reserving(100n))).toBe('COVER_SHORT')
    expect(outcomeOf(poor, reserving(601n))).toBe('COVER_SHORT')
    expect(outcomeOf(rows, reserving(601n))).toBe('CAP_SHORT')
  })

  test('A reservation may use the whole cap and the whole cover, and not one unit more', () => {
    expect(outcomeOf(rows, reserving(600n))).toBe('RESERVED')
    const covered = withAccounts({ ...payerSettlement, creditsPosted: 500n })
    expect(outcomeOf(covered, reserving(500n))).toBe('RESERVED')
    expect(outcomeOf(covered, reserving(501n))).toBe('COVER_SHORT')
  })

  test('A reservation may not use excluded cover', () => {
    const excluding = withAccounts({ ...payerSettlement, excluded: 900n })
    expect(outcomeOf(excluding, reserving(100n))).toBe('RESERVED')
    expect(outcomeOf(excluding, reserving(101n))).toBe('COVER_SHORT')
  })

  test('A reservation may use what the payer has received before', () => {
    const creditor = withAccounts({ ...payerPosition, creditsPosted: 50n })
    expect(outcomeOf(creditor, reserving(650n))).toBe('RESERVED')
    expect(outcomeOf(creditor, reserving(651n))).toBe('CAP_SHORT')
  })

  test('A reservation counts other reservations, also those of its own batch', () => {
    const { answers } = play(
      rows,
      reserving(400n, { id: 'first' }),
      reserving(201n, { id: 'second' }),
      reserving(200n, { id: 'third' }),
    )
    expect(answers.map((answer) => entryIn(answer).outcome)).toEqual([
      'RESERVED',
      'REFUSED',
      'RESERVED',
    ])
  })

  test('A reservation of a payer without a limit is refused', () => {
    expect(outcomeOf(withAccounts({ ...payerPosition, cap: null }), reserving(1n))).toBe(
      'CAP_SHORT',
    )
  })

  test('A refused reservation stores the figures of its decision', () => {
    const entry = entryIn(play(rows, reserving(601n)).answers[0])
    expect(entry).toMatchObject({
      outcome: 'REFUSED',
      reason: 'CAP_SHORT',
      accounts: null,
      facts: { position: 0n, cover: 1_000n, cap: 600n },
      completedAt: now,
    })
  })
})

describe('the order of the checks', () => {
  const off = { isActive: false }
  const strangers = { ...reserving(1n).terms, payer: 'nobody', payee: 'noone' }
  test.each<readonly [string, LockedRows, Reserve]>([
    ['PAYER_UNKNOWN', rows, reserving(1n, { terms: strangers })],
    ['PAYEE_UNKNOWN', rows, reserving(1n, { terms: { ...strangers, payer: 'greenbank' } })],
    [
      'PAYER_INACTIVE',
      withParties({ ...greenbank, ...off }, { ...bluewallet, ...off }),
      reserving(1n),
    ],
    ['PAYER_INACTIVE', withAccounts({ ...payerPosition, ...off }), reserving(1n)],
    ['PAYEE_INACTIVE', withParties({ ...bluewallet, ...off }), reserving(1n)],
    ['PAYEE_INACTIVE', withAccounts({ ...payeePosition, ...off }), reserving(1n)],
    ['PAYER_NO_ACCOUNT', without(payerPosition.id), reserving(1n)],
    ['PAYER_NO_ACCOUNT', without(payerSettlement.id), reserving(1n)],
    ['PAYER_NO_ACCOUNT', rows, reserving(1n, { settlement: null })],
    ['PAYER_NO_ACCOUNT', rows, reserving(1n, { payerAccountId: payeePosition.id })],
    ['PAYEE_NO_ACCOUNT', without(payeePosition.id), reserving(1n)],
    ['PAYEE_NO_ACCOUNT', rows, reserving(1n, { payeeAccountId: 999, expiresAt: now })],
    [
      'PAYEE_UNREACHABLE',
      withParties({ ...bluewallet, takesTransfers: false }),
      reserving(9_999n, { expiresAt: now }),
    ],
    [
      'PAYEE_UNREACHABLE',
      withParties({ ...bluewallet, takesBulks: false }),
      reserving(1n, { isBulkItem: true }),
    ],
    ['EXPIRED', rows, reserving(9_999n, { expiresAt: now })],
  ])('%s', (reason, from, command) => {
    expect(outcomeOf(from, command)).toBe(reason)
  })

  test('Only the address that the payee is asked at is needed, and none of the payer', () => {
    const payer = { ...greenbank, takesTransfers: false, takesBulks: false }
    const single = withParties(payer, { ...bluewallet, takesBulks: false })
    expect(outcomeOf(single, reserving(1n))).toBe('RESERVED')
    const bulk = withParties(payer, { ...bluewallet, takesTransfers: false })
    expect(outcomeOf(bulk, reserving(1n, { isBulkItem: true }))).toBe('RESERVED')
  })

  test('A hint with the right account is accepted', () => {
    const command = reserving(1n, {
      payerAccountId: payerPosition.id,
      payeeAccountId: payeePosition.id,
    })
    expect(outcomeOf(rows, command)).toBe('RESERVED')
  })

  test('A transfer is expired at the instant of its expiration and not before', () => {
    expect(outcomeOf(rows, reserving(1n, { expiresAt: later(1) }))).toBe('RESERVED')
    expect(outcomeOf(rows, reserving(1n, { expiresAt: now }))).toBe('EXPIRED')
  })
})

describe('a transfer that is settled gross at once', () => {
  const gross = { modelId: 6, settles: 'GROSS_IMMEDIATE' } as const

  test('A transfer settled gross at once needs active settlement accounts of both sides', () => {
    const command = reserving(1n, { settlement: gross })
    const off = { isActive: false }
    expect(outcomeOf(without(payeeSettlement.id), command)).toBe('PAYEE_NO_ACCOUNT')
    expect(outcomeOf(withAccounts({ ...payeeSettlement, ...off }), command)).toBe('PAYEE_INACTIVE')
    expect(outcomeOf(withAccounts({ ...payerSettlement, ...off }), command)).toBe('PAYER_INACTIVE')
  })

  test('A net transfer ignores the status of settlement accounts', () => {
    const off = { isActive: false }
    expect(outcomeOf(withAccounts({ ...payeeSettlement, ...off }), reserving(1n))).toBe('RESERVED')
    expect(outcomeOf(without(payeeSettlement.id), reserving(1n))).toBe('RESERVED')
  })
})

describe('the same id again', () => {
  test('The same id with the same terms returns the stored entry, regardless of later changes', () => {
    const before = play(rows, reserving(100n)).rows
    const inactive = { ...before, parties: [{ ...greenbank, isActive: false }, bluewallet] }
    const { answers, book } = play(inactive, reserving(100n, { expiresAt: now }))
    expect(entryIn(answers[0]).outcome).toBe('RESERVED')
    expect(book.changes().entered).toEqual([])
    expect(book.changes().journal).toEqual([])
  })

  test('The same id returns a refusal again although the transfer could now be reserved', () => {
    const before = play(withAccounts({ ...payerSettlement, creditsPosted: 0n }), reserving(1n)).rows
    const funded = { ...rows, entries: before.entries }
    expect(outcomeOf(funded, reserving(1n))).toBe('COVER_SHORT')
  })

  test('The same id keeps the model of the first reserve', () => {
    const before = play(rows, reserving(100n)).rows
    const other = reserving(100n, { settlement: { modelId: 9, settles: 'GROSS_DEFERRED' } })
    const entry = entryIn(play(before, other).answers[0])
    expect(entry.settlement).toEqual({ modelId: 5, settles: 'NET' })
  })

  test.each([
    { amount: 101n },
    { currency: 'EUR' },
    { payer: 'bluewallet' },
    { payee: 'greenbank' },
  ])(
    'The same id with other terms is a mismatch and leaves the stored entry unchanged: %p',
    (change) => {
      const before = play(rows, reserving(100n)).rows
      const command = reserving(100n, { terms: { ...reserving(100n).terms, ...change } })
      const { answers, book } = play(before, command)
      expect(answers[0]).toEqual({ type: 'MISMATCH' })
      expect(book.changes()).toMatchObject({ entered: [], completed: [], accounts: [] })
    },
  )

  test.each([depositing, withdrawing])(
    'The same id of a $type is a mismatch, even with the same terms',
    (funds) => {
      const terms = {
        payer: 'greenbank',
        payee: 'greenbank',
        amount: funds.amount,
        currency: 'USD',
      }
      const { answers, book } = play(play(rows, funds).rows, reserving(0n, { id: funds.id, terms }))
      expect(answers[0]).toEqual({ type: 'MISMATCH' })
      expect(book.changes()).toMatchObject({ entered: [], completed: [], accounts: [] })
    },
  )

  test('A reserve after its void returns the void, with any terms', () => {
    const { answers } = play(rows, rejecting, reserving(100n), reserving(200n))
    expect(answers.map(entryIn)).toMatchObject([
      { outcome: 'VOIDED', reason: 'REJECTED', terms: null },
      { outcome: 'VOIDED', reason: 'REJECTED' },
      { outcome: 'VOIDED', reason: 'REJECTED' },
    ])
  })

  test('An id that is reserved and posted in one batch is stored once', () => {
    const { answers, book } = play(rows, reserving(100n), posting, reserving(100n))
    expect(answers.map((answer) => entryIn(answer).outcome)).toEqual([
      'RESERVED',
      'POSTED',
      'POSTED',
    ])
    expect(book.changes().entered).toHaveLength(1)
    expect(book.changes().completed).toHaveLength(0)
  })
})
