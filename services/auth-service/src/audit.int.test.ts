import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onEvents, type Payload } from '@causeway/events'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { makeCa, makeCsr } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fsp, openWorld, type AuthServiceWorld } from './testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-auth-'))
const received: Payload<'/audit-log-write'>[] = []
let auth: AuthServiceWorld

beforeAll(async () => {
  const { certificate, key } = makeCa({
    subject: { commonName: 'Scheme CA', organization: 'Hub' },
    validity: { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) },
  })
  writeFileSync(join(folder, 'ca.pem'), certificate)
  writeFileSync(join(folder, 'ca.key'), key)
  auth = await openWorld([participantLifecycle, settlements], {
    AUTH_SERVICE_CA_CERTIFICATE_FILE: join(folder, 'ca.pem'),
    AUTH_SERVICE_CA_KEY_FILE: join(folder, 'ca.key'),
  })
  await onEvents(auth.parts.bus, 'audit_test', ['/audit-log-write'], (events) => {
    const own = events.filter(({ payload }) => payload.sourceBcName === 'auth-service')
    received.push(...own.map(({ payload }) => payload))
    return Promise.resolve()
  })
})

afterAll(async () => {
  await auth.stop()
  rmSync(folder, { recursive: true })
})

test('Each change of keys, secrets and certificates leaves one audit entry; a request without change leaves none', async () => {
  const { keys, credentials } = auth
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const addition = {
    participant: fsp,
    kid: 'k-1',
    use: 'sig',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    createdBy: 'ada',
  }
  await keys.AddParticipantKey(addition)
  await keys.AddParticipantKey(addition)
  await keys.AddParticipantKey({ ...addition, participant: 'nobody' })
  await keys.EndParticipantKey({ participant: fsp, kid: 'k-1', actor: 'bob' })
  const { secret } = await credentials.CreateClientSecret({ participant: fsp, createdBy: 'ada' })
  await credentials.EndClientSecrets({ name: fsp, actor: '' })
  await credentials.EndClientSecrets({ name: fsp, actor: '' })
  const { csr } = makeCsr({
    subject: { commonName: fsp, organization: undefined },
    names: { dns: ['localhost'], ip: [] },
  })
  const { certificate } = await credentials.IssueCertificate({
    participant: fsp,
    csr,
    actor: 'ada',
  })
  expect(certificate).toBeTruthy()

  const entries = await eventually(
    () => (received.length >= 5 ? received : undefined),
    'five entries',
  )
  expect(
    entries.map(({ actionType, securityContext, subject }) => [
      securityContext.userId,
      actionType,
      subject.replace(/[0-9A-F]{10,}$/, 'SERIAL'),
    ]),
  ).toEqual([
    ['ada', 'AddParticipantKey', 'participants/greenbank/keys/k-1'],
    ['bob', 'EndParticipantKey', 'participants/greenbank/keys/k-1'],
    ['ada', 'CreateClientSecret', 'participants/greenbank/client-secrets'],
    ['unknown', 'EndClientSecrets', 'participants/greenbank/client-secrets'],
    ['ada', 'IssueCertificate', 'participants/greenbank/certificates/SERIAL'],
  ])
  const [added, ended] = entries
  expect(added).toMatchObject({ before: null, after: { use: 'sig', validTo: '' } })
  expect(ended).toMatchObject({ before: { validTo: '' }, after: { validTo: expect.any(String) } })
  expect(JSON.stringify(entries)).not.toContain(secret?.clientSecret)
})
