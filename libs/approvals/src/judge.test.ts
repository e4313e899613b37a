import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  isExpired,
  judge,
  pending_max,
  stateAfter,
  waiting_max,
  waitingFault,
  type JudgedApproval,
  type ApprovalVerdict,
} from './judge.ts'

const hour_ms = 3_600_000
const pending: JudgedApproval = {
  id: 'r-1',
  state: 'PEND-APPROVAL',
  createdBy: 'ada',
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
  decidedBy: null,
}
const time = { now: new Date('2026-03-01T13:00:00.000Z'), life_ms: 72 * hour_ms }

function wordOf(request: JudgedApproval, verdict: ApprovalVerdict, at = time): string {
  const judgement = judge(request, verdict, at)
  return judgement.type === 'REFUSE' ? judgement.reason : judgement.type
}

test('Another person can approve or reject, the maker can do neither', () => {
  expect(wordOf(pending, { verdict: 'APPROVE', by: 'grace' })).toBe('APPLY')
  expect(wordOf(pending, { verdict: 'REJECT', by: 'grace' })).toBe('REJECT')
  expect(wordOf(pending, { verdict: 'APPROVE', by: 'ada' })).toBe('SAME_PERSON')
  expect(wordOf(pending, { verdict: 'REJECT', by: 'ada' })).toBe('SAME_PERSON')
})

test('Of any sequence of decisions at most one takes effect, and never one of the maker', () => {
  const persons = fc.constantFrom('ada', 'grace', 'joan')
  const verdicts = fc.constantFrom('APPROVE' as const, 'REJECT' as const)
  fc.assert(
    fc.property(fc.array(fc.tuple(persons, verdicts), { maxLength: 12 }), (row) => {
      let request = pending
      const effects: string[] = []
      for (const [by, verdict] of row) {
        const before = request
        const { type } = judge(request, { by, verdict }, time)
        if (type === 'APPLY' || type === 'REJECT') {
          effects.push(by)
          request = { ...request, state: stateAfter(verdict), decidedBy: by }
        } else if (type === 'EXISTS') {
          expect([before.decidedBy, before.state]).toEqual([by, stateAfter(verdict)])
        }
      }
      expect(effects).not.toContain('ada')
      expect(effects.length).toBe(row.some(([by]) => by !== 'ada') ? 1 : 0)
    }),
  )
})

test('A request is approved within its life and never after it, and rejected at any time', () => {
  const ages = fc.integer({ min: 0, max: 10_000 * hour_ms })
  const lives = fc.integer({ min: 1, max: 8_760 }).map((hours) => hours * hour_ms)
  fc.assert(
    fc.property(ages, lives, (age_ms, life_ms) => {
      const at = { now: new Date(pending.createdAt.getTime() + age_ms), life_ms }
      const isOver = age_ms >= life_ms
      const approval = wordOf(pending, { verdict: 'APPROVE', by: 'grace' }, at)
      expect(approval).toBe(isOver ? 'REQUEST_EXPIRED' : 'APPLY')
      expect(wordOf(pending, { verdict: 'REJECT', by: 'grace' }, at)).toBe('REJECT')
      expect(isExpired(pending, at)).toBe(isOver)
      const decided: JudgedApproval = { ...pending, state: 'REJECTED', decidedBy: 'grace' }
      expect(isExpired(decided, at)).toBe(false)
    }),
  )
})

test('So many requests and bytes of one maker wait, and so many of all, and no more', () => {
  const waiting = { ofMaker: waiting_max - 1, ofAll: pending_max - 1, makerBytes: 0, allBytes: 0 }
  const reasonOf = (changes: object, bytes = 0) =>
    waitingFault('ada', { ...waiting, ...changes }, bytes)?.reason
  expect(reasonOf({})).toBeUndefined()
  expect(reasonOf({ ofMaker: waiting_max })).toBe('REQUESTS_FULL')
  expect(reasonOf({ ofAll: pending_max })).toBe('BUSY')
  expect(reasonOf({}, 1_000_000)).toBeUndefined()
  expect(reasonOf({ makerBytes: 200_000 }, 1_000_000)).toBe('REQUESTS_FULL')
  expect(reasonOf({ allBytes: 6_000_000 }, 1_000_000)).toBe('BUSY')
})
