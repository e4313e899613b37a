import * as participantLifecycle from '@causeway/participant-lifecycle'
import { makeCa, makeCsr } from '@causeway/pki'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fsp, openWorld, type AuthServiceWorld } from './testing/world.ts'

const services = [participantLifecycle, settlements] as const

let folder: string
let auth: AuthServiceWorld

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-auth-'))
  const { certificate, key } = makeCa({
    subject: { commonName: 'Scheme CA', organization: 'Hub' },
    validity: { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) },
  })
  writeFileSync(join(folder, 'ca.pem'), certificate)
  writeFileSync(join(folder, 'ca.key'), key)
  auth = await openWorld(services, {
    AUTH_SERVICE_CA_CERTIFICATE_FILE: join(folder, 'ca.pem'),
    AUTH_SERVICE_CA_KEY_FILE: join(folder, 'ca.key'),
  })
})

afterAll(async () => {
  await auth.stop()
  rmSync(folder, { recursive: true })
})

async function known() {
  const [keys, states, tokenKeys] = await Promise.all([
    auth.keys.GetParticipantKeys({ names: [fsp] }),
    auth.credentials.GetCredentialStates({ names: [fsp] }),
    auth.credentials.GetTokenKeys({}),
  ])
  return { keys, states, tokenKeys }
}

test('After a crash every confirmed key, secret, token key and certificate is stored', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await auth.keys.AddParticipantKey({
    participant: fsp,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    use: 'sig',
    createdBy: 'operator',
  })
  const { secret } = await auth.credentials.CreateClientSecret({
    participant: fsp,
    createdBy: 'operator',
  })
  const { csr } = makeCsr({ subject: { commonName: fsp, organization: undefined } })
  await auth.credentials.IssueCertificate({ participant: fsp, csr, actor: 'ada' })
  const before = await known()
  expect(before).toMatchObject({
    keys: { participants: [{ participant: fsp }] },
    states: { states: [{ participant: fsp, clientSecrets: 1 }] },
  })

  auth = await auth.crash()
  expect(await known()).toEqual(before)
  const asked = { clientId: fsp, clientSecret: secret?.clientSecret ?? '' }
  expect(await auth.credentials.IssueToken(asked)).toMatchObject({ token: {} })
})

test('Ended secrets stay ended after a crash', async () => {
  const made = await auth.credentials.CreateClientSecret({ participant: fsp, createdBy: 'op' })
  await auth.credentials.EndClientSecrets({ name: fsp, actor: 'ada' })
  auth = await auth.crash()
  const asked = { clientId: fsp, clientSecret: made.secret?.clientSecret ?? '' }
  expect(await auth.credentials.IssueToken(asked)).toMatchObject({
    refusal: { reason: 'SECRET_WRONG' },
  })
})
