import { expect, test } from '@jest/globals'
import { groupNames, serviceNames, servicesOf } from './index.ts'

test('A service, a group, or several of them are the name of a process', () => {
  expect(servicesOf('quoting')).toEqual(['quoting'])
  expect(servicesOf('quoting+transfers')).toEqual(['quoting', 'transfers'])
  expect(servicesOf('path')).toContain('transfers')
  expect(servicesOf('path+transfers')).toEqual(servicesOf('path'))
})

test.each(['', 'Quoting', 'path+', 'path+nothing', 'constructor'])(
  '%j is no name of a process',
  (name) => {
    expect(servicesOf(name)).toEqual([])
  },
)

test('The groups and the ledger together run each service once', () => {
  const all = [...groupNames, 'participant-lifecycle'].flatMap(servicesOf)
  expect(all.toSorted()).toEqual(serviceNames.toSorted())
})
