/** Log-in with security keys and certificates, and FIDO for components, over the operator port. */
import { randomUUID, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import { createAuthenticator, type Authenticator } from '@causeway/fsp'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-log-ins-'))
const firstPassword = 'the first password of all'
const password = 'correct horse battery'
const origin = 'http://localhost:4100'
const day_ms = 86_400_000
const validity = { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + day_ms) }
const ca = makeCa({ subject: { commonName: 'operators CA', organization: 'Hub' }, validity })

let admin: AdminWorld
/** The administrator's token and key. */
let token = ''
const device = createAuthenticator()

interface Session {
  readonly accessToken: string
  readonly mustRegisterKey: boolean
}

interface KeyChallenge {
  readonly transactionId: string
  readonly userVerification: string
  readonly fido: { readonly challenge: string }
}

beforeAll(async () => {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  admin = await openWorld([audit, participantLifecycle, authService, settlements], {
    OPERATOR_IDENTITY: 'token',
    AUTH_SERVICE_PASSWORD_COST: '10',
    AUTH_SERVICE_FIRST_PASSWORD_FILE: write('administrator-password', firstPassword),
    AUTH_SERVICE_OPERATOR_CA_FILE: write('operators.pem', ca.certificate),
    AUTH_SERVICE_FIDO_REQUIRED: 'approval',
  })
  await changePassword('administrator', firstPassword)
  const { accessToken, mustRegisterKey } = bodyOf<Session>(await logIn('administrator'))
  expect(mustRegisterKey).toBe(true)
  expect(await register(device, accessToken)).toBe('200')
  ;({ accessToken: token } = await sessionOf('administrator', device))
})

afterAll(async () => {
  await admin.stop()
  rmSync(folder, { recursive: true })
})

const bodyOf = <Body>({ json }: ApiResponse) => json as Body

function as(accessToken: string, method: string, path: string, body?: unknown) {
  return admin.call(method, path, body, { authorization: `Bearer ${accessToken}` })
}

const logIn = (id: string, secret = password) =>
  admin.call('POST', '/app-basic-auth', { id, secret })

async function changePassword(id: string, secret: string): Promise<void> {
  const { accessToken } = bodyOf<Session>(await logIn(id, secret))
  const change = { id, secret, newSecret: password }
  expect((await as(accessToken, 'POST', '/app-change-secret', change)).status).toBe(204)
}

/** A person with a chosen password. */
async function person(name: string, ...roles: readonly string[]): Promise<void> {
  const { secret } = bodyOf<{ readonly secret: string }>(
    await as(token, 'POST', '/operators', { name, roles }),
  )
  await changePassword(name, secret)
}

const outcomeOf = (answer: ApiResponse) =>
  answer.status < 300 ? String(answer.status) : refusalOf(answer)

async function register(key: Authenticator, accessToken: string, name = 'blue key') {
  const begun = await as(accessToken, 'POST', '/app-fido-register', {})
  if (begun.status !== 201) return refusalOf(begun)
  const { challenge } = bodyOf<{ readonly challenge: string }>(begun)
  const attestation = key.register({ challenge: Buffer.from(challenge, 'base64url'), origin })
  return outcomeOf(await as(accessToken, 'POST', '/app-fido-register', { name, attestation }))
}

function authorize({ transactionId, fido }: KeyChallenge, key: Authenticator) {
  const challenge = Buffer.from(fido.challenge, 'base64url')
  const assertion = key.assert({ challenge, origin })
  return admin.call('POST', '/app-fido-authorize', { transactionId, assertion })
}

async function sessionOf(id: string, key: Authenticator): Promise<Session> {
  const begun = await logIn(id)
  expect(begun.status).toBe(202)
  const ended = await authorize(bodyOf<KeyChallenge>(begun), key)
  expect(ended.json).toMatchObject({ authorized: true })
  return bodyOf<{ readonly session: Session }>(ended).session
}

describe('a security key', () => {
  test('Until it is registered, the session of an approver permits nothing else', async () => {
    await person('checks', 'checker')
    const { accessToken } = bodyOf<Session>(await logIn('checks'))
    expect(refusalOf(await as(accessToken, 'GET', '/participants'))).toBe('403 3000')
    const key = createAuthenticator()
    expect(await register(key, accessToken)).toBe('200')
    const session = await sessionOf('checks', key)
    expect((await as(session.accessToken, 'GET', '/participants')).status).toBe(200)
  })

  test('It is registered for its owner only, and once', async () => {
    const body = { userId: 'another-operator' }
    expect(refusalOf(await as(token, 'POST', '/app-fido-register', body))).toBe('403 3000')
    expect(await register(device, token)).toBe('400 3000')
  })

  test('Its owner sees it and removes it, and an administrator resets all of a colleague', async () => {
    await person('owns-keys', 'viewer')
    const [one, other] = [createAuthenticator(), createAuthenticator()]
    const { accessToken } = bodyOf<Session>(await logIn('owns-keys'))
    await register(one, accessToken, 'one')
    await register(other, accessToken, 'other')
    interface Key {
      readonly name: string
      readonly credentialId: string
    }
    const keys = bodyOf<readonly Key[]>(await as(accessToken, 'GET', '/app-fido-keys'))
    expect(keys.map(({ name }) => name)).toEqual(['one', 'other'])
    const path = `/app-fido-keys/${keys[0]?.credentialId}`
    expect((await as(accessToken, 'DELETE', path)).status).toBe(204)
    expect(refusalOf(await as(accessToken, 'DELETE', path))).toBe('404 3200')
    const ofColleague = '/operators/owns-keys/fido-keys'
    expect(bodyOf<readonly Key[]>(await as(token, 'GET', ofColleague))).toHaveLength(1)
    expect(refusalOf(await as(accessToken, 'DELETE', ofColleague))).toBe('403 3000')
    expect((await as(token, 'DELETE', ofColleague)).status).toBe(204)
    expect(refusalOf(await as(accessToken, 'GET', '/app-fido-keys'))).toBe('401 3000')
    expect((await logIn('owns-keys')).status).toBe(200)
  })

  test('It logs in without name and password', async () => {
    const begun = await admin.call('POST', '/app-fido-log-in', {})
    expect(begun).toMatchObject({ status: 201, json: { userVerification: 'required' } })
    const ended = await authorize(bodyOf<KeyChallenge>(begun), device)
    expect(ended.json).toMatchObject({ session: { roles: ['administrator'] } })
    expect(refusalOf(await authorize(bodyOf<KeyChallenge>(begun), device))).toBe('401 3000')
  })

  test('It signs an approval, which is used once', async () => {
    const requestId = randomUUID()
    const approve = () =>
      as(token, 'POST', '/ApproveManageFunds', { requestId, decision: 'APPROVE' })
    expect(refusalOf(await approve())).toBe('403 3000')
    const begun = await as(token, 'POST', '/app-fido-challenge', { transactionId: requestId })
    expect((await authorize(bodyOf<KeyChallenge>(begun), device)).json).toEqual({
      authorized: true,
    })
    // There is no such request, but its approval is signed.
    expect(refusalOf(await approve())).toBe('404 3200')
    expect(refusalOf(await approve())).toBe('403 3000')
    const reject = { requestId, decision: 'REJECT' }
    expect(refusalOf(await as(token, 'POST', '/ApproveManageFunds', reject))).toBe('404 3200')
  })

  test('An operator who approves nothing has nothing to sign', async () => {
    await person('only-sees', 'viewer')
    const { accessToken } = bodyOf<Session>(await logIn('only-sees'))
    const body = { transactionId: randomUUID() }
    expect((await as(accessToken, 'POST', '/app-fido-challenge', body)).status).toBe(204)
  })
})

describe('an application', () => {
  test('It is registered, its secret is shown once, and it logs in', async () => {
    const application = { appName: 'reporting', roles: ['viewer'] }
    const made = await as(token, 'POST', '/app-register', application)
    expect(made).toMatchObject({ status: 201, json: { id: 'reporting' } })
    const { id, secret } = bodyOf<{ readonly id: string; readonly secret: string }>(made)
    expect(await logIn(id, secret)).toMatchObject({ status: 200, json: { roles: ['viewer'] } })
    const again = await as(token, 'POST', '/app-register', application)
    expect(refusalOf(again)).toBe('400 3000')
    expect(again.text).not.toContain(secret)
  })

  test.each([
    [{ appName: 'Reporting', roles: [] }, '400 3100'],
    [{ appName: 'other', roles: ['no-role'] }, '400 3100'],
    [{ appName: 'other' }, '400 3102'],
  ])('%j is refused with %s', async (body, refusal) => {
    expect(refusalOf(await as(token, 'POST', '/app-register', body))).toBe(refusal)
  })

  test('It logs in with a certificate and a signed nonce, once', async () => {
    await as(token, 'POST', '/app-register', { appName: 'clearing', roles: ['viewer'] })
    const { certificate, key } = issueClientCertificate(ca, {
      subject: { commonName: 'clearing', organization: 'Hub' },
      validity,
    })
    const { nonce } = bodyOf<{ readonly nonce: string }>(
      await admin.call('POST', '/app-pem-auth', {}),
    )
    const signature = sign('sha256', Buffer.from(nonce), key).toString('base64')
    const proof = { certificate, nonce, signature }
    const logged = await admin.call('POST', '/app-pem-auth', proof)
    const { accessToken } = bodyOf<Session>(logged)
    expect((await as(accessToken, 'GET', '/participants')).status).toBe(200)
    expect(refusalOf(await admin.call('POST', '/app-pem-auth', proof))).toBe('401 3000')
    const incomplete = { certificate, nonce }
    expect(refusalOf(await admin.call('POST', '/app-pem-auth', incomplete))).toBe('400 3102')
  })
})

describe('FIDO for the users of a component', () => {
  const key = createAuthenticator()
  const userId = 'customer-1'
  let component = ''

  const ask = (path: string, body: unknown) => as(component, 'POST', path, body)

  beforeAll(async () => {
    const role = { labelName: 'Wallet', privileges: ['RUN_FIDO'] }
    expect((await as(token, 'PUT', '/roles/wallet', role)).status).toBe(200)
    const { secret } = bodyOf<{ readonly secret: string }>(
      await as(token, 'POST', '/app-register', { appName: 'wallet', roles: ['wallet'] }),
    )
    ;({ accessToken: component } = bodyOf<Session>(await logIn('wallet', secret)))
    const challenge = await challengeOf('/fido-register')
    const { response } = key.register({ challenge: Buffer.from(challenge, 'base64url'), origin })
    const registered = await ask('/fido-register', { userId, challenge, ...response })
    expect(registered).toMatchObject({ status: 200, json: { publicKey: expect.any(String) } })
  })

  async function challengeOf(path: string, transaction: object = {}): Promise<string> {
    const begun = await ask(path, { userId, ...transaction })
    expect(begun.status).toBe(201)
    return bodyOf<{ readonly challenge: string }>(begun).challenge
  }

  function signed(challenge: string) {
    const bytes = Buffer.from(challenge, 'base64url')
    const { id: credentialId, response } = key.assert({ challenge: bytes, origin })
    return { credentialId, challenge, ...response }
  }

  test('A signature over a challenge is valid once', async () => {
    const assertion = signed(await challengeOf('/fido-authenticate'))
    const first = await ask('/fido-authenticate', assertion)
    expect(first.json).toEqual({ valid: true, userId, signCount: 1 })
    expect((await ask('/fido-authenticate', assertion)).json).toEqual({ valid: false })
  })

  test('A signature over a transaction authorizes that one only, once', async () => {
    const transaction = { transactionId: randomUUID(), transactionHash: 'a'.repeat(64) }
    const other = { ...transaction, transactionId: randomUUID() }
    const stolen = signed(await challengeOf('/fido-authorize', transaction))
    expect((await ask('/fido-authorize', { ...stolen, ...other })).json).toEqual({
      authorized: false,
    })
    const assertion = { ...signed(await challengeOf('/fido-authorize', transaction)) }
    const sent = { ...assertion, ...transaction }
    expect((await ask('/fido-authorize', sent)).json).toEqual({ authorized: true })
    expect((await ask('/fido-authorize', sent)).json).toEqual({ authorized: false })
  })

  test('A key of a user is no key of an operator of the same name', async () => {
    const begun = await admin.call('POST', '/app-fido-log-in', {})
    expect(refusalOf(await authorize(bodyOf<KeyChallenge>(begun), key))).toBe('401 3000')
    const own = await ask('/fido-authenticate', { userId: 'administrator' })
    expect(refusalOf(own)).toBe('404 3200')
  })

  test.each([
    ['/fido-register', {}, '400 3102'],
    ['/fido-authenticate', {}, '400 3102'],
    ['/fido-authenticate', { challenge: 'AAAA' }, '400 3102'],
    ['/fido-authorize', { userId }, '400 3102'],
    ['/fido-authenticate', { userId: 'unknown' }, '404 3200'],
    [
      '/fido-register',
      { userId, challenge: 'AAAA', attestationObject: 'AAAA', clientDataJSON: 'AAAA' },
      '401 3000',
    ],
    ['/fido-register', { userId, extra: 1 }, '400 3100'],
  ])('%s with %j is refused with %s', async (path, body, refusal) => {
    expect(refusalOf(await ask(path, body))).toBe(refusal)
  })
})
