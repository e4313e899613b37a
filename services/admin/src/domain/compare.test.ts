import {
  ledgerEntryOutcomeValues,
  transferStateValues,
  type AbortReason,
  type LedgerEntryOutcome,
  type TransferState,
} from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import {
  differenceOf as differenceIn,
  differencesAmong,
  reachOf,
  type ComparedEntry,
  type SettlementLine,
  type Sides,
  type Transfer,
} from './compare.ts'

const terms = { currency: 'USD', payerFsp: 'greenbank', payeeFsp: 'bluewallet' }
const entry = (id: string, outcome: LedgerEntryOutcome): ComparedEntry => ({
  ...terms,
  id,
  outcome,
  amount: '10',
})
const tombstone: ComparedEntry = { id: 'a', outcome: 'VOIDED' }
const transfer = (id: string, state: TransferState, reason?: AbortReason): Transfer => ({
  ...terms,
  id,
  state,
  reason,
  amount: '10',
  completedAt: '2026-03-01T12:00:00.000Z',
})
const none = { fulfilments: new Map<string, string>(), lines: [], now_ms: 0 }

function differenceOf(ofLedger: ComparedEntry | undefined, own: Transfer | undefined) {
  return differenceIn({ entry: ofLedger, transfer: own })
}

/** Compares both pages, as far as both reach. */
function comparePages(entries: readonly ComparedEntry[], transfers: readonly Transfer[]) {
  const reached = reachOf(entries, transfers)
  return {
    differences: differencesAmong(reached.entries, reached.transfers, none),
    entries: reached.entries.length,
    transfers: reached.transfers.length,
    next: reached.next,
  }
}

const outcomes = ledgerEntryOutcomeValues
const states = transferStateValues
const agreeing = new Set([
  'RESERVED RECEIVED',
  'RESERVED RESERVED',
  'POSTED COMMITTED',
  'VOIDED ABORTED',
  'REFUSED ABORTED',
])

describe('one id', () => {
  test.each(outcomes.flatMap((outcome) => states.map((state) => [outcome, state] as const)))(
    'A ledger entry %s and a transfer %s differ unless the states correspond',
    (outcome, state) => {
      const sentence = differenceOf(entry('a', outcome), transfer('a', state))
      if (agreeing.has(`${outcome} ${state}`)) expect(sentence).toBeUndefined()
      else expect(sentence).toBe(`transfer a is ${state}, but the ledger holds it as ${outcome}`)
    },
  )

  test.each(outcomes)('A ledger entry %s without a transfer is a difference', (outcome) => {
    expect(differenceOf(entry('a', outcome), undefined)).toBe(
      `the ledger holds a as ${outcome}, but there is no such transfer`,
    )
  })

  test.each(states)('A transfer %s without a ledger entry is a difference', (state) => {
    expect(differenceOf(undefined, transfer('a', state))).toBe(
      `transfer a is ${state}, but the ledger has no entry of it`,
    )
  })

  test('A tombstone without a transfer is not a difference', () => {
    expect(differenceOf(tombstone, undefined)).toBeUndefined()
  })

  test('A tombstone of an open transfer is a difference', () => {
    expect(differenceOf(tombstone, transfer('a', 'RESERVED'))).toBeDefined()
  })

  describe('a transfer aborted for MISMATCH', () => {
    const mismatched = transfer('a', 'ABORTED', 'MISMATCH')

    test('An aborted MISMATCH is not a difference when the ledger has the id for another kind of entry', () => {
      expect(differenceOf(undefined, mismatched)).toBeUndefined()
    })

    test.each<[LedgerEntryOutcome, string | undefined]>([
      ['VOIDED', undefined],
      ['REFUSED', undefined],
      ['RESERVED', 'transfer a is aborted for MISMATCH, but the ledger holds it as RESERVED'],
      ['POSTED', 'transfer a is aborted for MISMATCH, but the ledger holds it as POSTED'],
    ])(
      'An aborted MISMATCH is compared with a ledger entry %s of another payer: %s',
      (outcome, sentence) => {
        const others = { ...entry('a', outcome), payerFsp: 'redpay' }
        expect(differenceOf(others, mismatched)).toBe(sentence)
      },
    )

    test.each(outcomes)(
      'An aborted MISMATCH is a difference when the ledger has %s for the same payer',
      (outcome) => {
        expect(differenceOf({ ...entry('a', outcome), amount: '7' }, mismatched)).toBeDefined()
      },
    )
  })

  test.each([
    [{ amount: '11' }, 'amount 10 instead of 11'],
    [{ currency: 'EUR' }, 'currency USD instead of EUR'],
    [{ payerFsp: 'redpay' }, 'payer greenbank instead of redpay'],
    [{ payeeFsp: 'redpay' }, 'payee bluewallet instead of redpay'],
    [{ windowId: 7 }, 'window none instead of 7'],
  ])('Terms that differ by %p are a difference', (change, words) => {
    const posted = { ...entry('a', 'POSTED'), ...change }
    expect(differenceOf(posted, transfer('a', 'COMMITTED'))).toBe(
      `transfer a differs from the ledger: ${words}`,
    )
  })

  describe('with what others know of it', () => {
    const line: SettlementLine = { ...terms, amount: '10', transferId: 'a', state: 'COMMITTED' }
    const sides = (more: Partial<Sides>): Sides => ({
      entry: entry('a', 'POSTED'),
      transfer: { ...transfer('a', 'COMMITTED'), fulfilment: 'the right one' },
      fulfilment: 'the right one',
      lines: [line],
      ...more,
    })

    test.each<readonly [string, Partial<Sides>, string | undefined]>([
      ['the same', {}, undefined],
      ['no line asked for', { lines: undefined }, undefined],
      [
        'another fulfilment',
        { fulfilment: 'another' },
        'transfer a has another fulfilment than the evidence in the ledger',
      ],
      ['no line', { lines: [] }, 'transfer a is COMMITTED, but settlements has no line of it'],
      ['two lines', { lines: [line, line] }, 'settlements has 2 lines of transfer a'],
      [
        'a line of another state',
        { lines: [{ ...line, state: 'ABORTED' }] },
        'transfer a is COMMITTED, its line ABORTED',
      ],
      [
        'a line of another amount',
        { lines: [{ ...line, amount: '9' }] },
        'the line of transfer a differs from it: amount 9 instead of 10',
      ],
    ])('A transfer or a line is compared with all known data: %s (%#)', (_, more, sentence) => {
      expect(differenceIn(sides(more))).toBe(sentence)
    })
  })

  test('A missing line is a difference only after a minute', () => {
    const aborted = transfer('a', 'ABORTED', 'REJECTED')
    const end_ms = Date.parse(aborted.completedAt ?? '')
    const among = (now_ms: number) =>
      differencesAmong([entry('a', 'VOIDED')], [aborted], { ...none, now_ms }).length
    expect([among(end_ms + 59_999), among(end_ms + 60_000)]).toEqual([0, 1])
  })
})

describe('pages', () => {
  test('Two pages are compared as far as both reach, and the next ones continue from there', () => {
    const compared = comparePages(
      [entry('a', 'POSTED'), entry('b', 'POSTED')],
      [transfer('a', 'COMMITTED'), transfer('c', 'COMMITTED'), transfer('d', 'COMMITTED')],
    )
    expect(compared).toEqual({
      differences: [
        { id: 'b', sentence: 'the ledger holds b as POSTED, but there is no such transfer' },
      ],
      entries: 2,
      transfers: 1,
      next: 'b',
    })
  })

  test('An empty page is the end of its side, and the other side is compared in full', () => {
    const compared = comparePages([], [transfer('a', 'COMMITTED'), transfer('b', 'ABORTED')])
    expect(compared.differences.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(compared.next).toBe('b')
  })

  test('Two empty pages are the end', () => {
    expect(comparePages([], [])).toEqual({
      differences: [],
      entries: 0,
      transfers: 0,
      next: undefined,
    })
  })

  test.each([1, 2, 3, 7])(
    'Pages of %i rows find the same differences as one comparison of everything',
    (size) => {
      const entries = 'abdfghkl'.split('').map((id) => entry(id, id < 'e' ? 'POSTED' : 'VOIDED'))
      const transfers = 'abcdefgiklm'
        .split('')
        .map((id) => transfer(id, id < 'd' || id > 'k' ? 'COMMITTED' : 'ABORTED'))
      const found: string[] = []
      let after: string | undefined = ''
      let rows = 0
      while (after !== undefined) {
        const from: string = after
        const page = <Row extends { id: string }>(all: readonly Row[]) =>
          all.filter(({ id }) => id > from).slice(0, size)
        const compared = comparePages(page(entries), page(transfers))
        found.push(...compared.differences.map(({ sentence }) => sentence))
        rows += compared.entries + compared.transfers
        after = compared.next
      }
      expect(found).toEqual(
        differencesAmong(entries, transfers, none).map(({ sentence }) => sentence),
      )
      expect(rows).toBe(entries.length + transfers.length)
    },
  )
})
