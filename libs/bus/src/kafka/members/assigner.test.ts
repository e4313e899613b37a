import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { spread } from './assigner.ts'

const topics = ['a', 'b', 'c'] as const

test('Every partition is assigned to one member that subscribes to its topic', () => {
  const member = fc.record({ memberId: fc.uuid(), topics: fc.subarray([...topics]) })
  const members = fc.uniqueArray(member, {
    minLength: 1,
    maxLength: 6,
    selector: (one) => one.memberId,
  })
  fc.assert(
    fc.property(members, fc.integer({ min: 1, max: 12 }), (all, count) => {
      const partitions = Array.from({ length: count }, (_, at) => at)
      const shares = spread(all, () => partitions)
      const owners = new Map<string, string[]>()
      for (const [memberId, share] of shares) {
        for (const [topic, own] of Object.entries(share)) {
          expect(all.find((one) => one.memberId === memberId)?.topics).toContain(topic)
          for (const partition of own) {
            const name = `${topic} ${partition}`
            owners.set(name, [...(owners.get(name) ?? []), memberId])
          }
        }
      }
      const read = new Set(all.flatMap((one) => one.topics))
      expect(owners.size).toBe(read.size * count)
      expect([...owners.values()].every((of) => of.length === 1)).toBe(true)
    }),
  )
})

test('Members with the same topics get nearly the same number of partitions', () => {
  const members = ['x', 'y', 'z'].map((memberId) => ({ memberId, topics: [...topics] }))
  const shares = spread(members, () => [0, 1, 2, 3])
  const counts = [...shares.values()].map((share) => Object.values(share).flat().length)
  expect(counts).toEqual([4, 4, 4])
})
