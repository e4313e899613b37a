import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chainKey, cutIntoChains } from './chains.ts'

const item = fc.record({
  fspId: fc.constantFrom('greenbank', 'bluewallet'),
  entityId: fc.constantFrom('a', 'b', 'c'),
  n: fc.nat(),
})

test('what is about one entity and for one FSP stays in its order, in one chain', () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const { free, blocked } = cutIntoChains(items, new Set())
      expect(blocked).toEqual([])
      const keys = free.map(([first]) => (first === undefined ? '' : chainKey(first)))
      expect(new Set(keys).size).toBe(keys.length)
      for (const [at, chain] of free.entries()) {
        expect(chain).toEqual(items.filter((other) => chainKey(other) === keys[at]))
      }
    }),
  )
})

test('what stands behind something unfinished is blocked, in its order', () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const unfinished = new Set([chainKey({ fspId: 'greenbank', entityId: 'a' })])
      const { free, blocked } = cutIntoChains(items, unfinished)
      expect(blocked).toEqual(items.filter((other) => unfinished.has(chainKey(other))))
      expect(free.flat().length + blocked.length).toBe(items.length)
    }),
  )
})
