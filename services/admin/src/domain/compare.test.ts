import { describe, expect, test } from '@jest/globals'
import {
  comparePages,
  differenceOf,
  differencesAmong,
  type Entry,
  type Transfer,
} from './compare.ts'

const entry = (id: string, outcome: string, amount = '10'): Entry => ({ id, outcome, amount })
const transfer = (id: string, state: string, reason = ''): Transfer => ({ id, state, reason })

const outcomes = ['RESERVED', 'POSTED', 'VOIDED', 'REFUSED']
const states = ['RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED']
const agreeing = new Set([
  'RESERVED RECEIVED',
  'RESERVED RESERVED',
  'POSTED COMMITTED',
  'VOIDED ABORTED',
  'REFUSED ABORTED',
])

describe('one id', () => {
  test.each(outcomes.flatMap((outcome) => states.map((state) => [outcome, state] as const)))(
    'the ledger says %s and transfers %s',
    (outcome, state) => {
      const sentence = differenceOf(entry('a', outcome), transfer('a', state))
      if (agreeing.has(`${outcome} ${state}`)) expect(sentence).toBeUndefined()
      else expect(sentence).toBe(`transfer a is ${state}, but the ledger holds it as ${outcome}`)
    },
  )

  test.each(outcomes)('a ledger entry %s without a transfer is a difference', (outcome) => {
    expect(differenceOf(entry('a', outcome), undefined)).toBe(
      `the ledger holds a as ${outcome}, but there is no such transfer`,
    )
  })

  test.each(states)('a transfer %s without a ledger entry is a difference', (state) => {
    expect(differenceOf(undefined, transfer('a', state))).toBe(
      `transfer a is ${state}, but the ledger has no entry of it`,
    )
  })

  test('a tombstone without a transfer is no difference', () => {
    expect(differenceOf(entry('a', 'VOIDED', ''), undefined)).toBeUndefined()
  })

  test('a tombstone of an open transfer is a difference', () => {
    expect(differenceOf(entry('a', 'VOIDED', ''), transfer('a', 'RESERVED'))).toBeDefined()
  })

  test('a transfer aborted for MISMATCH is no difference, whatever the ledger holds', () => {
    const mismatched = transfer('a', 'ABORTED', 'MISMATCH')
    expect(differenceOf(undefined, mismatched)).toBeUndefined()
    for (const outcome of outcomes) {
      expect(differenceOf(entry('a', outcome), mismatched)).toBeUndefined()
    }
  })

  test('an outcome that nobody knows is a difference', () => {
    expect(differenceOf(entry('a', 'LOST'), transfer('a', 'ABORTED'))).toBeDefined()
  })
})

describe('pages', () => {
  test('are compared as far as both reach, and go on from there', () => {
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

  test('one empty side is at its end: the other is compared whole', () => {
    const compared = comparePages([], [transfer('a', 'COMMITTED'), transfer('b', 'ABORTED')])
    expect(compared.differences.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(compared.next).toBe('b')
  })

  test('two empty sides are the end', () => {
    expect(comparePages([], [])).toEqual({
      differences: [],
      entries: 0,
      transfers: 0,
      next: undefined,
    })
  })

  test.each([1, 2, 3, 7])('pages of %i rows find what one look at everything finds', (size) => {
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
    expect(found).toEqual(differencesAmong(entries, transfers).map(({ sentence }) => sentence))
    expect(rows).toBe(entries.length + transfers.length)
  })
})
