import { expect, test } from '@jest/globals'
import { addressOf } from './address.ts'

test('A value that the path names is put into the path, encoded', () => {
  const path = '/participants/{name}/keys/{kid}'
  expect(addressOf(path, { name: 'a/b', kid: 7 })).toBe('/participants/a%2Fb/keys/7')
})

test('A value that the path does not name becomes part of the query unless it is empty', () => {
  const values = { name: 'greenbank', limit: '50', cursor: '', state: undefined, day: '1&2' }
  expect(addressOf('/participants/{name}/funds', values)).toBe(
    '/participants/greenbank/funds?limit=50&day=1%262',
  )
  expect(addressOf('/transfers', { state: '' })).toBe('/transfers')
})
