import { expect, test } from '@jest/globals'
import { innerServices } from '../services.ts'
import { serviceModules } from './service-modules.ts'

test('Services start in the order of a hub in one process, and the edges last', () => {
  expect(Object.keys(serviceModules)).toEqual([
    ...Object.keys(innerServices),
    'fspiop-api',
    'admin',
  ])
})
