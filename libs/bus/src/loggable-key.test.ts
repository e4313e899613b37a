import { expect, test } from '@jest/globals'
import { loggableKey } from './loggable-key.ts'

test('Ids of payments are logged', () => {
  for (const id of ['85feac2f-39b2-491b-817e-4a03203d4f14', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
    expect(loggableKey(id)).toBe(id)
  }
})

test('A key that names a party is not logged', () => {
  expect(loggableKey('MSISDN/22507008181')).toBeUndefined()
  expect(loggableKey('22507008181')).toBeUndefined()
})
