import { keyDefinitionTypeValues, keyDefinitionUsageValues } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { actions, faultOf, reasonAgainst, reasonAgainstNewKey } from './managed-key.ts'

const now = new Date('2030-06-01T00:00:00Z')
const earlier = new Date('2030-01-01T00:00:00Z')
const later = new Date('2031-01-01T00:00:00Z')
const actionNames = Object.keys(actions) as (keyof typeof actions)[]

describe('a key', () => {
  test('A key serves exactly the actions of its usage', () => {
    const served = keyDefinitionUsageValues.map((usage) => {
      const key = { usage, validFrom: earlier, validTo: later }
      return [usage, actionNames.filter((each) => reasonAgainst(key, each, now) === undefined)]
    })
    expect(served).toEqual([
      ['SIGN', ['SIGN', 'VERIFY']],
      ['TLS', ['TERMINATE_TLS']],
      ['ENCRYPT', ['ENCRYPT', 'DECRYPT']],
      ['PIN', ['TRANSLATE']],
      ['WRAP', ['UNWRAP']],
    ])
    const key = { usage: 'SIGN', validFrom: earlier, validTo: null } as const
    expect(reasonAgainst(key, 'ENCRYPT', now)?.reason).toBe('KEY_USAGE_WRONG')
  })

  test.each([
    ['before its validity', later, null, []],
    ['in its validity', now, later, ['SIGN', 'VERIFY']],
    ['without an end', earlier, null, ['SIGN', 'VERIFY']],
    ['from its end on', earlier, now, ['VERIFY']],
  ] as const)('A key %s signs and verifies only what it may', (_, validFrom, validTo, allowed) => {
    const key = { usage: 'SIGN', validFrom, validTo } as const
    const tried = (['SIGN', 'VERIFY'] as const).filter(
      (action) => reasonAgainst(key, action, now) === undefined,
    )
    expect(tried).toEqual(allowed)
  })
})

describe('a definition', () => {
  const definition = {
    label: 'a key',
    usage: 'ENCRYPT',
    type: 'AES',
    validFrom: now,
    validTo: later,
  } as const

  test('Only combinations of usage and type that exist can be defined', () => {
    const possible = keyDefinitionTypeValues.flatMap((type) =>
      keyDefinitionUsageValues
        .filter((usage) => faultOf({ ...definition, type, usage }, now) === undefined)
        .map((usage) => `${type} ${usage}`),
    )
    expect(possible).toEqual([
      'AES ENCRYPT',
      'AES PIN',
      'AES WRAP',
      'TDES PIN',
      'EC SIGN',
      'EC TLS',
      'EC WRAP',
    ])
  })

  test.each([
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(65) }, 'label'],
    [{ label: 'line\nfeed' }, 'label'],
    [{ validTo: now }, 'later than validFrom'],
    [{ validFrom: earlier, validTo: now }, 'in the future'],
  ])('The definition with %j is refused', (changed, words) => {
    expect(faultOf({ ...definition, ...changed }, now)?.detail).toContain(words)
  })

  test('Keys are made of the type of the definition, until it ends', () => {
    expect(reasonAgainstNewKey(definition, ['AES'], now)).toBeUndefined()
    expect(reasonAgainstNewKey(definition, ['EC'], now)?.reason).toBe('KEY_USAGE_WRONG')
    expect(reasonAgainstNewKey(definition, ['AES'], later)?.reason).toBe('KEY_NOT_VALID')
  })
})
