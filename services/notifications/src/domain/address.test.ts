import { expect, test } from '@jest/globals'
import { currentUrl } from './address.ts'

const url = 'http://old.example/transfers/1'
const parts = {
  operation: 'PUT /transfers/{ID}',
  path: '/transfers/1',
  variables: { transferId: '1', ID: '1', id: '1' },
}

test.each([
  ['FSPIOP_CALLBACK_URL_TRANSFER_PUT', 'http://new.example/t/{{transferId}}/put', '/t/1/put'],
  ['FSPIOP_CALLBACK_URL', 'http://new.example/api', '/api/transfers/1'],
])('a callback goes where its FSP wants it by %s now', (type, value, path) => {
  expect(currentUrl(url, parts, new Map([[type, value]]))).toBe(`http://new.example${path}`)
})

test('a callback goes where it was to go when nothing newer can be known', () => {
  expect(currentUrl(url, parts, undefined)).toBe(url)
  expect(currentUrl(url, undefined, new Map([['FSPIOP_CALLBACK_URL', 'http://new.example']]))).toBe(
    url,
  )
  expect(currentUrl(url, parts, new Map())).toBe(url)
})
