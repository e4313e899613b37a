/** One rule of decimals: what can be paid and settled can be deposited and withdrawn. */
import { exceededDecimals } from '@causeway/money'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  bluewallet,
  depositing,
  expiryGrace_ms,
  greenbank,
  nextRows,
  positionOf,
  posting,
  reserving,
  rows,
  settlementOf,
  withAccounts,
  withdrawing,
} from '../testing/scene.ts'
import { valueOf, type Account } from './account.ts'
import { openBook, decideAll, type LockedRows, type CommandAnswer } from './book.ts'
import type { Command } from './command.ts'

const plenty = 10n ** 30n
const feesOf = (party: typeof greenbank): Account => ({
  ...settlementOf(party, { creditsPosted: 0n }),
  id: party.id * 10 + 3,
  type: 'INTERCHANGE_FEE',
})

/** Two FSPs that may owe anything, in a currency with a fee. */
function scene(percentage: bigint): LockedRows {
  const accounts = [greenbank, bluewallet].flatMap((party) => [
    positionOf(party, { cap: plenty }),
    settlementOf(party, { creditsPosted: plenty }),
    feesOf(party),
  ])
  const fees = percentage === 0n ? new Map() : new Map([['USD', { modelId: 9, percentage }]])
  return { ...withAccounts(...accounts), fees }
}

function decided(
  from: LockedRows,
  decimals: ReadonlyMap<string, number> | undefined,
  ...commands: readonly Command[]
): { readonly answers: readonly CommandAnswer[]; readonly after: LockedRows } {
  const book = openBook(from, decimals)
  const answers = decideAll(book, commands, { expiryGrace_ms })
  return { answers, after: nextRows(from, book.changes()) }
}

/** Whether the ledger takes the amount in and out. */
function moves(
  from: LockedRows,
  decimals: ReadonlyMap<string, number> | undefined,
  amount: bigint,
): readonly boolean[] {
  const { answers } = decided(
    from,
    decimals,
    { ...depositing, amount },
    { ...withdrawing, amount, isFinal: true },
  )
  return answers.map((answer) => answer.type === 'ENTRY')
}

const decimals = fc.constantFrom(undefined, 0, 1, 2, 3, 4)
const boundsOf = (places: number | undefined) =>
  places === undefined ? undefined : new Map([['USD', places]])

test('What is paid and settled, fees included, can be deposited and withdrawn', () => {
  const payments = fc.array(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 1, maxLength: 8 })
  const percentage = fc.bigInt({ min: 0n, max: 1_000_000n })
  fc.assert(
    fc.property(payments, percentage, decimals, (amounts, rate, places) => {
      const bounds = boundsOf(places)
      // The edge refuses the others.
      const payable = amounts.filter((one) => exceededDecimals(bounds, 'USD', one) === undefined)
      const commands = payable.flatMap((amount, at) => [
        reserving(amount, { id: `t${at}` }),
        { ...posting, id: `t${at}` },
      ])
      const { after } = decided(scene(rate), bounds, ...commands)
      const settled = after.accounts
        .filter(({ type }) => type === 'POSITION' || type === 'INTERCHANGE_FEE')
        .map((account) => valueOf(account))
      for (const net of settled.filter((value) => value > 0n)) {
        expect(moves(scene(0n), bounds, net)).toEqual([true, true])
      }
    }),
  )
})

test('A deposit and a withdrawal are declined exactly if no payment may have the amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 9n }), decimals, (amount, places) => {
      const bounds = boundsOf(places)
      const isPayable = exceededDecimals(bounds, 'USD', amount) === undefined
      expect(moves(scene(0n), bounds, amount)).toEqual([isPayable, isPayable])
    }),
  )
})

test('A movement that is stored is answered, however fine it is and whatever the bound has become', () => {
  const amount = 12_345n
  const { after } = decided(rows, undefined, { ...depositing, amount })
  const { answers } = decided(after, boundsOf(0), { ...depositing, amount })
  expect(answers[0]?.type).toBe('ENTRY')
})
