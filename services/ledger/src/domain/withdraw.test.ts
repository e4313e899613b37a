import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  at,
  depositing,
  entryIn,
  greenbank,
  later,
  play,
  positionOf,
  rows,
  settlementOf,
  withAccounts,
  withParties,
  withdrawing,
} from '../testing/scene.ts'
import { valueOf } from './account.ts'
import type { LockedRows, CommandAnswer } from './book.ts'
import type { Command, EndWithdrawal, Withdraw } from './command.ts'

const cover = settlementOf(greenbank)
const bank = 10

function ending(how: EndWithdrawal['how'], changes: Partial<EndWithdrawal> = {}): EndWithdrawal {
  const accountId = cover.id
  return {
    type: 'END_WITHDRAWAL',
    id: 'a-withdrawal',
    participant: 'greenbank',
    accountId,
    how,
    ...changes,
  }
}

function valueIn({ accounts }: LockedRows, id: number): bigint {
  const account = accounts.find((one) => one.id === id)
  if (account === undefined) throw new Error(`no account ${id}`)
  return valueOf(account)
}

function stateOf(answer: CommandAnswer | undefined): string {
  if (answer?.type !== 'ENTRY') return answer?.type ?? 'NOTHING'
  const { outcome, reason } = answer.entry
  return reason === null ? outcome : `${outcome} ${reason}`
}

/** How it ends to ask for so much, of a deposit of 1000. */
function taking(amount: bigint, from: LockedRows, changes: Partial<Withdraw> = {}): string {
  return stateOf(play(from, { ...withdrawing, ...changes, amount }).answers[0])
}

describe('funds out', () => {
  test('Funds out are held first, and leave the bank when they are committed', () => {
    const reserved = play(rows, withdrawing)
    expect(stateOf(reserved.answers[0])).toBe('RESERVED')
    expect(valueIn(reserved.rows, cover.id)).toBe(-950n)
    expect(valueIn(reserved.rows, bank)).toBe(2_000n)
    const committed = play(reserved.rows, ending('COMMIT'))
    expect(stateOf(committed.answers[0])).toBe('POSTED')
    expect(valueIn(committed.rows, cover.id)).toBe(-950n)
    expect(valueIn(committed.rows, bank)).toBe(1_950n)
  })

  test('Aborted funds out are cover again', () => {
    const { answers, rows: after } = play(rows, withdrawing, ending('ABORT'))
    expect(answers.map(stateOf)).toEqual(['RESERVED', 'VOIDED ABORTED'])
    expect(valueIn(after, cover.id)).toBe(-1_000n)
    expect(valueIn(after, bank)).toBe(2_000n)
  })

  test('Expired funds out are cover again, and not before their expiry', () => {
    const { rows: held } = play(rows, withdrawing)
    const early = play(at(later(4_999), held), ending('EXPIRE')).answers[0]
    expect(early).toEqual({ type: 'TOO_EARLY', retry_ms: 1 })
    const { answers, rows: after } = play(at(later(5_000), held), ending('EXPIRE'))
    expect(answers.map(stateOf)).toEqual(['VOIDED TIMEOUT'])
    expect(valueIn(after, cover.id)).toBe(-1_000n)
  })

  test('Funds out are not committed after their expiry', () => {
    const { rows: held } = play(rows, withdrawing)
    expect(play(at(later(5_000), held), ending('COMMIT')).answers.map(stateOf)).toEqual([
      'VOIDED TIMEOUT',
    ])
  })

  test.each(['COMMIT', 'ABORT'] as const)(
    'Funds out end once: after a %s nothing else ends them',
    (how) => {
      const { answers } = play(rows, withdrawing, ending(how), ending('COMMIT'), ending('ABORT'))
      const states = answers.map(stateOf)
      expect(new Set(states.slice(1)).size).toBe(1)
    },
  )

  test('One-step funds out are held and posted, and cannot be ended again', () => {
    const { answers, book } = play(rows, { ...withdrawing, isFinal: true }, ending('ABORT'))
    expect(answers.map(stateOf)).toEqual(['POSTED', 'POSTED'])
    expect(book.changes().journal.map(({ step }) => step)).toEqual(['RESERVE', 'POST'])
  })

  test('One-step funds out are never mistaken for held or released ones', () => {
    const final = { ...withdrawing, isFinal: true }
    const held = play(rows, withdrawing).rows
    expect(play(held, final).answers.map(stateOf)).toEqual(['MISMATCH'])
    expect(play(held, ending('ABORT'), final).answers.map(stateOf)[1]).toBe('MISMATCH')
    expect(play(held, ending('COMMIT'), final).answers.map(stateOf)[1]).toBe('POSTED')
    expect(play(rows, final, final).answers.map(stateOf)).toEqual(['POSTED', 'POSTED'])
    const refused = { ...final, amount: 1_001n }
    expect(play(rows, refused, refused).answers.map(stateOf)[1]).toBe('REFUSED COVER_SHORT')
  })

  test('A repeat with the same content returns the stored funds out, other content is a mismatch', () => {
    const { answers } = play(rows, withdrawing, withdrawing, { ...withdrawing, amount: 51n })
    expect(answers.map(stateOf)).toEqual(['RESERVED', 'RESERVED', 'MISMATCH'])
  })

  test('Funds out and deposits share one id space and are never mistaken for each other', () => {
    const { answers } = play(rows, depositing, { ...withdrawing, id: depositing.id })
    expect(answers.map(stateOf)).toEqual(['POSTED', 'MISMATCH'])
  })

  test.each([
    ['of another id', { id: 'nothing' }],
    ['of another participant', { participant: 'bluewallet' }],
    ['of another account', { accountId: 999 }],
  ])('Funds out %s are unknown', (_, change) => {
    expect(play(rows, withdrawing, ending('COMMIT', change)).answers[1]).toEqual({
      type: 'UNKNOWN',
    })
  })

  test('Funds out need a state that permits them', () => {
    const suspended = { ...greenbank, permits: new Set(['FUNDS_IN'] as const) }
    const { answers } = play(withParties(suspended), withdrawing, depositing)
    expect(answers.map(stateOf)).toEqual(['DECLINE', 'POSTED'])
  })

  test('Held funds out can end in any state of the participant', () => {
    const { rows: held } = play(rows, withdrawing)
    const after = {
      ...held,
      parties: [{ ...greenbank, isActive: false, permits: new Set<never>() }],
    }
    expect(play(after, ending('COMMIT')).answers.map(stateOf)).toEqual(['POSTED'])
  })
})

describe('what may leave', () => {
  test('The withdrawable amount is the cover without exclusions and debts', () => {
    const owing = positionOf(greenbank, { debitsPosted: 200n, debitsPending: 100n })
    const from = withAccounts(owing, settlementOf(greenbank, { excluded: 300n }))
    expect(taking(400n, from)).toBe('RESERVED')
    expect(taking(401n, from)).toBe('REFUSED COVER_SHORT')
  })

  test('A negative position does not raise the withdrawable amount', () => {
    const owed = withAccounts(positionOf(greenbank, { creditsPosted: 500n }))
    expect(taking(1_000n, owed)).toBe('RESERVED')
    expect(taking(1_001n, owed)).toBe('REFUSED COVER_SHORT')
  })

  test('Without protection of positions the whole deposit is withdrawable', () => {
    const owing = positionOf(greenbank, { debitsPosted: 900n })
    const from = withAccounts(owing, settlementOf(greenbank, { excluded: 300n }))
    expect(taking(1_000n, from, { protects: false })).toBe('RESERVED')
    expect(taking(1_001n, from, { protects: false })).toBe('REFUSED COVER_SHORT')
  })

  test('An amount that a settlement left unpaid is withdrawable', () => {
    const from = withAccounts(settlementOf(greenbank, { unpaid: 400n }))
    expect(taking(1_000n, from)).toBe('RESERVED')
  })

  test('An excessive withdrawal is stored as refused with its figures', () => {
    const { answers, rows: after } = play(rows, { ...withdrawing, amount: 1_001n })
    expect(entryIn(answers[0]).facts).toEqual({ position: 0n, cover: 1_000n, cap: 600n })
    const richer = play(after, { ...depositing, amount: 1_000n }).rows
    expect(taking(1_001n, richer)).toBe('REFUSED COVER_SHORT')
    expect(valueIn(after, cover.id)).toBe(-1_000n)
  })
})

test('In any order of funds in and out nothing is overdrawn and the bank holds what is covered', () => {
  const ids = fc.integer({ min: 0, max: 7 })
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.tuple(ids, fc.bigInt(1n, 700n)).map(([id, amount]): Command => ({
      ...depositing,
      id: `in-${id}`,
      amount,
    })),
    fc.tuple(ids, fc.bigInt(1n, 900n), fc.boolean()).map(([id, amount, isFinal]): Command => ({
      ...withdrawing,
      id: `out-${id}`,
      amount,
      isFinal,
    })),
    fc
      .tuple(ids, fc.constantFrom('COMMIT', 'ABORT', 'EXPIRE'))
      .map(([id, how]): Command => ending(how, { id: `out-${id}` })),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(command, fc.integer({ min: 0, max: 2_000 })), { maxLength: 40 }),
      fc.bigInt(0n, 500n),
      (history, owed) => {
        let now = rows.now.getTime()
        let state = withAccounts(positionOf(greenbank, { debitsPosted: owed }))
        for (const [each, passed_ms] of history) {
          now += passed_ms
          state = play(at(new Date(now), state), each).rows
          expect(-valueIn(state, cover.id)).toBeGreaterThanOrEqual(owed)
          expect(creditsAndDebits(state)).toEqual(creditsAndDebits(rows))
        }
      },
    ),
    { numRuns: 300 },
  )
})

/** What the bank holds of greenbank's deposit, pending ones apart, is always the same. */
function creditsAndDebits({ accounts }: LockedRows): readonly bigint[] {
  const moved = accounts.filter(({ id }) => id === cover.id || id === bank)
  const sum = (of: (account: (typeof moved)[number]) => bigint) =>
    moved.reduce((total, account) => total + of(account), 0n)
  return [
    sum(({ debitsPosted, creditsPosted }) => debitsPosted - creditsPosted),
    sum(({ debitsPending, creditsPending }) => debitsPending - creditsPending),
  ]
}
