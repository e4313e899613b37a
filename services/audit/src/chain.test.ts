import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chained, faultsOf, origin, type StoredLink } from './chain.ts'

const at = new Date('2030-01-02T03:04:05.006Z')

function storedChain(count: number): StoredLink[] {
  const entries = Array.from({ length: count }, (_, index) => ({ entry: { id: `e-${index + 1}` } }))
  return chained(origin, entries, at).map((link) => ({ ...link, signatureValid: true }))
}

describe('an unchanged chain', () => {
  test('An unchanged chain has no faults, verified whole or in parts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(20), (count, cut) => {
        const links = storedChain(count)
        const [first, rest] = [links.slice(0, cut), links.slice(cut)]
        expect(faultsOf(origin, links)).toEqual([])
        expect(faultsOf(first.at(-1) ?? origin, rest)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  test('Entries are numbered without gaps', () => {
    expect(storedChain(3).map(({ n }) => n)).toEqual([1n, 2n, 3n])
  })
})

describe('a changed chain', () => {
  test('A changed entry is detected', () => {
    const links = storedChain(3)
    links[1] = { ...links[1], body: '{"entry":{"id":"other"}}' } as StoredLink
    expect(faultsOf(origin, links)).toEqual(['entry 2 is not what was hashed'])
  })

  test('A removed entry is detected', () => {
    const [first, , third] = storedChain(3) as [StoredLink, StoredLink, StoredLink]
    expect(faultsOf(origin, [first, third])).toEqual([
      'entry 3 follows entry 1: something is missing',
      'entry 3 does not name the hash of the entry before',
    ])
  })

  test('A changed entry that is hashed again is detected by the previous hash of the next entry', () => {
    const [first, , third] = storedChain(3) as [StoredLink, StoredLink, StoredLink]
    const [forged] = chained(first, [{ entry: { id: 'forged' } }], at)
    const links = [first, { ...forged, signatureValid: false } as StoredLink, third]
    expect(faultsOf(origin, links)).toEqual([
      'entry 2 is not what was signed',
      'entry 3 does not name the hash of the entry before',
    ])
  })
})
