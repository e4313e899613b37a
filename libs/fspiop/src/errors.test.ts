import { describe, expect, test } from '@jest/globals'
import {
  causeOf,
  type ErrorCode,
  errorCatalogue,
  errorInformation,
  httpStatuses,
  meaningOf,
  refusal,
} from './errors.ts'

/** The codes of the API for FSPs, by the status of an answer. */
const codesByStatus: readonly (readonly [status: number, codes: string])[] = [
  [503, '1000 1001 2000 2001 2003 2004 2005 2006'],
  [501, '2002'],
  [406, '3001'],
  [404, '3002'],
  [400, '3000 3003 3040 3100 3101 3102 3103 3104 3105 3106 3107'],
  [400, '3200 3201 3202 3203 3204 3205 3206 3207 3208 3209 3210 3300 3301 3302 3303'],
  [400, '4000 4001 4100 4101 4102 4103 4200 4300 4400'],
  [400, '5000 5001 5100 5101 5102 5103 5104 5105 5106 5107 5200 5300 5400'],
]

describe('the catalogue', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]

  test('The catalogue holds every code with the four digits of its numbering and a name that fits', () => {
    for (const code of codes) {
      expect(code).toMatch(/^[1-6]\d{3}$/)
      expect(errorCatalogue[code].name.length).toBeLessThanOrEqual(60)
    }
    expect(codes).toHaveLength(72)
  })

  test.each(codesByStatus)(
    'The catalogue answers with %s for %s, and has no other',
    (status, list) => {
      for (const code of list.split(' ')) {
        expect(errorCatalogue[code as ErrorCode]).toMatchObject({ status })
      }
      const all = codesByStatus.flatMap(([, each]) => each.split(' '))
      expect(codes.filter((code) => /^[1-5]/.test(code)).sort()).toEqual(all.sort())
    },
  )

  test('The catalogue has only the statuses of the API', () => {
    expect(Object.keys(httpStatuses).map(Number)).toEqual([
      200, 202, 400, 401, 403, 404, 405, 406, 501, 503,
    ])
    for (const code of codes) expect(httpStatuses[errorCatalogue[code].status]).toBeDefined()
  })

  test('The catalogue answers faults of the server with 503, but 501 for what is not implemented', () => {
    for (const code of codes.filter((each) => /^[12]/.test(each))) {
      expect(errorCatalogue[code].status).toBe(code === '2002' ? 501 : 503)
    }
  })

  test('The catalogue answers all else with 400, but 406 for versions and 404 for paths', () => {
    const special = { '3001': 406, '3002': 404 } as Readonly<Record<string, number>>
    for (const code of codes.filter((each) => /^[3-6]/.test(each))) {
      expect(errorCatalogue[code].status).toBe(special[code] ?? 400)
    }
  })
})

describe('error information', () => {
  test('Error information is the name and the detail', () => {
    expect(errorInformation('3102', '/quoteId')).toEqual({
      errorCode: '3102',
      errorDescription: 'Missing mandatory element - /quoteId',
    })
  })

  test('Error information is the name alone when there is no detail', () => {
    expect(errorInformation('3303')).toEqual({
      errorCode: '3303',
      errorDescription: 'Transfer expired',
    })
  })

  test('Error information carries an extension list when there is one', () => {
    const extensionList = { extension: [{ key: '1', value: '0' }] }
    expect(errorInformation('3001', 'version 9.9', extensionList)).toEqual({
      errorCode: '3001',
      errorDescription: 'Unacceptable version requested - version 9.9',
      extensionList,
    })
  })

  test('Error information is cut to 128 characters', () => {
    const { errorDescription } = errorInformation('3100', 'x'.repeat(500))
    expect(errorDescription).toBe(`Generic validation error - ${'x'.repeat(101)}`)
  })

  test('Error information is cut between characters, never through one', () => {
    const { errorDescription } = errorInformation('3100', '😀'.repeat(300))
    expect(Array.from(errorDescription)).toHaveLength(128)
    expect(errorDescription.endsWith('😀')).toBe(true)
  })

  test('Error information of 128 characters outside the basic plane is left whole', () => {
    const detail = '😀'.repeat(101)
    expect(errorInformation('3100', detail).errorDescription).toBe(
      `Generic validation error - ${detail}`,
    )
  })
})

test('A cause is code, colon and description, cut to fit an extension', () => {
  expect(causeOf(errorInformation('3303'))).toBe('3303: Transfer expired')
  expect(causeOf(errorInformation('3100', 'invalid fulfilment'))).toBe(
    '3100: Generic validation error - invalid fulfilment',
  )
  expect(causeOf({ errorCode: '5199', errorDescription: 'y'.repeat(128) })).toHaveLength(128)
})

test('A refusal has the status of its code', () => {
  expect(refusal('3002', '/unknown')).toEqual({ status: 404, code: '3002', detail: '/unknown' })
})

test.each([
  ['3204', '3204'],
  ['5199', '5100'],
  ['3350', '3300'],
  ['3999', '3000'],
  ['4500', '4000'],
  ['1100', '1000'],
  ['7001', undefined],
  ['0999', undefined],
  ['320', undefined],
  ['constructor', undefined],
])('An error %s means what %s means', (code, meaning) => {
  expect(meaningOf(code)).toBe(meaning)
})
