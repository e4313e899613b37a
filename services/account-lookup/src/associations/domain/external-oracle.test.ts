import { describe, expect, test } from '@jest/globals'
import { decideAssociation, decideRemoval } from './external-oracle.ts'

const entry = (fspId: string, currency = '') => ({ subId: '', fspId, currency })

describe('an association at an external oracle', () => {
  test.each([
    ['is created when the party has none', [], 'USD', 'CREATE'],
    ['is replaced when it exists', [entry('green', 'USD')], 'USD', 'REPLACE'],
    ['is replaced when it exists without currency', [entry('green')], '', 'REPLACE'],
    ["is created in addition to the FSP's own for any currency", [entry('green')], 'USD', 'CREATE'],
    [
      "is created in addition to another FSP's of another currency",
      [entry('blue', 'EUR')],
      'USD',
      'CREATE',
    ],
    ['is refused for any currency when another FSP has one', [entry('blue', 'EUR')], '', 'TAKEN'],
    ['is refused when another FSP has it', [entry('blue', 'USD')], 'USD', 'TAKEN'],
    ['is refused when another FSP may have it', [entry('blue')], 'USD', 'TAKEN'],
    ['is refused when another FSP has it as well', [entry('green'), entry('blue')], '', 'TAKEN'],
  ])('%s', (_title, found, currency, expected) => {
    const decision = decideAssociation(found, { currency, fspId: 'green' })
    expect(decision.type === 'REFUSED' ? decision.reason : decision.type).toBe(expected)
  })

  test.each([
    ['in its currency', [entry('green', 'USD')], 'USD', ['USD']],
    ['as a whole', [entry('green')], '', ['']],
    [
      'in each currency, when the request names none',
      [entry('green', 'USD'), entry('green', 'EUR')],
      '',
      ['USD', 'EUR'],
    ],
    ['where the oracle reports no currency', [entry('green')], 'USD', ['USD']],
    ["with another FSP's currency", [entry('green', 'USD'), entry('blue', 'EUR')], '', ['USD']],
  ])(
    'An association at an external oracle is removed %s',
    (_title, found, currency, currencies) => {
      expect(decideRemoval(found, { currency, fspId: 'green' }, false)).toEqual({
        type: 'REMOVE',
        currencies,
      })
    },
  )

  test.each([
    ['without owner', [], '', 'PARTY_UNKNOWN'],
    ['of another FSP', [entry('blue')], '', 'NOT_OWNER'],
    [
      "that cannot be distinguished from another FSP's",
      [entry('green'), entry('blue', 'EUR')],
      '',
      'NOT_OWNER',
    ],
    [
      "with another FSP's of the same currency",
      [entry('green', 'USD'), entry('blue', 'USD')],
      'USD',
      'NOT_OWNER',
    ],
  ])('%s is not removed', (_title, found, currency, reason) => {
    expect(decideRemoval(found, { currency, fspId: 'green' }, false)).toEqual({
      type: 'REFUSED',
      reason,
    })
  })

  test('A removal that took effect before a crash succeeds when the request is repeated', () => {
    const request = { currency: '', fspId: 'green' }
    expect(decideRemoval([], request, true)).toEqual({ type: 'DONE' })
    expect(decideRemoval([entry('blue')], request, true)).toEqual({ type: 'DONE' })
  })
})
