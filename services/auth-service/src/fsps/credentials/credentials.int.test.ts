import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { makeCa, makeCsr, readSubject, type Ca, type HostNames } from '@causeway/pki'
import { statement } from '@causeway/postgres'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import {
  callbackHost,
  fsp,
  openWorld,
  ownDatabase,
  type AuthServiceWorld,
} from '../../testing/world.ts'

const services = [participantLifecycle, settlements] as const
const wrong_max = 20
const year_ms = 365 * 86_400_000

let folder: string
let ca: Ca
let auth: AuthServiceWorld

/** Writes the CA to the files of the running service. */
function installCa(made: Ca): void {
  ca = made
  writeFileSync(join(folder, 'ca.pem'), made.certificate)
  writeFileSync(join(folder, 'ca.key'), made.key)
}

function newCa(to_ms = Date.now() + year_ms): Ca {
  return makeCa({
    subject: { commonName: 'Scheme CA', organization: 'Hub' },
    validity: { from: new Date(Date.now() - 60_000), to: new Date(to_ms) },
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-auth-'))
  installCa(newCa())
  const files = {
    AUTH_SERVICE_CA_CERTIFICATE_FILE: join(folder, 'ca.pem'),
    AUTH_SERVICE_CA_KEY_FILE: join(folder, 'ca.key'),
  }
  const bounds = { wrongSecrets_max: wrong_max, tokenLife_s: 60 }
  auth = await openWorld(services, files, bounds)
})

afterAll(async () => {
  await auth.stop()
  rmSync(folder, { recursive: true })
})

beforeEach(() => auth.credentials.EndClientSecrets({ name: fsp, actor: 'ada' }))

async function newSecret(): Promise<string> {
  const { secret } = await auth.credentials.CreateClientSecret({
    participant: fsp,
    createdBy: 'operator',
  })
  expect(secret?.clientId).toBe(fsp)
  return secret?.clientSecret ?? ''
}

const tokenFor = (clientSecret: string, clientId = fsp) =>
  auth.credentials.IssueToken({ clientId, clientSecret })

async function keySet(): Promise<JSONWebKeySet> {
  return JSON.parse((await auth.credentials.GetTokenKeys({})).jwksJson) as JSONWebKeySet
}

const changesPublished = () =>
  auth.published.filter(({ name }) => name === 'ParticipantKeysUpdated').length

/** All stored data, as text. */
async function dump(): Promise<string> {
  const database = await ownDatabase(auth.parts)
  const rows = await Promise.all(
    ['client_secrets', 'token_keys', 'certificates'].map((table) =>
      database.query(statement(`select ${table}::text from ${table}`), []),
    ),
  )
  await database.close()
  return JSON.stringify(rows)
}

describe('a secret', () => {
  test('A secret is returned once, stored nowhere, and announced', async () => {
    const before = changesPublished()
    const secret = await newSecret()
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await dump()).not.toContain(secret)
    expect(await dump()).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    await eventually(
      () => changesPublished() === before + 1 || undefined,
      'the change is published',
    )
  })

  test('Each of several secrets is valid until all are ended', async () => {
    const secrets = [await newSecret(), await newSecret()]
    for (const secret of secrets) expect(await tokenFor(secret)).toMatchObject({ token: {} })
    expect(await auth.credentials.GetCredentialStates({ names: [fsp, 'nobody'] })).toEqual({
      states: [{ participant: fsp, clientSecrets: 2 }],
    })
    expect(await auth.credentials.EndClientSecrets({ name: fsp, actor: 'ada' })).toEqual({})
    for (const secret of secrets) {
      expect(await tokenFor(secret)).toMatchObject({ refusal: { reason: 'SECRET_WRONG' } })
    }
  })

  test('An eleventh secret is refused, even in concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 11 }, () =>
        auth.credentials.CreateClientSecret({ participant: fsp, createdBy: 'operator' }),
      ),
    )
    expect(answers.flatMap(({ refusal }) => refusal?.reason ?? [])).toEqual(['INVALID'])
  })

  test.each([
    ['an unknown FSP', { participant: 'nobody' }, 'PARTICIPANT_UNKNOWN'],
    ['the hub', { participant: 'Hub' }, 'PARTICIPANT_UNKNOWN'],
    ['a name that is none', { participant: 'a\0b' }, 'PARTICIPANT_UNKNOWN'],
    ['an invalid author', { createdBy: 'a\0b' }, 'INVALID'],
  ])('A secret for %s is refused', async (_, changes, reason) => {
    const asked = { participant: fsp, createdBy: 'operator', ...changes }
    expect(await auth.credentials.CreateClientSecret(asked)).toMatchObject({ refusal: { reason } })
  })

  test('Ending the secrets of an unknown FSP is refused', async () => {
    expect(await auth.credentials.EndClientSecrets({ name: 'nobody', actor: 'ada' })).toMatchObject(
      {
        refusal: { reason: 'PARTICIPANT_UNKNOWN' },
      },
    )
  })
})

describe('a token', () => {
  test('A token names the FSP and the audience, and verifies with the published keys', async () => {
    const { token } = await tokenFor(await newSecret())
    expect(token?.expiresInS).toBe(60)
    const { payload } = await jwtVerify(
      token?.accessToken ?? '',
      createLocalJWKSet(await keySet()),
      {
        issuer: 'Hub',
        audience: 'fsp-api',
        typ: 'at+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
      },
    )
    expect(payload).toMatchObject({ sub: fsp, client_id: fsp })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
  })

  test('The private part of a token key is neither published nor stored in clear', async () => {
    const { keys } = await keySet()
    expect(keys.map(({ d }) => d)).toEqual([undefined])
    expect(keys).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }])
    const database = await ownDatabase(auth.parts)
    const rows = await database.query<{ readonly private_key: Buffer }>(
      statement('select private_key from token_keys'),
      [],
    )
    await database.close()
    // A PKCS #8 key of P-256 contains the object identifier of the curve.
    const curve = Buffer.from('2a8648ce3d030107', 'hex')
    expect(rows.map(({ private_key }) => private_key.includes(curve))).toEqual([false])
  })

  test.each([
    ['an unknown client', 'x'.repeat(43), 'nobody'],
    ['a client with an invalid name', 'x'.repeat(43), 'a\0b'],
    ['no secret', '', fsp],
    ['a text that was never a secret', 'a\0b', fsp],
  ])('A token is refused to %s', async (_, clientSecret, clientId) => {
    expect(await tokenFor(clientSecret, clientId)).toMatchObject({
      refusal: { reason: 'SECRET_WRONG' },
    })
  })

  test("A token is refused for another FSP's secret", async () => {
    await auth.createFsp('bluewallet')
    const secret = await newSecret()
    expect(await tokenFor(secret, 'bluewallet')).toMatchObject({
      refusal: { reason: 'SECRET_WRONG' },
    })
  })

  test('After too many wrong secrets a token is refused for a new secret, but not for one that was correct before', async () => {
    await auth.createFsp('guessed')
    const made = await auth.credentials.CreateClientSecret({
      participant: 'guessed',
      createdBy: 'operator',
    })
    const known = made.secret?.clientSecret ?? ''
    const { secret: late } = await auth.credentials.CreateClientSecret({
      participant: 'guessed',
      createdBy: 'operator',
    })
    expect(await tokenFor(known, 'guessed')).toMatchObject({ token: {} })
    for (let n = 0; n < wrong_max; n += 1) await tokenFor(`wrong ${n}`, 'guessed')
    expect(await tokenFor(late?.clientSecret ?? '', 'guessed')).toMatchObject({
      refusal: { reason: 'SECRET_WRONG', detail: expect.stringContaining('too many') },
    })
    expect(await tokenFor(known, 'guessed')).toMatchObject({ token: {} })
  })
})

describe('a certificate', () => {
  const none: HostNames = { dns: [], ip: [] }

  function request(names: HostNames = none, commonName = 'applicant') {
    return makeCsr({ subject: { commonName, organization: 'Applicant' }, names })
  }

  async function issued(csr: string) {
    const { certificate, refusal } = await auth.credentials.IssueCertificate({
      participant: fsp,
      actor: 'ada',
      csr,
    })
    expect(refusal).toBeUndefined()
    return certificate ?? { certificate: '', ca: '', validTo: '' }
  }

  test("A certificate names the FSP, whatever the subject of the request, and has the request's key", async () => {
    const before = changesPublished()
    const { csr, key } = request()
    const { certificate, ca: shown, validTo } = await issued(csr)
    expect(shown).toBe(ca.certificate)
    expect(readSubject(certificate)).toEqual({ commonName: fsp, organization: 'Hub' })
    const x509 = new X509Certificate(certificate)
    expect(x509.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true)
    expect(x509.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(new Date(x509.validTo).toISOString()).toBe(validTo)
    const { states } = await auth.credentials.GetCredentialStates({ names: [fsp] })
    expect(states).toMatchObject([{ participant: fsp, certificateValidTo: validTo }])
    await eventually(() => changesPublished() > before || undefined, 'the change is published')
  })

  test('A certificate never outlives its CA', async () => {
    const { validTo } = await issued(request().csr)
    expect(validTo).toBe(new Date(new X509Certificate(ca.certificate).validTo).toISOString())
  })

  test("A certificate may name the hosts of the FSP's endpoints, and its own machine", async () => {
    const names = { dns: [callbackHost, 'localhost'], ip: ['127.0.0.1'] }
    const { certificate } = await issued(request(names).csr)
    expect(new X509Certificate(certificate).subjectAltName).toBe(
      `DNS:${callbackHost}, DNS:localhost, IP Address:127.0.0.1`,
    )
  })

  test('A certificate is issued by the CA that is in the files now', async () => {
    const before = ca
    installCa(newCa())
    const { certificate, ca: shown } = await issued(request().csr)
    expect(shown).not.toBe(before.certificate)
    expect(new X509Certificate(certificate).verify(new X509Certificate(shown).publicKey)).toBe(true)
  })

  test.each([
    ['an invalid request', 'x', 'csr: not a PEM'],
    ["another's host", request({ dns: ['hub.example'], ip: [] }).csr, 'hub.example'],
    ['a request with its private key', request().csr + request().key, 'private key'],
  ])('A certificate is refused for %s, with a description', async (_, csr, words) => {
    const answer = await auth.credentials.IssueCertificate({ participant: fsp, csr, actor: 'ada' })
    expect(answer).toMatchObject({
      refusal: { reason: 'INVALID', detail: expect.stringContaining(words) },
    })
  })

  test.each(['nobody', 'Hub', 'a\0b'])('A certificate is refused to %j', async (participant) => {
    const answer = await auth.credentials.IssueCertificate({
      participant,
      csr: request().csr,
      actor: 'ada',
    })
    expect(answer).toMatchObject({ refusal: { reason: 'PARTICIPANT_UNKNOWN' } })
  })
})
