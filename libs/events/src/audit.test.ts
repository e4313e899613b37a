import { expect, test } from '@jest/globals'
import { auditEntry, type AuditedAction } from './audit.ts'
import { catalogue } from './catalogue/catalogue.ts'

const action: AuditedAction = {
  actor: 'ada',
  action: 'UpdateParticipantState',
  subject: 'participants/greenbank',
  before: { isActive: false },
  after: { isActive: true },
  at: new Date('2030-01-02T03:04:05.006Z'),
}

test('An audit entry names the actor, the action and the subject before and after', () => {
  const entry = auditEntry('participant-lifecycle', { ...action, labels: { requestId: 'r-1' } })
  expect(entry).toMatchObject({
    topic: 'audit',
    key: 'participant-lifecycle',
    type: '/audit-log-write',
    source: 'participant-lifecycle',
  })
  expect(catalogue['/audit-log-write'].schema.parse(entry.payload)).toMatchObject({
    id: entry.id,
    actionTimestamp: '2030-01-02T03:04:05.006Z',
    sourceBcName: 'participant-lifecycle',
    securityContext: { userId: 'ada' },
    actionType: 'UpdateParticipantState',
    actionSuccessful: true,
    labels: [{ key: 'requestId', value: 'r-1' }],
    subject: 'participants/greenbank',
    before: { isActive: false },
    after: { isActive: true },
  })
})

test('An entry without an actor names an unknown one, and a refused attempt is marked as refused', () => {
  const { payload } = auditEntry('auth-service', {
    ...action,
    actor: '',
    after: null,
    successful: false,
  })
  expect(payload).toMatchObject({
    securityContext: { userId: 'unknown' },
    actionSuccessful: false,
    after: null,
  })
})

test('An entry of a repeated step keeps the id that its maker derived', () => {
  expect(auditEntry('settlements', { ...action, id: 'derived' })).toMatchObject({
    id: 'derived',
    payload: { id: 'derived' },
  })
})
