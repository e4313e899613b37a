import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { issueClientCertificate, makeCa, makeCsr, signCsr, type Ca } from '@causeway/pki'
import { eventually } from '@causeway/process/testing'
import type { RegisteredCertificate } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fsp, openWorld, type AuthServiceWorld } from '../../testing/world.ts'

const day_ms = 86_400_000

let folder: string
let auth: AuthServiceWorld
let ca: Ca

function newCa(): Ca {
  return makeCa({
    subject: { commonName: 'Scheme CA', organization: 'Scheme' },
    validity: { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + 365 * day_ms) },
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-certificates-'))
  ca = newCa()
  writeFileSync(join(folder, 'ca.pem'), ca.certificate)
  writeFileSync(join(folder, 'ca.key'), ca.key)
  auth = await openWorld([participantLifecycle, settlements], {
    AUTH_SERVICE_CA_CERTIFICATE_FILE: join(folder, 'ca.pem'),
    AUTH_SERVICE_CA_KEY_FILE: join(folder, 'ca.key'),
  })
})

afterAll(async () => {
  await auth.stop()
  rmSync(folder, { recursive: true })
})

/** Made by a CA that the hub does not have. */
function elsewhere(commonName: string, ends_ms = 30 * day_ms): string {
  const validity = { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + ends_ms) }
  const subject = { commonName, organization: undefined }
  return issueClientCertificate(newCa(), { subject, validity }).certificate
}

/** With an RSA key of that many bits. */
function withKey(commonName: string, modulusLength: number): string {
  const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength })
  const names = { dns: [], ip: [] }
  const validity = { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + day_ms) }
  const subject = { commonName, organization: undefined }
  return signCsr(newCa(), { request: { key, names }, subject, names, validity })
}

function fingerprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
}

async function register(participant: string, certificate: string) {
  const request = { participant, certificate, actor: 'ada' }
  const { certificate: stored, refusal } = await auth.credentials.RegisterCertificate(request)
  return refusal?.reason ?? stored
}

async function certificatesOf(name: string): Promise<readonly RegisteredCertificate[]> {
  const { participants } = await auth.credentials.GetCertificates({ names: [name] })
  return participants[0]?.certificates ?? []
}

test('A certificate that the hub issued is registered with its fingerprint', async () => {
  const { csr } = makeCsr({ subject: { commonName: 'any', organization: undefined } })
  const request = { participant: fsp, csr, actor: 'ada' }
  const { certificate } = await auth.credentials.IssueCertificate(request)
  const pem = certificate?.certificate ?? ''
  expect(await certificatesOf(fsp)).toContainEqual({
    serial: new X509Certificate(pem).serialNumber,
    fingerprint: fingerprintOf(pem),
    origin: 'ISSUED',
    validFrom: expect.any(String),
    validTo: certificate?.validTo,
    registeredAt: expect.any(String),
  })
})

test('A certificate that was made elsewhere is registered once, however often it is sent', async () => {
  const pem = elsewhere(fsp)
  const stored = await register(fsp, pem)
  expect(stored).toMatchObject({ fingerprint: fingerprintOf(pem), origin: 'REGISTERED' })
  expect(await register(fsp, `\n${pem}\n`)).toEqual(stored)
  const known = await certificatesOf(fsp)
  expect(known.filter(({ fingerprint }) => fingerprint === fingerprintOf(pem))).toHaveLength(1)
})

test.each([
  ['names another FSP', () => elsewhere('bluewallet')],
  ['has ended', () => elsewhere(fsp, -1_000)],
  ['is none', () => 'junk'],
  ['is one of two', () => elsewhere(fsp) + elsewhere(fsp)],
  ['has a weak key', () => withKey(fsp, 1_024)],
])('A certificate that %s is not registered', async (_what, made) => {
  expect(await register(fsp, made())).toBe('INVALID')
})

test('A certificate of an FSP that does not exist is not registered', async () => {
  expect(await register('nobody', elsewhere('nobody'))).toBe('PARTICIPANT_UNKNOWN')
})

test('A revoked certificate stays revoked, and its revocation is announced', async () => {
  const pem = elsewhere(fsp)
  const { serialNumber } = new X509Certificate(pem)
  await register(fsp, pem)
  const announced = auth.published.length
  const serial = serialNumber.toLowerCase().match(/../g)?.join(':') ?? ''
  const revocation = { participant: fsp, serial, actor: 'ada' }
  const { certificate } = await auth.credentials.RevokeCertificate(revocation)
  expect(certificate).toMatchObject({ serial: serialNumber, revokedAt: expect.any(String) })
  await eventually(
    () => auth.published.slice(announced).find(({ name }) => name === 'ParticipantKeysUpdated'),
    'the announcement',
  )
  expect((await auth.credentials.RevokeCertificate(revocation)).certificate).toEqual(certificate)
  expect(await register(fsp, pem)).toBe('CERTIFICATE_REVOKED')
})

test("A certificate of another FSP, or of none, is not revoked in an FSP's name", async () => {
  await auth.createFsp('bluewallet')
  const pem = elsewhere('bluewallet')
  const serial = new X509Certificate(pem).serialNumber
  await register('bluewallet', pem)
  for (const wrong of [serial, 'AB', "'"]) {
    const revocation = { participant: fsp, serial: wrong, actor: 'ada' }
    const { refusal } = await auth.credentials.RevokeCertificate(revocation)
    expect(refusal?.reason).toBe('CERTIFICATE_UNKNOWN')
  }
  expect(await certificatesOf('bluewallet')).toMatchObject([{ serial }])
  expect((await certificatesOf('bluewallet'))[0]).not.toHaveProperty('revokedAt')
})
