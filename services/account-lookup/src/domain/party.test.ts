import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { partyKey, partyOfKey, readParty, type Party } from './party.ts'

function partyOf(partyIdType: string, partyIdentifier: string, partySubIdOrType?: string) {
  const reading = readParty({ partyIdType, partyIdentifier, partySubIdOrType })
  return reading.type === 'PARTY' ? reading.party : reading.type
}

describe('a party', () => {
  test('An MSISDN is the same party with and without its plus sign', () => {
    expect(partyOf('MSISDN', '+27713803912')).toEqual(partyOf('MSISDN', '27713803912'))
    expect(partyOf('MSISDN', '+27713803912')).toEqual({
      type: 'MSISDN',
      identifier: '27713803912',
      subId: '',
    })
  })

  test('A plus sign of any other type is part of the identifier', () => {
    expect(partyOf('ALIAS', '+1')).toEqual({ type: 'ALIAS', identifier: '+1', subId: '' })
  })

  test('A party with a sub id is another party', () => {
    expect(partyOf('BUSINESS', 'shoes', 'till1')).toEqual({
      type: 'BUSINESS',
      identifier: 'shoes',
      subId: 'till1',
    })
  })

  test('A party of type CONSENTS has the type CONSENT', () => {
    expect(partyOf('CONSENTS', 'c1')).toEqual(partyOf('CONSENT', 'c1'))
    expect(partyOf('THIRD_PARTY_LINK', 'l1')).toMatchObject({ type: 'THIRD_PARTY_LINK' })
  })

  test.each([
    ['PHONE', '1', undefined, 'TYPE_UNKNOWN'],
    ['msisdn', '1', undefined, 'TYPE_UNKNOWN'],
    ['MSISDN', '12a', undefined, 'IDENTIFIER_ILLEGAL'],
    ['MSISDN', '++1', undefined, 'IDENTIFIER_ILLEGAL'],
    ['EMAIL', 'nobody', undefined, 'IDENTIFIER_ILLEGAL'],
    ['IBAN', 'xx', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'a/b', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'a\u0000b', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', '', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'x'.repeat(129), undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'half\ud83d', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', '..', undefined, 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'ok', '.', 'IDENTIFIER_ILLEGAL'],
    ['ALIAS', 'ok', '', 'IDENTIFIER_ILLEGAL'],
  ])('%s %j %j is none: %s', (type, identifier, subId, expected) => {
    expect(partyOf(type, identifier, subId)).toBe(expected)
  })

  test('A party key converts back to its party', () => {
    const name = fc.record({
      partyIdType: fc.constantFrom('ALIAS', 'BUSINESS', 'CONSENTS'),
      partyIdentifier: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
      partySubIdOrType: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
    })
    const keys = new Map<string, Party>()
    fc.assert(
      fc.property(name, (each) => {
        const reading = readParty(each)
        if (reading.type !== 'PARTY') return
        const key = partyKey(reading.party)
        expect(partyOfKey(key)).toEqual(reading.party)
        expect(keys.get(key) ?? reading.party).toEqual(reading.party)
        keys.set(key, reading.party)
      }),
    )
    expect(keys.size).toBeGreaterThan(0)
  })
})
