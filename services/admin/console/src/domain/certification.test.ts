import { expect, test } from '@jest/globals'
import type { CertificationResult } from '../generated/operator-api.ts'
import { outcomeOf, reportIn, resultsByRole } from './certification.ts'

const result: CertificationResult = {
  id: 'one',
  title: 'A rule',
  role: 'payee',
  section: 'FSPIOP 6.3.4',
  state: 'passed',
  expected: null,
  seen: null,
  why: null,
}

test.each([
  [{ passed: 2, failed: 1 }, 'FAILED'],
  [{ passed: 2, failed: 0 }, 'PASSED'],
  [{ passed: 0, failed: 0 }, 'NOT RUN'],
])('A report with %j is shown as %s', (counts, outcome) => {
  expect(outcomeOf(counts)).toBe(outcome)
})

test('Cases are grouped by role in a fixed order, and a role without cases is left out', () => {
  const two = { ...result, id: 'two', role: 'payer' } as const
  const three = { ...result, id: 'three' }
  expect(resultsByRole([result, two, three])).toEqual([
    { title: 'As the payer’s FSP', results: [two] },
    { title: 'As the payee’s FSP', results: [result, three] },
  ])
})

test('A file is uploaded without the messages of its cases', () => {
  const file = { fsp: 'greenbank', results: [{ id: 'one', ms: 3, messages: [{}] }] }
  expect(reportIn(JSON.stringify(file))).toEqual({
    fsp: 'greenbank',
    results: [{ id: 'one', ms: 3 }],
  })
})

test.each(['', '<html>', '7', 'null', '{"results":{}}'])(
  'The file %j is refused as no report',
  (text) => {
    expect(() => reportIn(text)).toThrow('not a report of the certification kit')
  },
)
