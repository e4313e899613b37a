/** Without tokens the hub records the name in X-Operator. */
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'
import { onboard, openScheme } from '../testing/scheme.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld([audit, participantLifecycle, settlements, authService])
  await openScheme(admin)
  await onboard(admin, 'greenbank')
}, 60_000)

afterAll(() => admin.stop())

function as(operator: string, path: string, body: unknown) {
  return admin.call('POST', path, body, { 'x-operator': operator })
}

const wanted = { participantId: 'greenbank', newState: 'INACTIVE', reason: 'a trial' }

test('One person requests a change and another approves it, each by the name in X-Operator', async () => {
  const { json } = await as('ada', '/UpdateParticipantState', wanted)
  const { requestId } = json as { readonly requestId: string }
  const verdict = { requestId, decision: 'APPROVE' }
  expect(refusalOf(await as('ada', '/ApproveParticipantStateUpdate', verdict))).toBe('403 3000')
  const approved = await as('grace', '/ApproveParticipantStateUpdate', verdict)
  expect(approved.json).toMatchObject({ state: 'APPROVED', createdBy: 'ada', decidedBy: 'grace' })
  const actors = await eventually(async () => {
    const { json: page } = await admin.call('GET', '/audit?subject=participants/greenbank')
    const { entries } = page as {
      readonly entries: readonly { readonly securityContext: { readonly userId: string } }[]
    }
    const names = entries.map(({ securityContext: { userId } }) => userId)
    return names.includes('grace') ? names : undefined
  }, 'the change is in the audit log')
  expect(actors).toContain('grace')
})

test('Callers without a name are one person, who cannot approve their own requests', async () => {
  const asked = await admin.call('POST', '/UpdateParticipantState', {
    ...wanted,
    newState: 'ACTIVE',
  })
  const { requestId } = asked.json as { readonly requestId: string }
  const verdict = { requestId, decision: 'APPROVE' }
  const alone = await admin.call('POST', '/ApproveParticipantStateUpdate', verdict)
  expect(refusalOf(alone)).toBe('403 3000')
  expect((await as('grace', '/ApproveParticipantStateUpdate', verdict)).status).toBe(200)
})

test('An invalid name is refused before anything is done', async () => {
  expect(refusalOf(await as('ada lovelace', '/UpdateParticipantState', wanted))).toBe('400 3101')
})

test('A web page of another origin is no operator', async () => {
  const body = { name: 'evilbank', currency: 'USD' }
  const page = { origin: 'https://evil.example', 'content-type': 'text/plain' }
  expect(refusalOf(await admin.call('POST', '/participants', body, page))).toBe('403 3000')
  const { json } = await admin.call('GET', '/participants')
  expect(JSON.stringify(json)).not.toContain('evilbank')
})
