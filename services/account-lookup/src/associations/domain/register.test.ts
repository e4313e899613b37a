import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { overlap } from '../../domain/match.ts'
import type { Party } from '../../domain/party.ts'
import { register, type Command, type Held } from './register.ts'

const ana: Party = { type: 'MSISDN', identifier: '27713803912', subId: '' }

function command(type: Command['type'], fspId: string, currency = '', party = ana): Command {
  return { type, party, currency, fspId }
}

const associate = (fspId: string, currency = '') => command('ASSOCIATE', fspId, currency)
const remove = (fspId: string, currency = '') => command('REMOVE', fspId, currency)
const held = (fspId: string, currency = ''): Held => ({ party: ana, currency, fspId })

function outcomesOf(before: readonly Held[], ...commands: readonly Command[]): readonly string[] {
  return register(before, commands).outcomes.map((each) =>
    each.type === 'REFUSED' ? each.reason : each.type,
  )
}

describe('a party', () => {
  test('belongs to the first FSP that says so, and saying it again changes nothing', () => {
    const { outcomes, added, removed } = register([], [associate('green'), associate('green')])
    expect(outcomes).toEqual([{ type: 'DONE' }, { type: 'DONE' }])
    expect(added).toEqual([held('green')])
    expect(removed).toEqual([])
  })

  test('is not taken over by another FSP', () => {
    expect(outcomesOf([held('green')], associate('blue'))).toEqual(['TAKEN'])
    expect(outcomesOf([], associate('green'), associate('blue'))).toEqual(['DONE', 'TAKEN'])
  })

  test('may belong to one FSP in one currency and to another in another', () => {
    const all = register([held('green', 'USD')], [associate('blue', 'EUR')])
    expect(all.outcomes).toEqual([{ type: 'DONE' }])
    expect(all.added).toEqual([held('blue', 'EUR')])
  })

  test('that belongs to an FSP in any currency belongs to no other in a single one', () => {
    expect(outcomesOf([held('green')], associate('blue', 'USD'))).toEqual(['TAKEN'])
    expect(outcomesOf([held('green', 'USD')], associate('blue'))).toEqual(['TAKEN'])
    expect(outcomesOf([held('green', 'USD')], associate('green'))).toEqual(['DONE'])
    expect(outcomesOf([held('green')], associate('green', 'USD'))).toEqual(['DONE'])
  })

  test('is taken over with every currency by whom it belongs to in any case', () => {
    const before = [held('blue', 'USD'), held('red', 'EUR')]
    const all = register(before, [{ ...associate('green'), replaces: true }, associate('blue')])
    expect(all.outcomes).toEqual([{ type: 'DONE' }, { type: 'REFUSED', reason: 'TAKEN' }])
    expect(all.removed).toEqual(before)
    expect(all.added).toEqual([held('green')])
  })

  test('is let go of by its owner alone', () => {
    expect(outcomesOf([held('green')], remove('blue'))).toEqual(['NOT_OWNER'])
    expect(outcomesOf([held('green')], remove('green'))).toEqual(['DONE'])
    expect(outcomesOf([], remove('green'))).toEqual(['PARTY_UNKNOWN'])
    expect(outcomesOf([held('green')], remove('green'), remove('green'))).toEqual([
      'DONE',
      'PARTY_UNKNOWN',
    ])
  })

  test('is let go of in one currency when one is named, else in all of them', () => {
    const both = [held('green', 'USD'), held('green', 'EUR'), held('blue', 'KES')]
    expect(register(both, [remove('green', 'USD')]).removed).toEqual([held('green', 'USD')])
    expect(register(both, [remove('green')]).removed).toEqual([
      held('green', 'USD'),
      held('green', 'EUR'),
    ])
    expect(outcomesOf(both, remove('green', 'KES'))).toEqual(['NOT_OWNER'])
    expect(outcomesOf([held('green')], remove('green', 'USD'))).toEqual(['PARTY_UNKNOWN'])
  })

  test('that is let go of is free for another FSP in the same batch', () => {
    const { outcomes, added, removed } = register(
      [held('green')],
      [remove('green'), associate('blue')],
    )
    expect(outcomes).toEqual([{ type: 'DONE' }, { type: 'DONE' }])
    expect(removed).toEqual([held('green')])
    expect(added).toEqual([held('blue')])
  })
})

const parties = ['1', '2'].map((identifier): Party => ({ ...ana, identifier }))
const commands = fc.array(
  fc.record({
    type: fc.constantFrom('ASSOCIATE' as const, 'REMOVE' as const),
    party: fc.constantFrom(...parties),
    currency: fc.constantFrom('', 'USD', 'EUR'),
    fspId: fc.constantFrom('green', 'blue'),
  }),
  { maxLength: 12 },
)

/** What is stored after a batch. */
function applied(before: readonly Held[], batch: readonly Command[]): readonly Held[] {
  const { added, removed } = register(before, batch)
  const gone = new Set(removed.map((each) => JSON.stringify(each)))
  return [...before.filter((each) => !gone.has(JSON.stringify(each))), ...added]
}

function sorted(all: readonly Held[]): readonly string[] {
  return all.map((each) => JSON.stringify(each)).sort()
}

describe('a batch', () => {
  test('comes to what its commands would have come to in any split', () => {
    fc.assert(
      fc.property(commands, fc.nat(12), (all, cut) => {
        const whole = register([], all)
        const middle = applied([], all.slice(0, cut))
        const first = register([], all.slice(0, cut))
        const second = register(middle, all.slice(cut))
        expect([...first.outcomes, ...second.outcomes]).toEqual(whole.outcomes)
        expect(sorted(applied(middle, all.slice(cut)))).toEqual(sorted(applied([], all)))
      }),
    )
  })

  test('leaves each party at most one FSP in a currency', () => {
    fc.assert(
      fc.property(commands, commands, (before, batch) => {
        const all = applied(applied([], before), batch)
        for (const { identifier } of parties) {
          for (const asked of ['USD', 'EUR', 'KES']) {
            const owners = all
              .filter((each) => each.party.identifier === identifier)
              .filter(({ currency }) => overlap(currency, asked))
              .map(({ fspId }) => fspId)
            expect(new Set(owners).size).toBeLessThanOrEqual(1)
          }
        }
      }),
    )
  })

  test('never takes from an FSP what it has not let go of', () => {
    fc.assert(
      fc.property(commands, commands, (before, batch) => {
        const stored = applied([], before)
        const ofOthers = batch.filter(({ fspId }) => fspId === 'blue')
        const after = new Set(sorted(applied(stored, ofOthers)))
        const green = sorted(stored.filter(({ fspId }) => fspId === 'green'))
        expect(green.every((each) => after.has(each))).toBe(true)
      }),
    )
  })
})
