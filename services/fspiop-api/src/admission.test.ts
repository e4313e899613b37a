import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openAdmission } from './admission.ts'

const bounds = { total_max: 4, per_fsp_max: 3, bytes_max: 1_000, bytes_per_fsp_max: 800 }

test('what asks is turned away at half of the bound, quotes later, transfers at all of it, a PUT never', () => {
  const admission = openAdmission(bounds)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('b', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('c', 0, 'HALF')).toBe(false)
  expect(admission.enter('c', 0, 'MOST')).toBe(true)
  expect(admission.enter('d', 0, 'MOST')).toBe(false)
  expect(admission.enter('d', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('e', 0, 'WHOLE')).toBe(false)
  expect(admission.enter('e', 0, 'NEVER_REFUSED')).toBe(true)
})

test('one FSP cannot take the room of all', () => {
  const admission = openAdmission(bounds)
  for (let at = 0; at < 3; at++) expect(admission.enter('greedy', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('greedy', 0, 'WHOLE')).toBe(false)
  expect(admission.enter('other', 0, 'WHOLE')).toBe(true)
})

test('a flood of PUTs, which are never refused, takes no more of the room than one FSP may', () => {
  const admission = openAdmission(bounds)
  for (let at = 0; at < 1_000; at++) {
    expect(admission.enter('flooding', 700, 'NEVER_REFUSED')).toBe(true)
  }
  expect(admission.enter('other', 200, 'WHOLE')).toBe(true)
  expect(admission.enter('other', 1, 'WHOLE')).toBe(false)
  for (let at = 0; at < 1_000; at++) admission.leave('flooding', 700)
  expect(admission.inFlight).toBe(1)
  expect(admission.enter('other', 600, 'WHOLE')).toBe(true)
})

test('bytes are bounded too', () => {
  const admission = openAdmission(bounds)
  expect(admission.enter('a', 600, 'WHOLE')).toBe(true)
  expect(admission.enter('b', 600, 'WHOLE')).toBe(false)
  admission.leave('a', 600)
  expect(admission.enter('b', 600, 'WHOLE')).toBe(true)
})

test('who has left leaves nothing behind', () => {
  const entry = fc.record({ fspId: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(400) })
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const admission = openAdmission(bounds)
      const inside = entries.filter(({ fspId, bytes }) => admission.enter(fspId, bytes, 'WHOLE'))
      expect(admission.inFlight).toBe(inside.length)
      for (const { fspId, bytes } of inside) admission.leave(fspId, bytes)
      expect(admission.inFlight).toBe(0)
      expect(admission.enter('a', bounds.bytes_per_fsp_max, 'WHOLE')).toBe(true)
    }),
  )
})

test('what is at work at other edges counts for the FSP until nothing is known of them', () => {
  const admission = openAdmission(bounds)
  admission.atWorkElsewhere('a', 2)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(false)
  expect(admission.enter('b', 0, 'WHOLE')).toBe(true)
  expect([...admission.atWork()]).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  admission.atWorkElsewhere('a', 0)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
  admission.atWorkElsewhere('a', 9)
  admission.aloneAgain()
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
})
