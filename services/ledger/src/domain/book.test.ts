/** Any interleaving of reserve, post, void and redelivery, in any split into batches. */
import { settlementKindValues } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { valueOf, type Account } from './account.ts'
import type { LockedRows, CommandAnswer } from './book.ts'
import { hubId, type TransferParty } from './decision.ts'
import type { Command } from './command.ts'
import { noEvidence, settlesAtOnce, type Entry } from './entry.ts'
import {
  at,
  expiryGrace_ms,
  greenbank,
  later,
  now,
  play,
  positionOf,
  settlementOf,
} from '../testing/scene.ts'

const names = ['greenbank', 'bluewallet', 'redpay'] as const
const cap = 600n
const deposited = 500n
const lifetime_ms = 4_000

const permits: TransferParty['permits'] = new Set(['TRANSFERS', 'FUNDS_IN', 'FUNDS_OUT'])
const parties = names.map((name, index): TransferParty => ({
  id: index + 2,
  name,
  isActive: true,
  takesTransfers: true,
  takesBulks: true,
  permits,
}))
/** The hub's account that money passes through. */
const transit: Account = {
  ...positionOf(greenbank, { cap: null }),
  id: 5,
  participantId: hubId,
  type: 'HUB_MULTILATERAL_SETTLEMENT',
}
const start: LockedRows = {
  now,
  batch: 1n,
  windowId: 1,
  fees: new Map(),
  models: [],
  entries: [],
  heldIn: new Map(),
  parties,
  accounts: [
    transit,
    ...parties.flatMap((party) => [
      positionOf(party, { cap }),
      settlementOf(party, { creditsPosted: deposited }),
    ]),
  ],
}

/** Two persons have switched the check of cover off for one of the models. */
const unchecked: LockedRows = {
  ...start,
  models: [
    { modelId: 1, currency: 'USD', isActive: true, coverType: 'SETTLEMENT', isChecked: false },
    { modelId: 2, currency: 'USD', isActive: true, coverType: 'SETTLEMENT', isChecked: true },
  ],
}

/** Three tenths of the amount, in cents: a cent is a hundred of the units here. */
const charging: LockedRows = {
  ...start,
  fees: new Map([['USD', { modelId: 9, percentage: 300_000n }]]),
  accounts: [
    ...start.accounts,
    ...parties.map((party) => ({
      ...positionOf(party, { cap: null }),
      id: party.id * 10 + 3,
      type: 'INTERCHANGE_FEE',
    })),
  ],
}

/** A command with its time; ids are few, so that most recur. */
interface Timed {
  readonly after_ms: number
  readonly command: Command
}

/** The terms of an id are always the same; other terms are a mismatch and tested elsewhere. */
function termsOf(number: number) {
  const payer = names[number % 3] ?? names[0]
  const payee = names[(number + 1 + (Math.floor(number / 3) % 2)) % 3] ?? names[1]
  return { payer, payee, amount: BigInt(50 + 37 * number), currency: 'USD' }
}

const numbers = fc.integer({ min: 0, max: 9 })
const settles = fc.constantFrom(...settlementKindValues)

const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(numbers, settles).map(([number, how]): Command => ({
      type: 'RESERVE',
      id: `t${number}`,
      terms: termsOf(number),
      expiresAt: later(lifetime_ms),
      settlement: { modelId: how === 'NET' ? 1 : 2, settles: how },
      payerAccountId: null,
      payeeAccountId: null,
      isBulkItem: false,
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(numbers, fc.integer({ min: 0, max: 5_000 }))
      .map(([number, ms]): Command => ({
        type: 'POST',
        id: `t${number}`,
        receivedAt: later(ms),
        evidence: Buffer.from(`fulfil ${number}`),
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(numbers, fc.constantFrom('TIMEOUT', 'REJECTED'))
      .map(([number, reason]): Command => ({
        type: 'VOID',
        id: `t${number}`,
        expiresAt: later(lifetime_ms),
        reason,
        evidence: noEvidence,
      })),
  },
)

const histories = fc.array(
  fc.record({ after_ms: fc.integer({ min: 0, max: 400 }), command: commands }),
  { maxLength: 60 },
)

const splits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 10 })

interface Run {
  readonly rows: LockedRows
  readonly answers: readonly CommandAnswer[]
  /** The rows after each batch. */
  readonly states: readonly LockedRows[]
}

/**
 * Decides a history in batches of the given sizes; a batch is decided at the time of its last one.
 */
function runIn(from: LockedRows, history: readonly Timed[], sizes: readonly number[]): Run {
  let rows = from
  const answers: CommandAnswer[] = []
  const states: LockedRows[] = []
  let done = 0
  for (let batch = 0; done < history.length; batch++) {
    const items = history.slice(done, done + (sizes[batch % sizes.length] ?? 1))
    const passed_ms = items.reduce((sum, { after_ms }) => sum + after_ms, 0)
    const played = play(
      at(new Date(rows.now.getTime() + passed_ms), rows),
      ...items.map(({ command }) => command),
    )
    rows = played.rows
    answers.push(...played.answers)
    states.push(rows)
    done += items.length
  }
  return { rows, answers, states }
}

function accountOf(rows: LockedRows, name: string, type: string): Account {
  const party = parties.find((one) => one.name === name)
  const found = rows.accounts.find((one) => one.participantId === party?.id && one.type === type)
  if (found === undefined) throw new Error(`${name} has no ${type}`)
  return found
}

interface Books {
  readonly position: bigint
  readonly settlement: bigint
  readonly fees: bigint
}

/** A naive model of the books: the sum of every transfer's own effect. */
function modelled(rows: LockedRows, name: string): Books {
  let position = 0n
  let settlement = -deposited
  let fees = 0n
  for (const { kind, outcome, terms, settlement: how } of rows.entries) {
    if (terms === null || kind !== 'TRANSFER') continue
    const fee = rows.fees.size === 0 ? 0n : (((terms.amount * 3n) / 10n + 50n) / 100n) * 100n
    const isGross = settlesAtOnce(how?.settles) && outcome === 'POSTED'
    const paid = terms.payer === name && (outcome === 'RESERVED' || outcome === 'POSTED')
    const got = terms.payee === name && outcome === 'POSTED'
    const change = (paid ? terms.amount : 0n) - (got ? terms.amount : 0n)
    if (isGross) settlement += change
    else position += change
    fees += (paid ? fee : 0n) - (got ? fee : 0n)
  }
  return { position, settlement, fees }
}

function sum(rows: LockedRows, side: (account: Account) => bigint): bigint {
  return rows.accounts.reduce((total, account) => total + side(account), 0n)
}

function isFinal({ outcome }: Entry): boolean {
  return outcome !== 'RESERVED'
}

function valueIn(rows: LockedRows, name: string, type: string): bigint {
  const isThere = rows.fees.size > 0 || type !== 'INTERCHANGE_FEE'
  return isThere ? valueOf(accountOf(rows, name, type)) : 0n
}

describe.each([
  ['without fees', start],
  ['with interchange fees', charging],
  ['without the check of cover', unchecked],
])('any history of commands %s', (_, start) => {
  test('Every position stays within its cap, and with its fees within its cover, and agrees with a model', () => {
    fc.assert(
      fc.property(histories, splits, (history, sizes) => {
        for (const state of runIn(start, history, sizes).states) {
          for (const name of names) {
            const position = valueIn(state, name, 'POSITION')
            const settlement = valueIn(state, name, 'SETTLEMENT')
            const fees = valueIn(state, name, 'INTERCHANGE_FEE')
            expect({ position, settlement, fees }).toEqual(modelled(state, name))
            expect(position).toBeLessThanOrEqual(cap)
            if (start.models.some(({ isChecked }) => !isChecked)) continue
            expect(position + (fees > 0n ? fees : 0n)).toBeLessThanOrEqual(-settlement)
          }
        }
      }),
    )
  })

  test('The balances sum to zero after each batch, posted and pending', () => {
    fc.assert(
      fc.property(histories, splits, (history, sizes) => {
        const deposits = deposited * BigInt(names.length)
        for (const state of runIn(start, history, sizes).states) {
          expect(sum(state, (one) => one.creditsPosted - one.debitsPosted)).toBe(deposits)
          expect(sum(state, (one) => one.creditsPending - one.debitsPending)).toBe(0n)
          const through = state.accounts.find(({ id }) => id === transit.id) ?? transit
          expect(valueOf(through)).toBe(0n)
        }
      }),
    )
  })

  test('A final entry never changes', () => {
    fc.assert(
      fc.property(histories, splits, (history, sizes) => {
        const frozen = new Map<string, Entry>()
        for (const { entries } of runIn(start, history, sizes).states) {
          for (const entry of entries) {
            const before = frozen.get(entry.id)
            if (before !== undefined) expect(entry).toEqual(before)
            else if (isFinal(entry)) frozen.set(entry.id, entry)
          }
        }
      }),
    )
  })

  test('A redelivery in any other split changes nothing and returns the same final outcomes', () => {
    fc.assert(
      fc.property(histories, splits, splits, (history, sizes, others) => {
        const first = runIn(start, history, sizes)
        const still = history.map(({ command }) => ({ command, after_ms: 0 }))
        // What was too early may have become due while the first delivery went on.
        const due = runIn(first.rows, still, [1])
        const again = runIn(due.rows, still, others)
        expect(again.rows.entries).toEqual(due.rows.entries)
        expect(again.rows.accounts).toEqual(due.rows.accounts)
      }),
    )
  })

  test('At one instant every split gives the same books', () => {
    fc.assert(
      fc.property(histories, splits, splits, (history, sizes, others) => {
        const still = history.map(({ command }) => ({ command, after_ms: 0 }))
        const one = runIn(start, still, sizes)
        const other = runIn(start, still, others)
        expect(other.rows.accounts).toEqual(one.rows.accounts)
        expect(other.rows.entries).toEqual(one.rows.entries)
        expect(other.answers).toEqual(one.answers)
      }),
    )
  })

  test('Nothing stays reserved once expiration and grace have passed and everything is voided', () => {
    fc.assert(
      fc.property(histories, splits, (history, sizes) => {
        const before = runIn(start, history, sizes).rows
        const end = at(later(lifetime_ms + expiryGrace_ms + 60_000), before)
        const sweep = Array.from({ length: 10 }, (_, number): Command => ({
          type: 'VOID',
          id: `t${number}`,
          expiresAt: later(lifetime_ms),
          reason: 'TIMEOUT',
          evidence: noEvidence,
        }))
        const { rows } = play(end, ...sweep)
        expect(rows.entries.every(isFinal)).toBe(true)
        expect(sum(rows, (one) => one.debitsPending + one.creditsPending)).toBe(0n)
      }),
    )
  })
})
