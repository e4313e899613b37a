import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openAdmission, type Priority } from './admission.ts'

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

test('Lookups are refused from half of the bound, quotes from three quarters, transfers at the bound, answers never', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('b', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('c', 0, 'LOOKUP')).toBe(false)
  expect(admission.enter('c', 0, 'QUOTE')).toBe(true)
  expect(admission.enter('d', 0, 'QUOTE')).toBe(false)
  expect(admission.enter('d', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('e', 0, 'TRANSFER')).toBe(false)
  expect(admission.enter('e', 0, 'ANSWER')).toBe(true)
  expect(admission.enter('e', 0, 'COMPLETION')).toBe(true)
})

test('A request that is shed is refused and uses nothing of the bounds, an answer is never shed', () => {
  const asked: string[] = []
  const admission = openAdmission(bounds, {
    sheds(fspId, shed) {
      asked.push(`${fspId} ${shed}`)
      return fspId === 'greedy'
    },
  })
  expect(admission.enter('greedy', 0, 'LOOKUP')).toBe(false)
  expect(admission.enter('greedy', 0, 'COMPLETION')).toBe(true)
  expect(admission.enter('other', 0, 'TRANSFER')).toBe(true)
  expect(asked).toEqual(['greedy LOOKUP', 'other TRANSFER'])
  expect(admission.inFlight).toBe(2)
})

test('One FSP cannot exhaust the bound of all', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  for (let at = 0; at < 3; at++) expect(admission.enter('greedy', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('greedy', 0, 'TRANSFER')).toBe(false)
  expect(admission.enter('other', 0, 'TRANSFER')).toBe(true)
})

test('Answers of one FSP count towards the bound of all only up to the bound of one FSP', () => {
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
    expect(admission.enter('flooding', 700, 'COMPLETION')).toBe(true)
  }
  expect(admission.enter('other', 200, 'TRANSFER')).toBe(true)
  expect(admission.enter('other', 1, 'TRANSFER')).toBe(false)
  for (let at = 0; at < 1_000; at++) admission.leave('flooding', 700, 'COMPLETION')
  expect(admission.inFlight).toBe(1)
  expect(admission.enter('other', 600, 'TRANSFER')).toBe(true)
})

test('An FSP has a reserve for its answers, half of it only for those that complete a transfer', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  for (let at = 0; at < 3; at++) expect(admission.enter('a', 100, 'ANSWER')).toBe(true)
  expect(admission.enter('a', 100, 'ANSWER')).toBe(false)
  for (let at = 0; at < 3; at++) expect(admission.enter('a', 100, 'COMPLETION')).toBe(true)
  expect(admission.enter('a', 100, 'COMPLETION')).toBe(false)
  admission.leave('a', 100, 'ANSWER')
  expect(admission.enter('a', 1_501, 'COMPLETION')).toBe(false)
  expect(admission.enter('a', 1_500, 'COMPLETION')).toBe(true)
})

test('An FSP occupies no more connections than its bound, the last quarter only with messages that complete a transfer', () => {
  const admission = openAdmission({ ...bounds, connections_per_fsp_max: 4 }, nothingIsShed)
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(true)
  for (let at = 0; at < 2; at++) expect(admission.enter('a', 0, 'ANSWER')).toBe(true)
  expect(admission.enter('a', 0, 'ANSWER')).toBe(false)
  expect(admission.enter('a', 0, 'COMPLETION')).toBe(true)
  expect(admission.enter('a', 0, 'COMPLETION')).toBe(false)
  expect(admission.enter('b', 0, 'ANSWER')).toBe(true)
})

test('An answer of one FSP is admitted whatever all others have in progress', () => {
  const priority = fc.constantFrom<Priority>('LOOKUP', 'QUOTE', 'TRANSFER', 'ANSWER', 'COMPLETION')
  const entry = fc.record({ fspId: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(400), priority })
  fc.assert(
    fc.property(fc.array(entry), fc.boolean(), (entries, isShed) => {
      const admission = openAdmission(bounds, { sheds: () => isShed })
      for (const { fspId, bytes, priority: of } of entries) admission.enter(fspId, bytes, of)
      const entered = Array.from({ length: 7 }, () => admission.enter('other', 200, 'COMPLETION'))
      expect(entered).toEqual([true, true, true, true, true, true, false])
    }),
  )
})

test('The bytes of bodies in progress are bounded too', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  expect(admission.enter('a', 600, 'TRANSFER')).toBe(true)
  expect(admission.enter('b', 600, 'TRANSFER')).toBe(false)
  admission.leave('a', 600, 'TRANSFER')
  expect(admission.enter('b', 600, 'TRANSFER')).toBe(true)
})

test('A request that has ended leaves no count', () => {
  const entry = fc.record({ fspId: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(400) })
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const admission = openAdmission(bounds, nothingIsShed)
      const inside = entries.filter(({ fspId, bytes }) => admission.enter(fspId, bytes, 'TRANSFER'))
      expect(admission.inFlight).toBe(inside.length)
      for (const { fspId, bytes } of inside) admission.leave(fspId, bytes, 'TRANSFER')
      expect(admission.inFlight).toBe(0)
      expect(admission.enter('a', bounds.bytes_per_fsp_max, 'TRANSFER')).toBe(true)
    }),
  )
})

test('Requests at other edges count towards the bound of their FSP until their counts are no longer available', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  admission.setInProgressElsewhere('a', 2)
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(false)
  expect(admission.enter('b', 0, 'TRANSFER')).toBe(true)
  expect([...admission.inProgress()]).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  admission.setInProgressElsewhere('a', 0)
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(true)
  admission.setInProgressElsewhere('a', 9)
  admission.forgetOtherEdges()
  expect(admission.enter('a', 0, 'TRANSFER')).toBe(true)
})

test('Other bounds apply to what is in progress, too', () => {
  const admission = openAdmission(bounds, nothingIsShed)
  for (let at = 0; at < 3; at++) expect(admission.enter('greedy', 100, 'TRANSFER')).toBe(true)
  admission.setBounds({ ...bounds, per_fsp_max: 1, total_max: 2 })
  // Only one of the requests of the greedy FSP counts now.
  expect(admission.enter('greedy', 0, 'TRANSFER')).toBe(false)
  expect(admission.enter('other', 0, 'TRANSFER')).toBe(true)
  expect(admission.enter('third', 0, 'TRANSFER')).toBe(false)
  for (let at = 0; at < 3; at++) admission.leave('greedy', 100, 'TRANSFER')
  expect(admission.enter('third', 1_000, 'TRANSFER')).toBe(false)
  expect(admission.enter('third', 800, 'TRANSFER')).toBe(true)
})
