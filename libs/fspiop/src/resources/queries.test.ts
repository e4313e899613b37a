import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { errorCatalogue } from '../errors.ts'
import type { QueryReading } from '../query.ts'
import { readAuthorizationsQuery } from './authorizations.ts'
import { readParticipantsQuery } from './participants.ts'
import { readPartiesQuery } from './parties.ts'

function outcome(reading: QueryReading<unknown>): string {
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

describe('the query of GET /authorizations/{ID}', () => {
  const complete = { authenticationType: 'OTP', retriesLeft: '2', amount: '102', currency: 'USD' }
  const query = (parameters: Readonly<Record<string, string>>) =>
    String(new URLSearchParams(parameters))

  test('A complete query of GET /authorizations/{ID} is read, regardless of what else it holds', () => {
    expect(readAuthorizationsQuery(`${query(complete)}&more=1&__proto__=2`)).toEqual({
      ok: true,
      value: complete,
    })
  })

  test.each(['OTP', 'QRCODE', 'U2F'])(
    'The query of GET /authorizations/{ID} may ask for %s',
    (authenticationType) => {
      expect(outcome(readAuthorizationsQuery(query({ ...complete, authenticationType })))).toBe(
        'accepted',
      )
    },
  )

  test.each(Object.keys(complete))(
    'The query of GET /authorizations/{ID} is refused without %s, which is named',
    (name) => {
      const others = Object.entries(complete).filter(([each]) => each !== name)
      expect(outcome(readAuthorizationsQuery(query(Object.fromEntries(others))))).toBe(
        `3102 query parameter ${name}`,
      )
    },
  )

  test.each([
    ['authenticationType', 'PIN', '3100'],
    ['retriesLeft', 'two', '3101'],
    ['retriesLeft', '0', '3101'],
    ['currency', 'ZZZ', '3100'],
    ['amount', '5.50', '3100'],
  ])(
    'The query of GET /authorizations/{ID} with %s %j has the code %s among those of Mojaloop',
    (name, value, code) => {
      const reading = readAuthorizationsQuery(query({ ...complete, [name]: value }), 'mojaloop')
      expect(outcome(reading).startsWith(`${code} query parameter ${name}: `)).toBe(true)
    },
  )

  test('The query of GET /authorizations/{ID} names the first that is missing before all that is wrong', () => {
    expect(outcome(readAuthorizationsQuery(''))).toBe('3102 query parameter authenticationType')
    expect(outcome(readAuthorizationsQuery('authenticationType=PIN&retriesLeft=x&amount=1'))).toBe(
      '3102 query parameter currency',
    )
  })

  test.each([
    ['authenticationType', 'PIN', '3100'],
    ['authenticationType', 'otp', '3100'],
    ['authenticationType', '', '3100'],
    ['retriesLeft', '0', '3101'],
    ['retriesLeft', '02', '3101'],
    ['retriesLeft', '-1', '3101'],
    ['retriesLeft', '1.5', '3101'],
    ['retriesLeft', 'two', '3101'],
    ['retriesLeft', '', '3101'],
    ['amount', '5.50', '3101'],
    ['amount', '', '3101'],
    ['currency', 'usd', '3101'],
    ['currency', 'ZZZ', '3101'],
  ])('The query of GET /authorizations/{ID} with %s %j is %s', (name, value, code) => {
    const sentence = outcome(readAuthorizationsQuery(query({ ...complete, [name]: value })))
    expect(sentence.slice(0, `3101 query parameter ${name}:`.length)).toBe(
      `${code} query parameter ${name}:`,
    )
  })

  test('A parameter of GET /authorizations/{ID} given twice is refused: hub and FSP might read either', () => {
    expect(outcome(readAuthorizationsQuery(`${query(complete)}&currency=EUR`))).toBe(
      '3101 query parameter currency: given twice',
    )
  })

  test('A query of any text is read or refused with a code', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (name, value) => {
        const reading = readAuthorizationsQuery(`${query(complete)}&${name}=${value}`)
        expect(reading.ok || Object.hasOwn(errorCatalogue, reading.code)).toBe(true)
      }),
    )
  })
})

describe('the currency of a query', () => {
  test.each([
    ['', undefined],
    ['other=1', undefined],
    ['currency=USD', 'USD'],
    ['currency=%55SD', 'USD'],
  ])('The currency of a query on /participants, %j, is %s', (query, currency) => {
    expect(readParticipantsQuery(query)).toEqual({
      ok: true,
      value: currency === undefined ? {} : { currency },
    })
  })

  test.each(['currency=', 'currency=usd', 'currency=USD&currency=EUR', 'currency=%ff'])(
    'The currency of a query on /participants, %j, is refused',
    (query) => {
      expect(outcome(readParticipantsQuery(query))).toMatch(/^3101 query parameter currency: /)
    },
  )

  test.each([
    ['', undefined],
    ['currency=USD', 'USD'],
    ['currency=usd', undefined],
    ['currency=', undefined],
    ['currency=USD&currency=EUR', undefined],
  ])('The currency of a query on /parties, %j, is %s and never refused', (query, currency) => {
    expect(readPartiesQuery(query)).toEqual({ currency })
  })
})
