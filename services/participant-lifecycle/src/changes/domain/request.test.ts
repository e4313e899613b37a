import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { stateAfter } from '@causeway/services'
import { judge, type ChangeRequest, type Verdict } from './request.ts'

const pending: ChangeRequest = {
  id: 'r-1',
  wanted: {
    type: 'UpdateParticipantState',
    participant: 'greenbank',
    newState: 'CLOSED',
    reason: '',
  },
  state: 'PEND-APPROVAL',
  createdBy: 'ada',
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
  decidedBy: null,
  decidedAt: null,
  note: '',
}

const approving: Verdict = { decision: 'APPROVE', by: 'grace', type: null }

function wordOf(request: ChangeRequest, verdict: Verdict): string {
  const judgement = judge(request, verdict)
  return judgement.type === 'REFUSE' ? judgement.reason : judgement.type
}

test('Another person can approve or reject, the maker can do neither', () => {
  expect(wordOf(pending, approving)).toBe('APPLY')
  expect(wordOf(pending, { ...approving, decision: 'REJECT' })).toBe('REJECT')
  expect(wordOf(pending, { ...approving, by: 'ada' })).toBe('SAME_PERSON')
  expect(wordOf(pending, { ...approving, by: 'ada', decision: 'REJECT' })).toBe('SAME_PERSON')
})

test('A call for another type of change does not find the request', () => {
  expect(wordOf(pending, { ...approving, type: 'ManageFunds' })).toBe('REQUEST_UNKNOWN')
  expect(wordOf(pending, { ...approving, type: 'UpdateParticipantState' })).toBe('APPLY')
})

test('Of any sequence of decisions at most one takes effect, and never one of the maker', () => {
  const persons = fc.constantFrom('ada', 'grace', 'joan')
  const decisions = fc.constantFrom('APPROVE' as const, 'REJECT' as const)
  fc.assert(
    fc.property(fc.array(fc.tuple(persons, decisions), { maxLength: 12 }), (row) => {
      let request = pending
      const effects: string[] = []
      for (const [by, decision] of row) {
        const before = request
        const { type } = judge(request, { by, decision, type: null })
        if (type === 'APPLY' || type === 'REJECT') {
          effects.push(by)
          request = {
            ...request,
            state: stateAfter(decision),
            decidedBy: by,
            decidedAt: new Date(),
          }
        } else if (type === 'EXISTS') {
          expect([before.decidedBy, before.state]).toEqual([by, stateAfter(decision)])
        }
      }
      expect(effects).not.toContain('ada')
      expect(effects.length).toBe(row.some(([by]) => by !== 'ada') ? 1 : 0)
    }),
  )
})
