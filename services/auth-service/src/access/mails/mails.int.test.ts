/** E-mails about requests and decisions, on a real bus and database. */
import { newEvent, onEvents, type DomainEvent } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import { operatorsService } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type AuthServiceWorld } from '../../testing/world.ts'

let auth: AuthServiceWorld
const asked: DomainEvent<'NotifyRequested'>[] = []

beforeAll(async () => {
  auth = await openWorld([participantLifecycle, settlements], { AUTH_SERVICE_PASSWORD_COST: '10' })
  await onEvents(auth.parts.bus, 'test_mails', ['NotifyRequested'], (events) => {
    asked.push(...events.filter(({ payload }) => payload.transport.type === 'EMAIL'))
    return Promise.resolve()
  })
  await person('ada', 'maker', 'checker')
  await person('grace', 'checker')
  await person('joan', 'checker')
  await person('mary', 'maker')
}, 60_000)

afterAll(() => auth.stop())

async function person(name: string, ...roles: readonly string[]): Promise<void> {
  const operators = auth.parts.grpc.client(operatorsService, 'auth-service')
  const person = { name, kind: 'PERSON' as const, roles: [...roles], actor: 'test' }
  const creation = name === 'joan' ? person : { ...person, email: `${name}@hub.example` }
  const { refusal } = await operators.CreateOperator(creation, { deadline_ms: 10_000 })
  if (refusal) throw new Error(refusal.detail)
}

const head = { participantId: 'greenbank', requestId: 'r-1', type: 'ManageFunds', createdBy: 'ada' }

function mailsOf(cause: string) {
  return eventually(() => {
    const found = asked.filter(({ payload }) => payload.cause.msgName === cause)
    return found.length === 0 ? undefined : found
  }, `e-mails of ${cause}`)
}

test('Approvers get one e-mail about a request, and its maker gets one about the decision', async () => {
  const requested = newEvent('participant-lifecycle', 'ParticipantChangeRequested', {
    ...head,
    approvedWith: 'APPROVE_MANAGE_FUNDS',
    requestedAt: '2030-01-01T00:00:00.000Z',
  })
  const decided = newEvent('participant-lifecycle', 'ParticipantChangeDecided', {
    ...head,
    state: 'APPROVED',
    decidedBy: 'grace',
    decidedAt: '2030-01-01T00:01:00.000Z',
    note: '',
  })
  await auth.parts.bus.publish([requested])
  await auth.parts.bus.publish([requested, decided])

  const [toChecker] = await mailsOf('ParticipantChangeRequested')
  expect(toChecker?.payload.transport).toEqual({
    type: 'EMAIL',
    address: 'grace@hub.example',
    subject: 'greenbank: ManageFunds waits for a decision',
  })
  expect(toChecker?.relay?.body.toString()).toContain('Requested by: ada\n')
  const [toMaker] = await mailsOf('ParticipantChangeDecided')
  expect(toMaker?.payload.transport).toMatchObject({
    address: 'ada@hub.example',
    subject: 'greenbank: ManageFunds was approved',
  })
  const ids = new Set(asked.map(({ id }) => id))
  expect(ids).toEqual(new Set([toChecker?.id, toMaker?.id]))
})
