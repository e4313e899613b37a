import * as authService from '@causeway/auth-service'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { issueClientCertificate, makeCa, makeCsr } from '@causeway/pki'
import { credentialsService } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { X509Certificate } from 'node:crypto'
import { openAdminOfFsps, time, refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

const services = [participantLifecycle, authService, settlements, notifications] as const

let admin: AdminWorld

beforeAll(async () => {
  admin = await openAdminOfFsps(services)
  await admin.call('POST', '/participants', { name: 'greenbank', currency: 'USD' })
})

afterAll(() => admin.stop())

const { csr } = makeCsr({
  subject: { commonName: 'applicant', organization: undefined },
  names: { dns: ['localhost'], ip: ['127.0.0.1'] },
})

/** The answer that the edge gets for a token. */
async function mayGetToken(clientSecret: string): Promise<boolean> {
  const credentials = admin.parts.grpc.client(credentialsService, 'auth-service')
  const { token } = await credentials.IssueToken({ clientId: 'greenbank', clientSecret })
  return token !== undefined && token !== null
}

test('A client secret is shown once, gives tokens, and ends with all the others', async () => {
  const path = '/participants/greenbank/client-secrets'
  const made = await admin.call('POST', path)
  expect([made.status, made.json]).toEqual([
    201,
    { clientId: 'greenbank', clientSecret: expect.stringMatching(/^[\w-]{43}$/) },
  ])
  expect(made.headers.get('cache-control')).toBe('no-store')
  const { clientSecret } = made.json as { readonly clientSecret: string }
  expect(await mayGetToken(clientSecret)).toBe(true)
  const ended = await admin.call('DELETE', path)
  expect([ended.status, ended.text]).toEqual([204, ''])
  expect(await mayGetToken(clientSecret)).toBe(false)
  expect((await admin.call('DELETE', path)).status).toBe(204)
})

test('A certificate is issued for a request, with its authority and its expiration', async () => {
  const { status, json } = await admin.call('POST', '/participants/greenbank/certificates', { csr })
  expect(status).toBe(201)
  expect(json).toEqual({
    certificate: expect.stringContaining('BEGIN CERTIFICATE'),
    ca: expect.stringContaining('BEGIN CERTIFICATE'),
    validTo: expect.stringMatching(time),
  })
  const { certificate, ca } = json as { readonly certificate: string; readonly ca: string }
  const x509 = new X509Certificate(certificate)
  expect(x509.verify(new X509Certificate(ca).publicKey)).toBe(true)
  expect(x509.subject).toContain('CN=greenbank')
  expect(x509.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1')
})

test('A certificate of elsewhere is registered, shown, revoked, and not registered again', async () => {
  const path = '/participants/greenbank/certificates'
  const now_ms = Date.now()
  const validity = { from: new Date(now_ms - 60_000), to: new Date(now_ms + 3_600_000) }
  const other = makeCa({ subject: { commonName: 'Other CA', organization: undefined }, validity })
  const subject = { commonName: 'greenbank', organization: undefined }
  const { certificate } = issueClientCertificate(other, { subject, validity })
  const { serialNumber: serial, fingerprint256 } = new X509Certificate(certificate)
  const made = await admin.call('POST', `${path}/registrations`, { certificate })
  expect([made.status, made.json]).toEqual([
    201,
    {
      serial,
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
      origin: 'REGISTERED',
      validFrom: expect.stringMatching(time),
      validTo: expect.stringMatching(time),
      registeredAt: expect.stringMatching(time),
      revokedAt: null,
    },
  ])
  expect((await admin.call('GET', path)).json).toContainEqual(made.json)
  const revoked = await admin.call('DELETE', `${path}/${serial}`)
  expect([revoked.status, revoked.json]).toEqual([
    200,
    { ...(made.json as object), revokedAt: expect.stringMatching(time) },
  ])
  expect((await admin.call('GET', path)).json).toContainEqual(revoked.json)
  expect(refusalOf(await admin.call('POST', `${path}/registrations`, { certificate }))).toBe(
    '400 3000',
  )
  expect(refusalOf(await admin.call('DELETE', `${path}/AB`))).toBe('404 3200')
  expect(refusalOf(await admin.call('GET', '/participants/nobody/certificates'))).toBe('404 3200')
})

test('A hub without a CA refuses to issue certificates', async () => {
  const other = await openWorld(services)
  const answer = await other.call('POST', '/participants/greenbank/certificates', { csr })
  expect(refusalOf(answer)).toBe('501 2002')
  await other.stop()
})

describe('refused is', () => {
  const foreign = makeCsr({
    subject: { commonName: 'greenbank', organization: undefined },
    names: { dns: ['hub.example'], ip: [] },
  })

  test.each([
    ['no body', 'greenbank', undefined, '400 3102'],
    ['no request', 'greenbank', {}, '400 3102'],
    ['a request that is a number', 'greenbank', { csr: 7 }, '400 3100'],
    ['a request that is none', 'greenbank', { csr: 'x' }, '400 3100'],
    ["a request for another FSP's host", 'greenbank', { csr: foreign.csr }, '400 3100'],
    ['an unknown member', 'greenbank', { csr, colour: 'red' }, '400 3100'],
    ['a request for an unknown FSP', 'nobody', { csr }, '404 3200'],
    ['a request of the hub', 'Hub', { csr }, '404 3200'],
  ])('A certificate request is refused: %s', async (_, name, body, expected) => {
    expect(refusalOf(await admin.call('POST', `/participants/${name}/certificates`, body))).toBe(
      expected,
    )
  })

  test.each([
    ['the end of secrets of an unknown FSP', 'POST', 'nobody', '404 3200'],
    ['a secret for the hub', 'POST', 'Hub', '404 3200'],
    ['the end of secrets of an unknown FSP', 'DELETE', 'nobody', '404 3200'],
    ['a list of secrets', 'GET', 'greenbank', '405 3000'],
  ])('A request for %s is refused', async (_, method, name, expected) => {
    expect(refusalOf(await admin.call(method, `/participants/${name}/client-secrets`))).toBe(
      expected,
    )
  })

  test('An eleventh secret is refused', async () => {
    const path = '/participants/greenbank/client-secrets'
    for (let n = 0; n < 10; n += 1) await admin.call('POST', path)
    expect(refusalOf(await admin.call('POST', path))).toBe('400 3100')
  })
})
