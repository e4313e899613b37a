import { expect, test } from '@jest/globals'
import { headersOf } from './connection.ts'

const head = { source: 'payer', date: 'Thu, 01 Jan 2026 00:00:00 GMT', isSigned: false }

test('A request accepts what its resource answers with, and an answer accepts nothing', () => {
  const media = 'application/vnd.interoperability.parties+json;version=1.1'
  const path = '/parties/MSISDN/1'
  expect(headersOf({ ...head, method: 'GET', path })).toEqual({
    accept: media,
    'content-type': media,
    date: head.date,
    'fspiop-source': 'payer',
  })
  for (const method of ['PUT', 'PATCH']) {
    expect(headersOf({ ...head, method, path })).not.toHaveProperty('accept')
  }
})

test('A signed message names its path and method, and a message that has a destination names it', () => {
  const signed = { ...head, method: 'POST', path: '/quotes', isSigned: true, destination: 'payee' }
  expect(headersOf(signed)).toMatchObject({
    'fspiop-destination': 'payee',
    'fspiop-uri': '/quotes',
    'fspiop-http-method': 'POST',
  })
})

test('The resource of a path ends at the next segment or at the query', () => {
  for (const path of ['/transfers/1/error', '/transfers?page=2', '/transfers']) {
    expect(headersOf({ ...head, method: 'GET', path })['content-type']).toContain('.transfers+json')
  }
})
