import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import { newEvent } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openAdminOfFsps, time, refusalOf } from '../testing/identities.ts'
import type { AdminWorld } from '../testing/world.ts'

let admin: AdminWorld
const consentId = randomUUID()

beforeAll(async () => {
  admin = await openAdminOfFsps([participantLifecycle, authService, settlements])
  const asker = { requesterFspId: 'bankx', version: '1.0', receivedAt: new Date().toISOString() }
  const name = 'ConsentRegistrationReceived'
  const body = {
    consentId,
    status: 'ISSUED',
    scopes: [{ address: 'bankx.acc.1', actions: ['ACCOUNTS_TRANSFER'] }],
    credential: { credentialType: 'GENERIC', status: 'PENDING', genericPayload: {} },
  }
  const relay = { body: Buffer.from(JSON.stringify(body)) }
  await admin.parts.bus.publish([newEvent('fspiop-api', name, { consentId, ...asker }, { relay })])
})

afterAll(() => admin.stop())

test('An operator finds a consent and sees its history', async () => {
  const found = await eventually(async () => {
    const { json } = await admin.call('GET', '/consents?fspId=bankx&state=REFUSED')
    const page = json as { readonly consents: readonly object[]; readonly next: null }
    return page.consents.length === 1 ? page : undefined
  }, 'the consent')
  expect(found).toMatchObject({
    consents: [
      { consentId, dfspId: 'bankx', pispId: null, reason: 'CREDENTIAL_INVALID', issuedAt: null },
    ],
    next: null,
  })
  const { json } = await admin.call('GET', `/consents/${consentId}`)
  expect(json).toMatchObject({
    consentId,
    state: 'REFUSED',
    credentialType: null,
    steps: [
      {
        at: expect.stringMatching(time),
        type: 'REGISTRATION_REFUSED',
        fspId: 'bankx',
        detail: 'malformed',
      },
    ],
  })
})

test('An operator erases the contents of a consent that has ended', async () => {
  const { status } = await admin.call('DELETE', `/consents/${consentId}/contents`)
  expect(status).toBe(204)
  const { json } = await admin.call('GET', `/consents/${consentId}`)
  expect(json).toMatchObject({ erasedAt: expect.stringMatching(time), consentRequestId: null })
  const unknown = `/consents/${randomUUID()}`
  expect(refusalOf(await admin.call('GET', unknown))).toMatch(/^404 3200/)
  expect(refusalOf(await admin.call('DELETE', `${unknown}/contents`))).toMatch(/^404 3200/)
})
