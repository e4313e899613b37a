import { expect, test } from '@jest/globals'
import { recordOf } from '../record.ts'
import { openUnsent } from './unsent.ts'

const recordWith = (key: string, value = '{}') =>
  recordOf({ topic: 'orders', key, value, headers: {} })

test('A record is remembered by the number of its row until it is sent', () => {
  const unsent = openUnsent()
  const [one, two] = [recordWith('a'), recordWith('b')]
  unsent.add(['7', '8'], [one, two])
  expect(['7', '8', '9'].map((n) => unsent.recordOf(n))).toEqual([one, two, undefined])
  unsent.forget(['7'])
  expect(['7', '8'].map((n) => unsent.recordOf(n))).toEqual([undefined, two])
})

test('What another process has sent is forgotten, and what was added meanwhile is not', () => {
  const unsent = openUnsent()
  unsent.add(['7', '8'], [recordWith('a'), recordWith('b')])
  const { added } = unsent
  const later = recordWith('c')
  unsent.add(['9'], [later])
  unsent.forgetEarlier(added)
  expect(['7', '8', '9'].map((n) => unsent.recordOf(n))).toEqual([undefined, undefined, later])
})

test('It keeps no more than its bound, and has room again when something is forgotten', () => {
  const record = recordWith('a', 'x'.repeat(100))
  const unsent = openUnsent(2 * record.bytes)
  unsent.add(['1', '2', '3'], [record, record, record])
  expect(['1', '2', '3'].map((n) => unsent.recordOf(n))).toEqual([record, record, undefined])
  unsent.forget(['1', '3'])
  unsent.add(['4', '5'], [record, record])
  expect(['2', '4', '5'].map((n) => unsent.recordOf(n))).toEqual([record, record, undefined])
})
