import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { effectsOf, type Effect, type StepEffect } from './effects.ts'
import type { Rules } from './movements.ts'

const usual: Rules = {
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
  excludesUnpaid: true,
}
const mojaloop = { excludesUnpaid: false } as const
const bilateral = { interchange: 'BILATERAL' } as const
const gross = { granularity: 'GROSS' } as const
const ofFees = { ledgerAccountType: 'INTERCHANGE_FEE' } as const
const toFees = { settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT' } as const

/** The steps that change anything, each as "STATE owing COVER CAP" or "STATE owed COVER CAP". */
function changesOf(changes: Partial<Rules>, coverType = 'SETTLEMENT'): readonly string[] {
  const wordsOf = (who: string, { cover, netDebitCap }: Effect) =>
    cover === 'SAME' && netDebitCap === 'SAME' ? [] : [`${who} ${cover} ${netDebitCap}`]
  return effectsOf({ ...usual, ...changes }, coverType).flatMap((effect) =>
    [
      ...wordsOf('owing', effect.owing),
      ...wordsOf('owed', effect.owed),
      ...(effect.awaitsFundsOut ? ['excluded'] : []),
    ].map((words) => `${effect.state.replace('PS_TRANSFERS_', '')} ${words}`),
  )
}

const reserved = ['RESERVED owed LESS LESS'] as const
const aborted = ['ABORTED owed MORE MORE'] as const
const unpaid = ['COMMITTED owing SAME MORE', 'COMMITTED excluded'] as const

test('Recipients may send less once they are reserved; senders no more of their cover when they are committed', () => {
  expect(changesOf({})).toEqual([...reserved, ...unpaid, ...aborted])
})

test('With COMPATIBILITY=mojaloop senders may send more when they are committed', () => {
  expect(changesOf(mojaloop)).toEqual([...reserved, 'COMMITTED owing MORE MORE', ...aborted])
})

test('A bilateral model changes both sides when they are committed', () => {
  const owed = 'COMMITTED owed LESS LESS'
  const [owing, excluded] = unpaid
  expect(changesOf(bilateral)).toEqual([owing, owed, excluded])
  for (const changes of [mojaloop, toFees]) {
    const both = ['COMMITTED owing MORE MORE', owed]
    expect(changesOf({ ...bilateral, ...changes }, 'INTERCHANGE_FEE_SETTLEMENT')).toEqual(both)
  }
})

test('A model that settles to the account of its deposits moves cover with the positions', () => {
  expect(changesOf(toFees, 'INTERCHANGE_FEE_SETTLEMENT')).toEqual([
    'RESERVED owed SAME LESS',
    'COMMITTED owing SAME MORE',
    'ABORTED owed SAME MORE',
  ])
})

test('A gross model moves positions and deposits when it is committed, with or without position reset', () => {
  const both = ['COMMITTED owing SAME MORE', 'COMMITTED owed SAME LESS']
  for (const changes of [gross, { ...gross, ...bilateral }]) {
    expect(changesOf(changes)).toEqual(both)
    expect(changesOf({ ...changes, autoPositionReset: false })).toEqual(both)
  }
})

test('Settled fees reduce the cover of senders no more, unless they are taken from it', () => {
  const more = ['COMMITTED owing MORE SAME']
  expect(changesOf({ ...ofFees, ...toFees })).toEqual(more)
  expect(changesOf({ ...ofFees, ...toFees, ...bilateral })).toEqual(more)
  expect(changesOf(ofFees)).toEqual(['COMMITTED excluded'])
  expect(changesOf({ ...ofFees, ...mojaloop })).toEqual(more)
  // Deposits on SETTLEMENT accounts cover nothing here.
  expect(changesOf(ofFees, 'INTERCHANGE_FEE_SETTLEMENT')).toEqual(more)
})

test('Fees that are paid to the account of deposits are cover of recipients once they are reserved', () => {
  expect(changesOf({ ...ofFees, ...toFees }, 'INTERCHANGE_FEE_SETTLEMENT')).toEqual([
    'RESERVED owed MORE SAME',
    'ABORTED owed LESS SAME',
  ])
})

const rules = fc.record({
  granularity: fc.constantFrom('GROSS', 'NET'),
  interchange: fc.constantFrom('BILATERAL', 'MULTILATERAL'),
  ledgerAccountType: fc.constantFrom('POSITION', 'INTERCHANGE_FEE'),
  settlementAccountType: fc.constantFrom('SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT'),
  autoPositionReset: fc.boolean(),
  excludesUnpaid: fc.boolean(),
})
const coverTypes = fc.constantFrom('SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT')

test('In every model, recording and settling change nothing, and an abort reverses the reservation', () => {
  const opposite = { LESS: 'MORE', SAME: 'SAME', MORE: 'LESS' }
  fc.assert(
    fc.property(rules, coverTypes, (all, coverType) => {
      const effects = effectsOf(all, coverType)
      const at = (state: string): StepEffect | undefined =>
        effects.find((effect) => effect.state === state)
      const same = { cover: 'SAME', netDebitCap: 'SAME' }
      const nothing = { owing: same, owed: same, awaitsFundsOut: false }
      for (const state of ['PS_TRANSFERS_RECORDED', 'SETTLED']) {
        expect(at(state)).toEqual({ state, ...nothing })
      }
      const [before, after] = [at('PS_TRANSFERS_RESERVED'), at('ABORTED')]
      for (const side of ['owing', 'owed'] as const) {
        for (const bound of ['cover', 'netDebitCap'] as const) {
          expect(after?.[side][bound]).toBe(opposite[before?.[side][bound] ?? 'SAME'])
        }
      }
    }),
  )
})

test('A net model without position reset changes nothing', () => {
  fc.assert(
    fc.property(rules, coverTypes, (all, coverType) => {
      const changes = { ...all, granularity: 'NET', autoPositionReset: false } as const
      expect(changesOf(changes, coverType)).toEqual([])
    }),
  )
})
