import { StartError } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { openBasePaths } from './base-paths.ts'

const apiPaths = ['/participants', '/participants/:name/limits', '/v2/settlements', '/']

describe('Paths under a base path:', () => {
  const withoutBase = openBasePaths('FSP_BASE_PATHS', '/als, /fsp/1.0', apiPaths)

  test.each([
    ['/als/participants', '/participants'],
    ['/als/participants?x=/als/y', '/participants?x=/als/y'],
    ['/als?x=1', '/?x=1'],
    ['/als', '/'],
    ['/als/', '/'],
    ['/fsp/1.0/participants/als/als', '/participants/als/als'],
    ['/participants/als', '/participants/als'],
    ['/alsace/participants', '/alsace/participants'],
    ['/ALS/participants', '/ALS/participants'],
    ['/fsp/participants', '/fsp/participants'],
    ['/als/als/participants', '/als/participants'],
    ['', ''],
  ])('The path "%s" is "%s" without its base path', (path, expected) => {
    expect(withoutBase(path)).toBe(expected)
  })
})

test('The longest matching base path is removed', () => {
  const withoutBase = openBasePaths('FSP_BASE_PATHS', '/fsp,/fsp/als', [])
  expect(withoutBase('/fsp/als/participants')).toBe('/participants')
})

test('Without base paths every path is unchanged', () => {
  expect(openBasePaths('FSP_BASE_PATHS', ' ', apiPaths)('/als/x')).toBe('/als/x')
})

test.each([
  ['als', 'als'],
  ['/', '/'],
  ['/als/', '/als/'],
  ['//als', '//als'],
  ['/a b', '/a b'],
  ['/als?x', '/als?x'],
  ['/../x', '/../x'],
])('"%s" is refused as a base path', (setting, named) => {
  expect(() => openBasePaths('FSP_BASE_PATHS', setting, [])).toThrow(
    new StartError(`FSP_BASE_PATHS: '${named}' is not a path such as /als or /fsp/1.0.`),
  )
})

test.each(['/participants', '/participants/x', '/v2/settlements'])(
  'The base path %s is refused because it begins like a path of the API',
  (setting) => {
    expect(() => openBasePaths('FSP_BASE_PATHS', setting, apiPaths)).toThrow(
      new StartError(`FSP_BASE_PATHS: '${setting}' begins as paths of the API do.`),
    )
  },
)
