/** What settlements move in the ledger, interchange fees, and what is still to be paid. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  at,
  bluewallet,
  greenbank,
  later,
  nextRows,
  play,
  positionOf,
  posting,
  rejecting,
  reserving,
  rows,
  settlementOf,
  withAccounts,
  withdrawing,
} from '../testing/scene.ts'
import { coverOf, valueOf, type Account } from './account.ts'
import { openBook, type LockedRows } from './book.ts'
import type { EndWithdrawal } from './command.ts'
import { feeOf, type FeeRule } from './fee.ts'
import { settle, type Settle } from './settle.ts'

const transit: Account = {
  ...positionOf({ ...greenbank, id: 1 }),
  id: 19,
  participantId: 1,
  type: 'HUB_MULTILATERAL_SETTLEMENT',
}

const sending: Settle = {
  id: 'a-step',
  debit: { participant: null, type: 'HUB_MULTILATERAL_SETTLEMENT' },
  credit: { participant: 'greenbank', type: 'POSITION' },
  amount: 100n,
  currency: 'USD',
  awaitsFundsOut: true,
}

function settled(from: LockedRows, command: Settle) {
  const book = openBook(from)
  const decision = settle(book, 'Hub', command)
  if (decision.type === 'STORE') book.record(decision.recorded)
  return { decision, book, changes: book.changes() }
}

describe('a step of a settlement', () => {
  test('A settlement step moves money once between two accounts, regardless of flags', () => {
    const closed = withAccounts(transit, positionOf(greenbank, { isActive: false }))
    const { changes, book } = settled(closed, sending)
    expect(valueOf(book.account(positionOf(greenbank).id) ?? transit)).toBe(-100n)
    expect(changes.entered).toMatchObject([{ id: 'a-step', kind: 'SETTLEMENT', outcome: 'POSTED' }])
    const again = { ...closed, entries: changes.entered, accounts: closed.accounts }
    expect(settled(again, sending)).toMatchObject({
      decision: { type: 'EXISTS' },
      changes: { journal: [] },
    })
    expect(settled(again, { ...sending, amount: 7n }).decision.type).toBe('MISMATCH')
  })

  test('A settlement step without one of its accounts moves nothing', () => {
    expect(settled(rows, sending).decision).toEqual({
      type: 'ACCOUNT_MISSING',
      account: sending.debit,
    })
  })

  test('An unpaid amount reduces the cover until funds out are held for it', () => {
    const { book, changes } = settled(withAccounts(transit), sending)
    expect(changes.isUnpaidChanged).toBe(true)
    const owing = book.account(settlementOf(greenbank).id) ?? transit
    expect(coverOf(owing)).toBe(900n)
    // Funds out that are reserved lower the value: they are not excluded twice.
    expect(coverOf({ ...owing, debitsPending: 60n })).toBe(900n)
    expect(coverOf({ ...owing, debitsPending: 160n })).toBe(840n)
  })
})

describe('funds out', () => {
  const out = (step: 'POST' | 'VOID', unpaid: bigint) => {
    const cover = settlementOf(greenbank, { debitsPending: 70n, unpaid })
    const book = openBook(withAccounts(transit, cover))
    const accounts = { debitAccountId: cover.id, creditAccountId: 10 }
    const bank = book.account(10)
    if (bank === undefined) throw new Error('the hub has no bank')
    const pending = { ...bank, creditsPending: 70n }
    const held = openBook(withAccounts(transit, cover, pending))
    const [entry] = settled(withAccounts(transit), sending).changes.entered
    if (entry === undefined) throw new Error('nothing was entered')
    held.record({
      entry: { ...entry, id: 'out', kind: 'FUNDS_OUT' },
      movements: [{ step, ...accounts, amount: 70n }],
    })
    return held.account(cover.id)?.unpaid
  }

  test('Committed funds out pay what a settlement left unpaid, and no more', () => {
    expect(out('POST', 100n)).toBe(30n)
    expect(out('POST', 50n)).toBe(0n)
    expect(out('POST', 0n)).toBe(0n)
  })

  test('Aborted funds out pay nothing', () => {
    expect(out('VOID', 100n)).toBe(100n)
  })

  describe('that were held before the settlement was committed', () => {
    const held = { ...withdrawing, id: 'before', amount: 500n }
    const paying = { ...withdrawing, id: 'after', amount: 100n }
    const ended = (id: string, how: EndWithdrawal['how']): EndWithdrawal => {
      const accountId = settlementOf(greenbank).id
      return { type: 'END_WITHDRAWAL', id, participant: 'greenbank', accountId, how }
    }
    /** The cover of 1000 after a settlement that left 100 to be paid, and after what came then. */
    const coverAfter = (...commands: readonly (typeof held | EndWithdrawal)[]): bigint => {
      const owing = withAccounts(transit, positionOf(greenbank, { debitsPosted: 100n }))
      const before = play(owing, held).rows
      let after = nextRows(before, settled(at(later(10), before), sending).changes)
      for (const command of commands) after = play(at(later(20), after), command).rows
      return coverOf(after.accounts.find(({ id }) => id === settlementOf(greenbank).id) ?? transit)
    }

    test('Earlier funds out do not pay the debt, which stays out of the cover however they end', () => {
      expect(coverAfter()).toBe(400n)
      expect(coverAfter(ended('before', 'COMMIT'))).toBe(400n)
      expect(coverAfter(ended('before', 'ABORT'))).toBe(900n)
    })

    test('Earlier funds out do not affect those that pay the debt, in any order', () => {
      expect(coverAfter(paying)).toBe(400n)
      expect(coverAfter(paying, ended('after', 'ABORT'))).toBe(400n)
      const pay = [paying, ended('after', 'COMMIT')]
      expect(coverAfter(...pay)).toBe(400n)
      expect(coverAfter(...pay, ended('before', 'COMMIT'))).toBe(400n)
      expect(coverAfter(...pay, ended('before', 'ABORT'))).toBe(900n)
      expect(coverAfter(ended('before', 'ABORT'), ...pay)).toBe(900n)
      expect(coverAfter(ended('before', 'COMMIT'), ...pay)).toBe(400n)
    })
  })
})

describe('what is left to be paid', () => {
  type Step = { readonly clock_ms: number } & (
    | { readonly type: 'OWE' | 'HOLD'; readonly amount: bigint }
    | { readonly type: 'COMMIT' | 'ABORT'; readonly which: number }
  )
  const amounts = fc.bigInt({ min: 1n, max: 40n })
  const clock_ms = fc.integer({ min: -4_000, max: 4_000 })
  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(
      fc.record({ type: fc.constantFrom('OWE', 'HOLD'), amount: amounts, clock_ms }),
      fc.record({ type: fc.constantFrom('COMMIT', 'ABORT'), which: fc.nat(3), clock_ms }),
    ),
    { maxLength: 20 },
  )

  /** Funds out that were held when the debt arose are in it, and leave it however they end. */
  function openModel() {
    let unpaid = 0n
    const held: { readonly id: string; readonly amount: bigint; isOther: boolean }[] = []
    return {
      held,
      unpaid: () => unpaid,
      owe(amount: bigint) {
        if (unpaid === 0n) {
          for (const one of held) one.isOther = true
          unpaid = held.reduce((sum, one) => sum + one.amount, 0n)
        }
        unpaid += amount
      },
      end(index: number, how: 'COMMIT' | 'ABORT') {
        const [ended] = held.splice(index, 1)
        if (ended === undefined || (how === 'ABORT' && !ended.isOther)) return
        unpaid = unpaid > ended.amount ? unpaid - ended.amount : 0n
        if (unpaid === 0n) for (const one of held) one.isOther = false
      },
    }
  }

  const { id: accountId } = settlementOf(greenbank)

  function stepOn(from: LockedRows, step: Step, name: string, id: string): LockedRows {
    // The clock of the database is set back and forth.
    const now = at(later(step.clock_ms), from)
    if (step.type === 'OWE') {
      const owing = { ...sending, id: name, amount: step.amount }
      return nextRows(now, settled(now, owing).changes)
    }
    const { amount } = step.type === 'HOLD' ? step : withdrawing
    const holding = { ...withdrawing, id: name, amount, protects: false, validity_ms: 60_000 }
    const ending = { type: 'END_WITHDRAWAL', id, participant: 'greenbank', accountId } as const
    return play(now, step.type === 'HOLD' ? holding : { ...ending, how: step.type }).rows
  }

  test('A debt is paid only by funds out held after it, in the order of batches under any clock', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const model = openModel()
        let after: LockedRows = withAccounts(transit)
        for (const [index, step] of history.entries()) {
          const { held } = model
          const which = 'which' in step && held.length > 0 ? step.which % held.length : -1
          if ('which' in step && which < 0) continue
          after = stepOn(after, step, `n${index}`, held[which]?.id ?? '')
          if (step.type === 'OWE') model.owe(step.amount)
          else if (step.type !== 'HOLD') model.end(which, step.type)
          else held.push({ id: `n${index}`, amount: step.amount, isOther: false })
          const account = after.accounts.find(({ id }) => id === accountId)
          expect(account?.unpaid).toBe(model.unpaid())
        }
      }),
    )
  })
})

describe('an interchange fee', () => {
  const feeAccount = (party: typeof greenbank): Account => ({
    ...positionOf(party),
    id: party.id * 10 + 3,
    type: 'INTERCHANGE_FEE',
  })
  const charged: LockedRows = {
    ...withAccounts(
      feeAccount(greenbank),
      feeAccount(bluewallet),
      positionOf(greenbank, { cap: 10n ** 12n }),
      settlementOf(greenbank, { creditsPosted: 10n ** 12n }),
    ),
    fees: new Map([['USD', { modelId: 9, percentage: 6_000n }]]),
  }

  const feesIn = ({ accounts }: LockedRows): bigint =>
    valueOf(accounts.find(({ id }) => id === feeAccount(greenbank).id) ?? transit)

  test('An interchange fee needs cover but counts against no cap', () => {
    const limited = (deposit: bigint, cap: bigint): LockedRows => {
      const cover = settlementOf(greenbank, { creditsPosted: deposit })
      const accounts = [cover, positionOf(greenbank, { cap })]
      const ids = new Set(accounts.map(({ id }) => id))
      return {
        ...charged,
        accounts: [...charged.accounts.filter(({ id }) => !ids.has(id)), ...accounts],
      }
    }
    const paying = reserving(5_000_000n)
    const reasonIn = (from: LockedRows) => {
      const [answer] = play(from, paying).answers
      return answer?.type === 'ENTRY' ? answer.entry.reason : answer?.type
    }
    expect(reasonIn(limited(5_030_000n, 5_000_000n))).toBeNull()
    expect(reasonIn(limited(5_029_999n, 5_000_000n))).toBe('COVER_SHORT')
    expect(reasonIn(limited(5_030_000n, 4_999_999n))).toBe('CAP_SHORT')
  })

  test('An owed fee cannot be withdrawn, and is cover again when the transfer is voided', () => {
    const reserved = play(charged, reserving(5_000_000n)).rows
    const taking = (from: LockedRows, amount: bigint) => {
      const [answer] = play(from, { ...withdrawing, amount }).answers
      return answer?.type === 'ENTRY' ? answer.entry.outcome : answer?.type
    }
    const free = 10n ** 12n - 5_030_000n
    expect(taking(reserved, free)).toBe('RESERVED')
    expect(taking(reserved, free + 1n)).toBe('REFUSED')
    const voided = play(reserved, rejecting).rows
    expect(feesIn(voided)).toBe(0n)
    expect(taking(voided, 10n ** 12n)).toBe('RESERVED')
  })

  test('The posted fee is the one that was held with the reservation, even if the rate has changed', () => {
    const none = new Map<string, FeeRule>()
    const rules = fc.oneof(
      fc.constant(none),
      fc
        .record({ modelId: fc.constantFrom(4, 9), percentage: fc.bigInt(1n, 1_000_000n) })
        .map((rule) => new Map([['USD', rule]])),
    )
    const amounts = fc.oneof(fc.bigInt(1n, 200n), fc.bigInt(1n, 10n ** 11n))
    fc.assert(
      fc.property(rules, rules, amounts, (atReserve, atPost, amount) => {
        const reserved = play({ ...charged, fees: atReserve }, reserving(amount)).rows
        const { book, rows: posted } = play({ ...reserved, fees: atPost }, posting)
        const held = feesIn(reserved)
        expect(feesIn(posted)).toBe(held)
        const entered = book.changes().entered.map(({ kind, terms }) => [kind, terms?.amount])
        expect(entered).toEqual(held === 0n ? [] : [['FEE', held]])
      }),
    )
  })

  test('A fee is posted with its transfer, in the same window, under its own model', () => {
    const reserved = play(charged, reserving(500n * 10_000n)).rows
    expect(feesIn(reserved)).toBe(30_000n)
    const { book, rows: posted } = play(reserved, posting)
    expect(feesIn(posted)).toBe(30_000n)
    expect(book.changes()).toMatchObject({
      entered: [{ id: 'fee-a-transfer', kind: 'FEE', windowId: 7, terms: { amount: 30_000n } }],
      gains: [
        { modelId: 5, accountId: positionOf(greenbank).id },
        { modelId: 5, accountId: positionOf(bluewallet).id },
        { modelId: 9, accountId: feeAccount(greenbank).id, net: 30_000n, count: 1 },
        { modelId: 9, accountId: feeAccount(bluewallet).id, net: -30_000n, count: 1 },
      ],
    })
  })

  test('A fee of another currency, or no fee, blocks no transfer', () => {
    const rule = { modelId: 8, percentage: 6_000n }
    for (const currency of ['EUR', '']) {
      const { answers } = play({ ...rows, fees: new Map([[currency, rule]]) }, reserving(100n))
      expect(answers[0]).toMatchObject({ entry: { outcome: 'RESERVED' } })
    }
  })

  test('A fee needs an account of both FSPs before anything is reserved', () => {
    const { answers } = play({ ...rows, fees: charged.fees }, reserving(100n))
    expect(answers[0]).toMatchObject({ entry: { outcome: 'REFUSED', reason: 'PAYER_NO_ACCOUNT' } })
  })

  test('A fee is rounded half up to the smallest unit of the currency', () => {
    expect(feeOf(1_000_000n, 'USD', 6_000n)).toBe(6_000n)
    expect(feeOf(12_500n, 'USD', 400_000n)).toBe(5_000n)
    expect(feeOf(124_900n, 'USD', 10_000n)).toBe(1_200n)
    expect(feeOf(125_000n, 'USD', 10_000n)).toBe(1_300n)
    expect(feeOf(1_490_000n, 'JPY', 10_000n)).toBe(10_000n)
    expect(feeOf(1_500_000n, 'JPY', 10_000n)).toBe(20_000n)
  })

  test('A fee differs from its percentage by at most half of the smallest unit', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 22n })
    const percentages = fc.bigInt({ min: 1n, max: 1_000_000n })
    fc.assert(
      fc.property(amounts, percentages, (amount, percentage) => {
        const difference = feeOf(amount, 'USD', percentage) * 1_000_000n - amount * percentage
        expect(difference <= 50n * 1_000_000n && difference > -50n * 1_000_000n).toBe(true)
        expect(feeOf(amount, 'USD', percentage) % 100n).toBe(0n)
      }),
    )
  })
})
