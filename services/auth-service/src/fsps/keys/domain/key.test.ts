import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { add, end, keys_max, type Key, type NewKey } from './key.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const before = new Date('2026-05-01T11:00:00.000Z')
const after = new Date('2026-05-01T13:00:00.000Z')

function wanted(changes: Partial<NewKey> = {}): NewKey {
  return {
    kid: 'a',
    use: 'sig',
    thumbprint: 'thumb-a',
    jwk: '{}',
    validFrom: now,
    validTo: null,
    createdBy: 'op',
    ...changes,
  }
}

function known(changes: Partial<Key> = {}): Key {
  return { ...wanted(), createdAt: before, ...changes }
}

describe('adding', () => {
  test('A new key is added', () => {
    const key = wanted({ kid: 'b', thumbprint: 'thumb-b' })
    expect(add([known()], key, now)).toEqual({ type: 'ADD', key: { ...key, createdAt: now } })
  })

  test('The same key again is recognized, with its stored times', () => {
    const key = known({ validTo: before })
    expect(add([key], wanted({ validFrom: after }), now)).toEqual({ type: 'KNOWN', key })
  })

  test.each([
    ['another key', { thumbprint: 'thumb-b' }],
    ['the same key for another use', { use: 'enc' }],
  ] as const)('%s of a known kid is refused', (_, changes) => {
    expect(add([known()], wanted(changes), now)).toMatchObject({ reason: 'KEY_EXISTS' })
  })

  test.each([
    ['that ends before it begins', { validFrom: after, validTo: now }],
    ['that never is valid', { validFrom: after, validTo: after }],
    ['that has ended already', { validFrom: before, validTo: now }],
  ])('A key %s is refused', (_, times) => {
    expect(add([], wanted(times), now)).toMatchObject({ reason: 'INVALID' })
  })

  test('The number of keys that have not ended is bounded per use', () => {
    const many = Array.from({ length: keys_max }, (_, n) => known({ kid: `k${n}` }))
    expect(add(many, wanted(), now)).toMatchObject({ reason: 'INVALID' })
    expect(add(many, wanted({ use: 'enc' }), now)).toMatchObject({ type: 'ADD' })
    const ended = many.map((key) => ({ ...key, validTo: now }))
    expect(add(ended, wanted(), now)).toMatchObject({ type: 'ADD' })
  })
})

describe('ending', () => {
  test('A key may end now or later; an end in the past means now', () => {
    expect(end(known(), now, now)).toMatchObject({ type: 'END', key: { validTo: now } })
    expect(end(known(), after, now)).toMatchObject({ type: 'END', key: { validTo: after } })
    expect(end(known(), before, now)).toMatchObject({ type: 'END', key: { validTo: now } })
  })

  test('A future end can be changed', () => {
    const later = new Date('2026-05-02T00:00:00.000Z')
    const key = known({ validTo: after })
    expect(end(key, later, now)).toMatchObject({ type: 'END', key: { validTo: later } })
    expect(end(key, after, now)).toEqual({ type: 'KNOWN', key })
  })

  test('An ended key stays ended', () => {
    const key = known({ validTo: before })
    expect(end(key, now, now)).toEqual({ type: 'KNOWN', key })
    expect(end(key, after, now)).toMatchObject({ reason: 'INVALID' })
  })

  test('An ended key is never valid again, whatever is requested', () => {
    const times = fc.date({ min: before, max: after, noInvalidDate: true })
    fc.assert(
      fc.property(fc.array(fc.tuple(times, times), { maxLength: 20 }), (asked) => {
        let key = known()
        let ended: Date | undefined
        const steps = asked.toSorted(([a], [b]) => a.getTime() - b.getTime())
        for (const [at, validTo] of steps) {
          if (key.validTo !== null && key.validTo <= at) ended ??= key.validTo
          const decision = end(key, validTo, at)
          if (decision.type !== 'REFUSE') key = decision.key
          if (ended !== undefined) expect(key.validTo).toEqual(ended)
        }
      }),
    )
  })
})
