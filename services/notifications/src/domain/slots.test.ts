import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openSlots, allocateSlots, type Slots } from './slots.ts'

function takeAll(slots: Slots, source: string): number {
  let taken = 0
  for (; slots.hasFreeFor(source); taken += 1) slots.take(source)
  return taken
}

test.each([
  [1, 1],
  [2, 2],
  [4, 3],
  [8, 6],
  [32, 24],
])('Of %i slots one source has at most %i', (slots_max, taken) => {
  expect(takeAll(openSlots(slots_max), 'greenbank')).toBe(taken)
})

test('A second source has free slots when the first uses all that it may', () => {
  const slots = openSlots(32)
  takeAll(slots, 'greenbank')
  expect(takeAll(slots, 'redpay')).toBe(6)
  slots.release('greenbank')
  expect([slots.hasFreeFor('greenbank'), slots.hasFreeFor('redpay')]).toEqual([false, true])
})

test('Slots are never exceeded, and a free slot is available to a source that has none', () => {
  const source = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.tuple(source, fc.boolean())),
      (slots_max, steps) => {
        const slots = openSlots(slots_max)
        const held: string[] = []
        for (const [name, takes] of steps) {
          if (takes && slots.hasFreeFor(name)) {
            slots.take(name)
            held.push(name)
          } else if (!takes && held.includes(name)) {
            slots.release(name)
            held.splice(held.indexOf(name), 1)
          }
          expect(slots.taken).toBe(held.length)
          expect(slots.taken).toBeLessThanOrEqual(slots_max)
          expect(slots.hasFreeFor('without any')).toBe(slots.taken < slots_max)
        }
      },
    ),
  )
})

test('The allocation is round robin and begins after the source that was served last', () => {
  const shares = (last: string, slots_max: number) =>
    Object.fromEntries(allocateSlots(openSlots(32), ['a', 'b', 'c'], last, slots_max))
  expect(shares('', 1)).toEqual({ a: 1 })
  expect(shares('a', 1)).toEqual({ b: 1 })
  expect(shares('bb', 2)).toEqual({ a: 1, c: 1 })
  expect(shares('c', 4)).toEqual({ a: 2, b: 1, c: 1 })
  expect(shares('a', 0)).toEqual({})
})

test('The allocation counts the slots in use and takes none', () => {
  const slots = openSlots(8)
  takeAll(slots, 'a')
  expect(Object.fromEntries(allocateSlots(slots, ['a', 'b'], '', 8))).toEqual({ b: 2 })
  expect(slots.taken).toBe(6)
})
