import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openAdmission, type Share } from './admission.ts'

const bounds = {
  total_max: 4,
  per_fsp_max: 3,
  bytes_max: 1_000,
  bytes_per_fsp_max: 800,
  connections_per_fsp_max: 100,
  answers_per_fsp_max: 6,
  answer_bytes_per_fsp_max: 2_000,
}
const nothingIsShed = { sheds: () => false }

test('what asks is turned away at half of the bound, quotes later, transfers at all of it, an answer never', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('b', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('c', 0, 'HALF')).toBe(false)
  expect(admission.enter('c', 0, 'MOST')).toBe(true)
  expect(admission.enter('d', 0, 'MOST')).toBe(false)
  expect(admission.enter('d', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('e', 0, 'WHOLE')).toBe(false)
  expect(admission.enter('e', 0, 'ANSWER')).toBe(true)
  expect(admission.enter('e', 0, 'FINISH')).toBe(true)
})

test('what is to be shed is turned away and takes no room, an answer never', () => {
  const asked: string[] = []
  const admission = openAdmission(bounds, {
    sheds(fspId, shed) {
      asked.push(`${fspId} ${shed}`)
      return fspId === 'greedy'
    },
  })
  expect(admission.enter('greedy', 0, 'HALF')).toBe(false)
  expect(admission.enter('greedy', 0, 'FINISH')).toBe(true)
  expect(admission.enter('other', 0, 'WHOLE')).toBe(true)
  expect(asked).toEqual(['greedy HALF', 'other WHOLE'])
  expect(admission.inFlight).toBe(2)
})

test('one FSP cannot take the room of all', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  for (let at = 0; at < 3; at++) expect(admission.enter('greedy', 0, 'WHOLE')).toBe(true)
  expect(admission.enter('greedy', 0, 'WHOLE')).toBe(false)
  expect(admission.enter('other', 0, 'WHOLE')).toBe(true)
})

test('answers of one FSP take no more of the room than one FSP may', () => {
  const admission = openAdmission(
    {
      ...bounds,
      connections_per_fsp_max: 1_000,
      answers_per_fsp_max: 1_000,
      answer_bytes_per_fsp_max: 700_000,
    },
    nothingIsShed,
  )
  for (let at = 0; at < 1_000; at++) {
    expect(admission.enter('flooding', 700, 'FINISH')).toBe(true)
  }
  expect(admission.enter('other', 200, 'WHOLE')).toBe(true)
  expect(admission.enter('other', 1, 'WHOLE')).toBe(false)
  for (let at = 0; at < 1_000; at++) admission.leave('flooding', 700, 'FINISH')
  expect(admission.inFlight).toBe(1)
  expect(admission.enter('other', 600, 'WHOLE')).toBe(true)
})

test('an FSP has a reserve for its answers, half of it for those that finish a transfer', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  for (let at = 0; at < 3; at++) expect(admission.enter('a', 100, 'ANSWER')).toBe(true)
  expect(admission.enter('a', 100, 'ANSWER')).toBe(false)
  for (let at = 0; at < 3; at++) expect(admission.enter('a', 100, 'FINISH')).toBe(true)
  expect(admission.enter('a', 100, 'FINISH')).toBe(false)
  admission.leave('a', 100, 'ANSWER')
  expect(admission.enter('a', 1_501, 'FINISH')).toBe(false)
  expect(admission.enter('a', 1_500, 'FINISH')).toBe(true)
})

test('an FSP keeps no more connections at work than one may have, the last ones with what finishes a transfer', () => {
  const admission = openAdmission({ ...bounds, connections_per_fsp_max: 4 }, nothingIsShed)
  expect(admission.enter('a', 0, 'WHOLE')).toBe(true)
  for (let at = 0; at < 2; at++) expect(admission.enter('a', 0, 'ANSWER')).toBe(true)
  expect(admission.enter('a', 0, 'ANSWER')).toBe(false)
  expect(admission.enter('a', 0, 'FINISH')).toBe(true)
  expect(admission.enter('a', 0, 'FINISH')).toBe(false)
  expect(admission.enter('b', 0, 'ANSWER')).toBe(true)
})

test('an answer of one FSP is let in whatever all others have at work', () => {
  const share = fc.constantFrom<Share>('HALF', 'MOST', 'WHOLE', 'ANSWER', 'FINISH')
  const entry = fc.record({ fspId: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(400), share })
  fc.assert(
    fc.property(fc.array(entry), fc.boolean(), (entries, isShed) => {
      const admission = openAdmission(bounds, { sheds: () => isShed })
      for (const { fspId, bytes, share: of } of entries) admission.enter(fspId, bytes, of)
      const entered = Array.from({ length: 7 }, () => admission.enter('other', 200, 'FINISH'))
      expect(entered).toEqual([true, true, true, true, true, true, false])
    }),
  )
})

test('bytes are bounded too', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  expect(admission.enter('a', 600, 'WHOLE')).toBe(true)
  expect(admission.enter('b', 600, 'WHOLE')).toBe(false)
  admission.leave('a', 600, 'WHOLE')
  expect(admission.enter('b', 600, 'WHOLE')).toBe(true)
})

test('who has left leaves nothing behind', () => {
  const entry = fc.record({ fspId: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(400) })
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const admission = openAdmission(bounds, nothingIsShed)
      const inside = entries.filter(({ fspId, bytes }) => admission.enter(fspId, bytes, 'WHOLE'))
      expect(admission.inFlight).toBe(inside.length)
      for (const { fspId, bytes } of inside) admission.leave(fspId, bytes, 'WHOLE')
      expect(admission.inFlight).toBe(0)
      expect(admission.enter('a', bounds.bytes_per_fsp_max, 'WHOLE')).toBe(true)
    }),
  )
})

test('what is at work at other edges counts for the FSP until nothing is known of them', () => {
  const admission = openAdmission(bounds, nothingIsShed)
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
