import { generateKeyPairSync } from 'node:crypto'
import { approvalCalls } from '@causeway/approvals/testing'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import { authServiceParticipantStatesService } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type AuthServiceWorld } from '../testing/world.ts'

let auth: AuthServiceWorld

beforeAll(async () => {
  auth = await openWorld([participantLifecycle, settlements])
})

afterAll(() => auth.stop())

/** A client that can request tokens. */
async function client(name: string): Promise<() => Promise<string>> {
  await auth.createFsp(name)
  const { secret } = await auth.credentials.CreateClientSecret({ participant: name, createdBy: '' })
  const { clientSecret = '' } = secret ?? {}
  return async () => {
    const { refusal } = await auth.credentials.IssueToken({ clientId: name, clientSecret })
    return refusal?.reason ?? 'ISSUED'
  }
}

async function change(participantId: string, newState: string): Promise<void> {
  const approvals = approvalCalls(auth.parts.grpc, 'participant-lifecycle')
  const wanted = { participantId, newState, reason: 'a test' }
  const { refusal } = await approvals.make('UpdateParticipantState', wanted)
  if (refusal) throw new Error(refusal.detail)
}

function newPem(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

test('A closed FSP gets no token and can add nothing; a suspended one is unaffected', async () => {
  const token = await client('bluewallet')
  await change('bluewallet', 'SUSPENDED')
  expect(await token()).toBe('ISSUED')
  await change('bluewallet', 'CLOSED')
  await eventually(async () => (await token()) === 'SECRET_WRONG' || undefined, 'the end of tokens')
  const about = { participant: 'bluewallet', createdBy: 'ada' }
  expect((await auth.credentials.CreateClientSecret(about)).refusal?.reason).toBe(
    'PARTICIPANT_UNKNOWN',
  )
  const words = { use: 'sig' }
  const added = await auth.keys.AddParticipantKey({ ...about, ...words, publicKey: newPem() })
  expect(added.refusal?.reason).toBe('PARTICIPANT_UNKNOWN')
})

test('A closed FSP has no certificate and no key that still identifies it', async () => {
  await auth.createFsp('amberpay')
  const named = { participant: 'amberpay', actor: 'ada' }
  const now_ms = Date.now()
  const validity = { from: new Date(now_ms - 60_000), to: new Date(now_ms + 3_600_000) }
  const ca = makeCa({ subject: { commonName: 'CA', organization: undefined }, validity })
  const subject = { commonName: 'amberpay', organization: undefined }
  const { certificate } = issueClientCertificate(ca, { subject, validity })
  await auth.credentials.RegisterCertificate({ ...named, certificate })
  const words = { kid: 'first', use: 'sig', createdBy: 'ada' }
  await auth.keys.AddParticipantKey({ participant: 'amberpay', ...words, publicKey: newPem() })
  const read = async () => {
    const names = ['amberpay']
    const certificates = (await auth.credentials.GetCertificates({ names })).participants
    const keys = (await auth.keys.GetParticipantKeys({ names })).participants
    return {
      revokedAt: certificates[0]?.certificates[0]?.revokedAt,
      validTo: keys[0]?.keys[0]?.validTo,
    }
  }
  expect(await read()).toEqual({ revokedAt: undefined, validTo: undefined })
  await change('amberpay', 'CLOSED')
  const ended = await eventually(async () => {
    const found = await read()
    return found.revokedAt !== undefined && found.validTo !== undefined ? found : undefined
  }, 'the end of certificate and key')
  expect(Date.parse(ended.validTo ?? '')).toBeLessThanOrEqual(Date.now())
})

test('The gRPC call alone ends the secrets, and a version that is not newer does nothing', async () => {
  const token = await client('redpay')
  const callbacks = auth.parts.grpc.client(authServiceParticipantStatesService, 'auth-service')
  const state = { participantId: 'redpay', oldStateName: 'ACTIVE', changedAt: '', isActive: false }
  const suspended = { ...state, newStateName: 'SUSPENDED', version: 900 }
  expect(await callbacks.ParticipantStateUpdated(suspended)).toEqual({ version: 900 })
  const late = { ...state, newStateName: 'CLOSED', version: 899 }
  expect(await callbacks.ParticipantStateUpdated(late)).toEqual({ version: 900 })
  expect(await token()).toBe('ISSUED')
  await callbacks.ParticipantStateUpdated({ ...late, version: 901 })
  await eventually(async () => (await token()) === 'SECRET_WRONG' || undefined, 'the end of tokens')
})
