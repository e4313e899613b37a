import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matches, ownersOf } from './match.ts'

describe('an association', () => {
  test.each([
    // stored, asked: sub id and currency
    ['', '', '', '', true],
    ['', '', '', 'USD', true],
    ['', 'USD', '', '', true],
    ['', 'USD', '', 'USD', true],
    ['', 'USD', '', 'EUR', false],
    ['till1', '', '', '', false],
    ['', '', 'till1', '', false],
    ['till1', '', 'till1', '', true],
    ['till1', '', 'till2', '', false],
    ['till1', 'USD', 'till1', '', true],
    ['till1', 'USD', 'till1', 'EUR', false],
    ['till1', '', 'TILL1', '', false],
  ])(
    'An association of [%j %j], requested as [%j %j]: %s',
    (subId, currency, askedSubId, askedCurrency, expected) => {
      const association = { subId, currency, fspId: 'bluewallet' }
      expect(matches(association, { subId: askedSubId, currency: askedCurrency })).toBe(expected)
    },
  )

  const text = fc.constantFrom('', 'A', 'B')
  const association = fc.record({ subId: text, currency: text, fspId: fc.constantFrom('x', 'y') })
  const asked = fc.record({ subId: text, currency: text })

  test('An association that is found with a currency is found without one, too', () => {
    fc.assert(
      fc.property(association, asked, (each, { subId, currency }) => {
        if (matches(each, { subId, currency })) {
          expect(matches(each, { subId, currency: '' })).toBe(true)
        }
      }),
    )
  })

  test('An association without wildcards is found only by its own sub id and currency', () => {
    fc.assert(
      fc.property(association, (each) => {
        expect(matches(each, each)).toBe(true)
      }),
    )
  })

  test('An FSP is listed once, however many currencies it has the party in', () => {
    fc.assert(
      fc.property(fc.array(association), asked, (all, wanted) => {
        const owners = ownersOf(all, wanted)
        expect(new Set(owners).size).toBe(owners.length)
        expect(new Set(owners)).toEqual(
          new Set(all.filter((each) => matches(each, wanted)).map(({ fspId }) => fspId)),
        )
      }),
    )
  })

  test('Older associations are listed first', () => {
    const usd = { subId: '', currency: 'USD', fspId: 'bluewallet' }
    const eur = { subId: '', currency: 'EUR', fspId: 'greenbank' }
    expect(ownersOf([usd, eur], { subId: '', currency: '' })).toEqual(['bluewallet', 'greenbank'])
    expect(ownersOf([usd, eur], { subId: '', currency: 'EUR' })).toEqual(['greenbank'])
  })
})
