import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { overlap } from '../../domain/match.ts'
import type { Party } from '../../domain/party.ts'
import { register, type AssociationCommand, type PartyAssociation } from './register.ts'

const ana: Party = { type: 'MSISDN', identifier: '27713803912', subId: '' }

function command(
  type: AssociationCommand['type'],
  fspId: string,
  currency = '',
  party = ana,
): AssociationCommand {
  return { type, party, currency, fspId }
}

const associate = (fspId: string, currency = '') => command('ASSOCIATE', fspId, currency)
const remove = (fspId: string, currency = '') => command('REMOVE', fspId, currency)
const held = (fspId: string, currency = ''): PartyAssociation => ({ party: ana, currency, fspId })

function outcomesOf(
  before: readonly PartyAssociation[],
  ...commands: readonly AssociationCommand[]
): readonly string[] {
  return register(before, commands).outcomes.map((each) =>
    each.type === 'REFUSED' ? each.reason : each.type,
  )
}

describe('a party', () => {
  test('A party belongs to the first FSP that registers it, and registering it again changes nothing', () => {
    const { outcomes, added, removed } = register([], [associate('green'), associate('green')])
    expect(outcomes).toEqual([{ type: 'DONE' }, { type: 'DONE' }])
    expect(added).toEqual([held('green')])
    expect(removed).toEqual([])
  })

  test('Another FSP cannot take over a party', () => {
    expect(outcomesOf([held('green')], associate('blue'))).toEqual(['TAKEN'])
    expect(outcomesOf([], associate('green'), associate('blue'))).toEqual(['DONE', 'TAKEN'])
  })

  test('A party may belong to different FSPs in different currencies', () => {
    const all = register([held('green', 'USD')], [associate('blue', 'EUR')])
    expect(all.outcomes).toEqual([{ type: 'DONE' }])
    expect(all.added).toEqual([held('blue', 'EUR')])
  })

  test('A party that belongs to an FSP in any currency belongs to no other FSP in a single one', () => {
    expect(outcomesOf([held('green')], associate('blue', 'USD'))).toEqual(['TAKEN'])
    expect(outcomesOf([held('green', 'USD')], associate('blue'))).toEqual(['TAKEN'])
    expect(outcomesOf([held('green', 'USD')], associate('green'))).toEqual(['DONE'])
    expect(outcomesOf([held('green')], associate('green', 'USD'))).toEqual(['DONE'])
  })

  test('The owner of a party in one currency may register it in all currencies', () => {
    const before = [held('blue', 'USD'), held('red', 'EUR')]
    const all = register(before, [{ ...associate('green'), replaces: true }, associate('blue')])
    expect(all.outcomes).toEqual([{ type: 'DONE' }, { type: 'REFUSED', reason: 'TAKEN' }])
    expect(all.removed).toEqual(before)
    expect(all.added).toEqual([held('green')])
  })

  test('Only its owner can remove a party', () => {
    expect(outcomesOf([held('green')], remove('blue'))).toEqual(['NOT_OWNER'])
    expect(outcomesOf([held('green')], remove('green'))).toEqual(['DONE'])
    expect(outcomesOf([], remove('green'))).toEqual(['PARTY_UNKNOWN'])
    expect(outcomesOf([held('green')], remove('green'), remove('green'))).toEqual([
      'DONE',
      'PARTY_UNKNOWN',
    ])
  })

  test('A removal affects the named currency, or all currencies if none is named', () => {
    const both = [held('green', 'USD'), held('green', 'EUR'), held('blue', 'KES')]
    expect(register(both, [remove('green', 'USD')]).removed).toEqual([held('green', 'USD')])
    expect(register(both, [remove('green')]).removed).toEqual([
      held('green', 'USD'),
      held('green', 'EUR'),
    ])
    expect(outcomesOf(both, remove('green', 'KES'))).toEqual(['NOT_OWNER'])
    expect(outcomesOf([held('green')], remove('green', 'USD'))).toEqual(['PARTY_UNKNOWN'])
  })

  test('A removed party is free for another FSP in the same batch', () => {
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
function applied(
  before: readonly PartyAssociation[],
  batch: readonly AssociationCommand[],
): readonly PartyAssociation[] {
  const { added, removed } = register(before, batch)
  const gone = new Set(removed.map((each) => JSON.stringify(each)))
  return [...before.filter((each) => !gone.has(JSON.stringify(each))), ...added]
}

function sorted(all: readonly PartyAssociation[]): readonly string[] {
  return all.map((each) => JSON.stringify(each)).sort()
}

describe('a batch', () => {
  test('A batch has the same result as its commands in any split', () => {
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

  test('A batch leaves each party at most one FSP per currency', () => {
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

  test('A batch never removes an association that its FSP has not removed', () => {
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
