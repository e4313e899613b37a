import { expect, test } from '@jest/globals'
import { mailOf, recipientsOf, type MailedEvent } from './recipients.ts'

const head = { participantId: 'greenbank', requestId: 'r-1', type: 'ManageFunds', createdBy: 'ada' }

const requested: MailedEvent = {
  name: 'ParticipantChangeRequested',
  payload: {
    ...head,
    approvedWith: 'APPROVE_MANAGE_FUNDS',
    requestedAt: '2030-01-01T00:00:00.000Z',
  },
}

const decided: MailedEvent = {
  name: 'ParticipantChangeDecided',
  payload: {
    ...head,
    state: 'REJECTED',
    decidedBy: 'grace',
    decidedAt: '2030-01-02T00:00:00.000Z',
    note: 'not agreed',
  },
}

const roles = [
  { id: 'maker', privileges: ['VIEW_*', 'CREATE_*'] },
  { id: 'checker', privileges: ['VIEW_*', 'APPROVE_*', 'REJECT_*'] },
  { id: 'states', privileges: ['APPROVE_PARTICIPANT_STATE_UPDATE'] },
]

function person(name: string, ...of: readonly string[]) {
  const email: string | null = `${name}@hub.example`
  return { name, kind: 'PERSON' as const, isActive: true, email, roles: of }
}

function namesOf(event: MailedEvent, operators: Parameters<typeof recipientsOf>[1]) {
  return recipientsOf(event, operators, roles).map(({ name }) => name)
}

test('The e-mail about a request goes to all approvers except its maker', () => {
  const all = [
    person('ada', 'maker', 'checker'),
    person('grace', 'checker'),
    person('joan', 'maker'),
    person('mary', 'states'),
    person('sue', 'states', 'checker'),
  ]
  expect(namesOf(requested, all)).toEqual(['grace', 'sue'])
})

test('The e-mail about a decision goes to the maker', () => {
  expect(namesOf(decided, [person('ada', 'maker'), person('grace', 'checker')])).toEqual(['ada'])
})

test('Operators that cannot log in, have no address or are programs get no e-mail', () => {
  const all = [
    { ...person('grace', 'checker'), isActive: false },
    { ...person('joan', 'checker'), email: null },
    { ...person('mary', 'checker'), kind: 'MACHINE' as never },
  ]
  expect(namesOf(requested, all)).toEqual([])
})

test('The e-mail about a request names its subject', () => {
  expect(mailOf(requested)).toEqual({
    subject: 'greenbank: ManageFunds waits for a decision',
    text: [
      'Change: ManageFunds',
      'Participant: greenbank',
      'Requested by: ada',
      'Request: r-1',
      'Time: 2030-01-01T00:00:00.000Z',
      '',
    ].join('\n'),
  })
})

test('The e-mail about a decision contains the decider and the note', () => {
  const { subject, text } = mailOf(decided)
  expect(subject).toBe('greenbank: ManageFunds was rejected')
  expect(text).toContain('Decided by: grace\nTime: 2030-01-02T00:00:00.000Z\nNote: not agreed\n')
})
