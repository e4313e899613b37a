import { describe, expect, test } from '@jest/globals'
import { causeOf, type ErrorCode, errorCatalogue, errorInformation, refusal } from './errors.ts'

describe('the catalogue', () => {
  const codes = Object.keys(errorCatalogue) as ErrorCode[]

  test('holds every code with the four digits of its numbering and a name that fits', () => {
    for (const code of codes) {
      expect(code).toMatch(/^[1-6]\d{3}$/)
      expect(errorCatalogue[code].name.length).toBeLessThanOrEqual(60)
    }
    expect(codes).toHaveLength(72)
  })

  test('answers faults of the server with 503, but 501 for what is not implemented', () => {
    for (const code of codes.filter((each) => /^[12]/.test(each))) {
      expect(errorCatalogue[code].status).toBe(code === '2002' ? 501 : 503)
    }
  })

  test('answers all else with 400, but 406 for versions and 404 for paths', () => {
    const special = { '3001': 406, '3002': 404 } as Readonly<Record<string, number>>
    for (const code of codes.filter((each) => /^[3-6]/.test(each))) {
      expect(errorCatalogue[code].status).toBe(special[code] ?? 400)
    }
  })
})

describe('error information', () => {
  test('is the name and the detail', () => {
    expect(errorInformation('3102', '/quoteId')).toEqual({
      errorCode: '3102',
      errorDescription: 'Missing mandatory element - /quoteId',
    })
  })

  test('is the name alone when there is no detail', () => {
    expect(errorInformation('3303')).toEqual({
      errorCode: '3303',
      errorDescription: 'Transfer expired',
    })
  })

  test('carries an extension list when there is one', () => {
    const extensionList = { extension: [{ key: '1', value: '0' }] }
    expect(errorInformation('3001', 'version 9.9', extensionList)).toEqual({
      errorCode: '3001',
      errorDescription: 'Unacceptable version requested - version 9.9',
      extensionList,
    })
  })

  test('is cut to 128 characters', () => {
    const { errorDescription } = errorInformation('3100', 'x'.repeat(500))
    expect(errorDescription).toBe(`Generic validation error - ${'x'.repeat(101)}`)
  })

  test('is cut between characters, never through one', () => {
    const { errorDescription } = errorInformation('3100', '😀'.repeat(300))
    expect(Array.from(errorDescription)).toHaveLength(128)
    expect(errorDescription.endsWith('😀')).toBe(true)
  })

  test('of 128 characters outside the basic plane is left whole', () => {
    const detail = '😀'.repeat(101)
    expect(errorInformation('3100', detail).errorDescription).toBe(
      `Generic validation error - ${detail}`,
    )
  })
})

test('a cause is code, colon and description, cut to fit an extension', () => {
  expect(causeOf(errorInformation('3303'))).toBe('3303: Transfer expired')
  expect(causeOf(errorInformation('3100', 'invalid fulfilment'))).toBe(
    '3100: Generic validation error - invalid fulfilment',
  )
  expect(causeOf({ errorCode: '5199', errorDescription: 'y'.repeat(128) })).toHaveLength(128)
})

test('a refusal has the status of its code', () => {
  expect(refusal('3002', '/unknown')).toEqual({ status: 404, code: '3002', detail: '/unknown' })
})
