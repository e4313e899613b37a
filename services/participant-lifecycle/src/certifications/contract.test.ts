import { isRefused } from '@causeway/services'
import type { CertificationReport, CertificationResult } from '@causeway/protos'
import { expect, test } from '@jest/globals'
import { countsOf, reportOf, resultMessage } from './contract.ts'

const passed = {
  caseId: 'payee-party',
  title: 'A payee FSP answers',
  role: 'payee',
  section: 'FSPIOP 6.3.4',
  state: 'passed',
} as const satisfies CertificationResult

const failed = {
  ...passed,
  caseId: 'payee-quote',
  state: 'failed',
  expected: 'PUT /quotes',
  seen: 'nothing\u0000',
} as const

const notRun = { ...passed, caseId: 'payer-503', state: 'notRun', why: 'no trigger' } as const

const report: CertificationReport = {
  name: 'greenbank',
  startedAt: '2026-03-01T12:00:00.000Z',
  finishedAt: '2026-03-01T12:01:00.000Z',
  callbackUrl: 'https://greenbank.example/callbacks',
  results: [passed, failed, notRun],
  actor: 'ada',
}

test('A report is read with each result as it was sent, and counts each state by itself', () => {
  const read = reportOf(report)
  if (isRefused(read)) throw new Error(read.detail)
  expect(read.results.map(resultMessage)).toEqual([passed, failed, notRun])
  expect(countsOf(read.results)).toEqual({ passed: 1, failed: 1, notRun: 1 })
})

test.each<[string, Partial<CertificationReport>, string]>([
  ['begins at no time', { startedAt: 'noon' }, 'startedAt'],
  ['ends at no time', { finishedAt: '' }, 'finishedAt'],
  ['ends before it begins', { finishedAt: '2026-03-01T11:59:59.999Z' }, 'before'],
  ['names no address', { callbackUrl: 'greenbank' }, 'callbackUrl'],
  ['names an address that cannot be stored', { callbackUrl: 'https://a/\0' }, 'callbackUrl'],
  ['has no results', { results: [] }, '1 to 2000'],
  ['has too many results', { results: Array<typeof passed>(2_001).fill(passed) }, '1 to 2000'],
  ['has a case twice', { results: [passed, failed, passed] }, 'twice'],
  ['has a case without a name', { results: [{ ...passed, caseId: '' }] }, 'has a case'],
  ['has an unknown role', { results: [{ ...passed, role: 99 as never }] }, 'role'],
  ['has an unknown state', { results: [{ ...passed, state: 99 as never }] }, 'state'],
  ['has a failure without finding', { results: [{ ...passed, state: 'failed' }] }, 'expected'],
  ['has a success with finding', { results: [{ ...failed, state: 'passed' }] }, 'expected'],
  ['does not say why a case was not run', { results: [{ ...passed, state: 'notRun' }] }, 'why'],
  ['says why a case that passed was not run', { results: [{ ...passed, why: 'x' }] }, 'why'],
])('A report that %s is refused', (_what, change, detail) => {
  expect(reportOf({ ...report, ...change })).toMatchObject({
    type: 'REFUSE',
    reason: 'INVALID',
    detail: expect.stringContaining(detail),
  })
})
