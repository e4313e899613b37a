import { describe, expect, test } from '@jest/globals'
import { decideMaking, decideRemoving } from './abroad.ts'

const entry = (fspId: string, currency = '') => ({ subId: '', fspId, currency })

describe('an association with a foreign oracle', () => {
  test.each([
    ['is created when nobody has it', [], 'USD', 'CREATE'],
    ['is replaced when it stands', [entry('green', 'USD')], 'USD', 'REPLACE'],
    ['is replaced when it stands without currency', [entry('green')], '', 'REPLACE'],
    ["is created beside the FSP's own for any currency", [entry('green')], 'USD', 'CREATE'],
    [
      "is created beside another FSP's of another currency",
      [entry('blue', 'EUR')],
      'USD',
      'CREATE',
    ],
    ['is refused for any currency when another FSP has one', [entry('blue', 'EUR')], '', 'TAKEN'],
    ['is refused when another FSP has it', [entry('blue', 'USD')], 'USD', 'TAKEN'],
    ['is refused when another FSP may have it', [entry('blue')], 'USD', 'TAKEN'],
    ['is refused when another FSP has it as well', [entry('green'), entry('blue')], '', 'TAKEN'],
  ])('%s', (_title, found, currency, expected) => {
    const making = decideMaking(found, { currency, fspId: 'green' })
    expect(making.type === 'REFUSED' ? making.reason : making.type).toBe(expected)
  })

  test.each([
    ['in its currency', [entry('green', 'USD')], 'USD', ['USD']],
    ['as a whole', [entry('green')], '', ['']],
    [
      'in each currency, all being meant',
      [entry('green', 'USD'), entry('green', 'EUR')],
      '',
      ['USD', 'EUR'],
    ],
    ['where the oracle tells no currency', [entry('green')], 'USD', ['USD']],
    ["beside another FSP's currency", [entry('green', 'USD'), entry('blue', 'EUR')], '', ['USD']],
  ])('is removed %s', (_title, found, currency, currencies) => {
    expect(decideRemoving(found, { currency, fspId: 'green' }, false)).toEqual({
      type: 'REMOVE',
      currencies,
    })
  })

  test.each([
    ['that nobody has', [], '', 'PARTY_UNKNOWN'],
    ['of another FSP', [entry('blue')], '', 'NOT_OWNER'],
    [
      "that cannot be told from another FSP's",
      [entry('green'), entry('blue', 'EUR')],
      '',
      'NOT_OWNER',
    ],
    [
      "beside another FSP's of the same currency",
      [entry('green', 'USD'), entry('blue', 'USD')],
      'USD',
      'NOT_OWNER',
    ],
  ])('%s is not removed', (_title, found, currency, reason) => {
    expect(decideRemoving(found, { currency, fspId: 'green' }, false)).toEqual({
      type: 'REFUSED',
      reason,
    })
  })

  test('that was removed before a crash is removed when the request comes again', () => {
    const wish = { currency: '', fspId: 'green' }
    expect(decideRemoving([], wish, true)).toEqual({ type: 'DONE' })
    expect(decideRemoving([entry('blue')], wish, true)).toEqual({ type: 'DONE' })
  })
})
