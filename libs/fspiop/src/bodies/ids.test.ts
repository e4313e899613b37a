import { expect, test } from '@jest/globals'
import { isCorrelationId, isThirdPartyId } from './ids.ts'

test.each([1, 2, 3, 4, 5, 6, 7, 8])('A lower-case UUID of version %p is accepted', (version) => {
  const id = `e5c1d8f3-72a6-${version}b09-8d14-f0b35a9c2e61`
  expect(isCorrelationId(id)).toBe(true)
})

test.each([
  'e5c1d8f3-72a6-0b09-8d14-f0b35a9c2e61',
  'e5c1d8f3-72a6-9b09-8d14-f0b35a9c2e61',
  'E5C1D8F3-72A6-4B09-8D14-F0B35A9C2E61',
  'e5c1d8f3-72a6-4b09-7d14-f0b35a9c2e61',
  'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e6',
  'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e611',
  'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61\n',
  '00000000-0000-0000-0000-000000000000',
  '01arz3ndektsv4rrffq69g5fav',
  '01ARZ3NDEKTSV4RRFFQ69G5FAVX',
  '',
])('%j names nothing', (text) => {
  expect(isCorrelationId(text)).toBe(false)
})

test('An upper-case ULID is accepted', () => {
  expect(isCorrelationId('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(true)
})

test.each([
  'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'E5C1D8F3-72A6-4B09-8D14-F0B35A9C2E61',
  'b51ec534-0000-0000-0000-000000000000',
])('The Third-Party API takes %s', (id) => {
  expect(isThirdPartyId(id)).toBe(true)
})

test.each(['01arz3ndektsv4rrffq69g5fav', 'b51ec534', ''])(
  'The Third-Party API does not take %j',
  (text) => {
    expect(isThirdPartyId(text)).toBe(false)
  },
)
