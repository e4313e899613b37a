/** Log-in with security keys and certificates, on PostgreSQL. */
import { createHash, generateKeyPairSync, randomUUID, sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onEvents, type DomainEvent } from '@causeway/events'
import { createAuthenticator, type Authenticator } from '@causeway/fsp'
import type { Calls } from '@causeway/grpc'
import { issueClientCertificate, issueServerCertificate, makeCa, type Ca } from '@causeway/pki'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import {
  logInsService,
  operatorsService,
  type KeyChallenge,
  type OperatorKind,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { start } from '../../service.ts'
import { authSettings, ownDatabase } from '../../testing/world.ts'

type Audited = DomainEvent<'/audit-log-write'>['payload']

const folder = mkdtempSync(join(tmpdir(), 'causeway-log-in-'))
const password = 'correct horse battery'
const origin = 'http://localhost:4100'
const day_ms = 86_400_000
const validity = { from: new Date(Date.now() - day_ms), to: new Date(Date.now() + day_ms) }

const authority = (commonName: string) =>
  makeCa({ subject: { commonName, organization: 'Hub' }, validity })
const operatorCa = authority('operators CA')
const serviceCa = authority('services CA')
const schemeCa = authority('scheme CA')

let parts: TestParts
let service: Service
let operators: Calls<typeof operatorsService>
let logIns: Calls<typeof logInsService>
let db: Database
const audited: Audited[] = []

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

beforeAll(async () => {
  parts = await openTestParts()
  service = await start(
    authSettings({
      AUTH_SERVICE_PASSWORD_COST: '10',
      AUTH_SERVICE_WRONG_PASSWORDS_MAX: '3',
      AUTH_SERVICE_FIDO_REQUIRED: 'approval',
      AUTH_SERVICE_OPERATOR_CA_FILE: file('operators.pem', operatorCa.certificate),
      AUTH_SERVICE_SERVICE_CA_FILE: file('services.pem', serviceCa.certificate),
    }),
    parts,
  )
  operators = parts.grpc.client(operatorsService, 'auth-service')
  logIns = parts.grpc.client(logInsService, 'auth-service')
  db = await ownDatabase(parts)
  await onEvents(parts.bus, 'test', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
})

afterAll(async () => {
  await db.close()
  await service.stop()
  await parts.stop()
  rmSync(folder, { recursive: true })
})

let name = ''
let device: Authenticator

/** Each test has its own person, who sees everything, and a key that is not registered yet. */
beforeEach(async () => {
  name = await person('viewer')
  device = createAuthenticator()
})

async function person(...roles: readonly string[]): Promise<string> {
  const made = `p-${randomUUID()}`
  const secret = await created(made, 'PERSON', roles)
  const change = { name: made, oldPassword: secret, newPassword: password }
  expect(await operators.ChangePassword(change)).toEqual({})
  return made
}

async function created(
  made: string,
  kind: OperatorKind,
  roles: readonly string[],
): Promise<string> {
  const creation = { name: made, kind, roles: [...roles], actor: 'test' }
  const { operator, refusal } = await operators.CreateOperator(creation)
  if (!operator) throw new Error(refusal?.reason)
  return operator.secret ?? ''
}

const logIn = (id = name, secret = password) => operators.LogIn({ id, secret })

async function keyStep(id = name): Promise<KeyChallenge> {
  const { key } = await logIn(id)
  if (!key) throw new Error('no key was requested')
  return key
}

async function registerKey(operator = name, key = device, label = 'blue key') {
  const begun = await logIns.BeginKeyRegistration({ operator })
  if (!begun.challenge) return begun.refusal?.reason
  const challenge = Buffer.from(begun.challenge.challenge, 'base64url')
  const attestationJson = JSON.stringify(key.register({ challenge, origin }))
  const { refusal } = await logIns.RegisterKey({ operator, attestationJson, name: label })
  return refusal?.reason ?? 'REGISTERED'
}

function authorize({ transactionId, challenge }: KeyChallenge, key = device) {
  const bytes = Buffer.from(challenge?.challenge ?? '', 'base64url')
  const assertionJson = JSON.stringify(key.assert({ challenge: bytes, origin }))
  return logIns.AuthorizeWithKey({ transactionId, assertionJson })
}

const isActive = async (accessToken: string) => (await operators.CheckToken({ accessToken })).active

async function entriesOf(subject: string, action: string, count: number) {
  return eventually(() => {
    const found = audited.filter((each) => each.subject === subject && each.actionType === action)
    return found.length >= count ? found : undefined
  }, `${count} entries ${action} of ${subject}`)
}

const labelOf = ({ labels }: Audited, key: string) =>
  labels.find((label) => label.key === key)?.value

describe('a second factor', () => {
  test('Once a key is registered, a password alone opens no session', async () => {
    expect((await logIn()).session).toBeTruthy()
    expect(await registerKey()).toBe('REGISTERED')
    const answer = await logIn()
    expect(answer.session).toBeUndefined()
    expect(answer.key?.challenge?.credentialIds).toHaveLength(1)
    const { authorized } = await authorize(await keyStep())
    expect(await isActive(authorized?.session?.accessToken ?? '')).toBe(true)
    const [entry] = await entriesOf(`operators/${name}`, 'LogInKeyRequested', 2)
    expect(entry).toMatchObject({ actionSuccessful: true })
  })

  test('A wrong password gets no challenge, and still leads to a lock', async () => {
    await registerKey()
    for (let n = 0; n < 3; n += 1) {
      expect((await logIn(name, 'a wrong password')).refusal?.reason).toBe('SECRET_WRONG')
    }
    expect((await logIn()).refusal?.reason).toBe('SECRET_WRONG')
  })

  test('The key of another operator does not end a log-in', async () => {
    await registerKey()
    const other = createAuthenticator()
    const colleague = await person('viewer')
    await registerKey(colleague, other)
    expect((await authorize(await keyStep(), other)).refusal?.reason).toBe('PROOF_INVALID')
    const [entry] = await entriesOf(`operators/${colleague}`, 'LogIn', 1)
    expect(entry).toMatchObject({ actionSuccessful: false })
  })

  test('A challenge ends one log-in, and only that of its transaction', async () => {
    await registerKey()
    const step = await keyStep()
    expect((await authorize(step)).authorized?.session).toBeTruthy()
    expect((await authorize(step)).refusal?.reason).toBe('PROOF_INVALID')
    const other = { ...(await keyStep()), transactionId: randomUUID() }
    expect((await authorize(other)).refusal?.reason).toBe('PROOF_INVALID')
    const failures = (await entriesOf(`operators/${name}`, 'LogIn', 3)).filter(
      ({ actionSuccessful }) => !actionSuccessful,
    )
    expect(failures.map((entry) => labelOf(entry, 'fault'))).toEqual([
      'the challenge was used before',
      'the challenge was made for another transaction',
    ])
  })

  test('A disabled operator cannot end a log-in that was begun before', async () => {
    await registerKey()
    const step = await keyStep()
    await operators.UpdateOperator({ name, isActive: false, actor: 'test' })
    expect((await authorize(step)).refusal?.reason).toBe('PROOF_INVALID')
  })
})

describe('a passkey', () => {
  async function begin(): Promise<KeyChallenge> {
    const { key } = await logIns.BeginKeyLogIn({})
    if (!key) throw new Error('no challenge')
    expect(key).toMatchObject({ userVerificationRequired: true })
    return key
  }

  test('A key that verifies its user logs in alone, also while wrong passwords lock the name', async () => {
    await registerKey()
    for (let n = 0; n < 4; n += 1) await logIn(name, 'a wrong password')
    expect((await logIn()).refusal?.reason).toBe('SECRET_WRONG')
    const { authorized } = await authorize(await begin())
    expect(authorized?.session?.roles).toEqual(['viewer'])
    const entry = (await entriesOf(`operators/${name}`, 'LogIn', 6)).at(-1)
    expect(entry && labelOf(entry, 'factor')).toBe('KEY')
  })

  test('A key that verifies no user is a second factor, but no log-in by itself', async () => {
    device = createAuthenticator({ verifiesUser: false })
    await registerKey()
    expect((await authorize(await begin())).refusal?.reason).toBe('PROOF_INVALID')
    expect((await authorize(await keyStep())).authorized?.session).toBeTruthy()
  })
})

describe('the owner of a key', () => {
  test('Who still has an initial password registers no key', async () => {
    const newcomer = `p-${randomUUID()}`
    await created(newcomer, 'PERSON', ['viewer'])
    expect(await registerKey(newcomer)).toBe('INVALID')
  })

  test('A program registers no key', async () => {
    const program = `m-${randomUUID()}`
    await created(program, 'MACHINE', ['viewer'])
    expect(await registerKey(program)).toBe('INVALID')
    expect(await registerKey('unknown-operator')).toBe('OPERATOR_UNKNOWN')
  })

  test('The list names the keys and when they were used', async () => {
    await registerKey()
    const before = await logIns.ListKeys({ operator: name })
    expect(before.keys).toMatchObject([{ name: 'blue key', verifiesUser: true }])
    expect(before.keys[0]?.lastUsedAt).toBeUndefined()
    await authorize(await keyStep())
    const { keys } = await logIns.ListKeys({ operator: name })
    expect(keys[0]?.lastUsedAt).toMatch(/^\d{4}-/)
  })

  test('A removed key cannot be used, and without keys the password is enough again', async () => {
    await registerKey()
    const step = await keyStep()
    const [key] = (await logIns.ListKeys({ operator: name })).keys
    const removal = { operator: name, credentialId: key?.credentialId ?? '', actor: name }
    expect(await logIns.RemoveKeys(removal)).toEqual({})
    expect((await authorize(step)).refusal?.reason).toBe('PROOF_INVALID')
    expect((await logIn()).session).toBeTruthy()
    expect((await logIns.RemoveKeys(removal)).refusal?.reason).toBe('CREDENTIAL_UNKNOWN')
  })

  test('A reset by an administrator removes every key, ends every session and is audited', async () => {
    await registerKey()
    const { authorized } = await authorize(await keyStep())
    await logIns.RemoveKeys({ operator: name, actor: 'administrator' })
    expect(await isActive(authorized?.session?.accessToken ?? '')).toBe(false)
    const [entry] = await entriesOf(`operators/${name}`, 'RemoveFidoCredentials', 1)
    expect(entry).toMatchObject({
      securityContext: { userId: 'administrator' },
      before: { keys: [{ name: 'blue key' }] },
      after: { keys: [] },
    })
  })
})

describe('an operator whose roles approve', () => {
  test('The session of one without a key permits nothing until a key is registered', async () => {
    const checker = await person('checker')
    const { session } = await logIn(checker)
    expect(session).toMatchObject({ mustRegisterKey: true })
    const limited = await operators.CheckToken({ accessToken: session?.accessToken ?? '' })
    expect(limited).toMatchObject({ active: true, privileges: [] })
    expect(await registerKey(checker)).toBe('REGISTERED')
    const { authorized } = await authorize(await keyStep(checker))
    expect(authorized?.session).toMatchObject({ mustRegisterKey: false })
  })

  test('A person without such roles needs no key', async () => {
    expect((await logIn()).session).toMatchObject({ mustRegisterKey: false })
    const transaction = { operator: name, transactionId: randomUUID() }
    expect(await logIns.BeginAuthorization(transaction)).toEqual({})
    expect(await logIns.UseAuthorization(transaction)).toEqual({})
  })

  test('An approval is signed once, by its approver, for its request', async () => {
    const checker = await person('checker')
    const transactionId = randomUUID()
    const mine = { operator: checker, transactionId }
    const use = async (asked = mine) => (await logIns.UseAuthorization(asked)).refusal?.reason
    expect((await logIns.BeginAuthorization(mine)).refusal?.reason).toBe('KEY_MISSING')
    await registerKey(checker)
    expect(await use()).toBe('KEY_REQUIRED')
    const { key } = await logIns.BeginAuthorization(mine)
    if (!key) throw new Error('no challenge')
    expect((await authorize(key)).authorized).toEqual({})
    expect(await use({ ...mine, transactionId: randomUUID() })).toBe('KEY_REQUIRED')
    expect(await use({ ...mine, operator: await person('checker') })).toBe('KEY_REQUIRED')
    expect([await use(), await use()]).toEqual([undefined, 'KEY_REQUIRED'])
    const [entry] = await entriesOf(`operators/${checker}`, 'AuthorizeWithFido', 1)
    expect(entry && labelOf(entry, 'transactionId')).toBe(transactionId)
  })

  test('A signature that is not used in time authorizes nothing', async () => {
    const checker = await person('checker')
    await registerKey(checker)
    const mine = { operator: checker, transactionId: randomUUID() }
    const { key } = await logIns.BeginAuthorization(mine)
    if (!key) throw new Error('no challenge')
    await authorize(key)
    const expire = `update challenges set expires_at = now() - interval '1 s' where user_id = $1`
    await db.query(statement(expire), [checker])
    expect((await logIns.UseAuthorization(mine)).refusal?.reason).toBe('KEY_REQUIRED')
  })
})

describe('a client certificate', () => {
  const program = `m-${randomUUID()}`

  beforeAll(async () => {
    await created(program, 'MACHINE', ['viewer'])
  })

  async function nonceOf(): Promise<string> {
    const { nonce, refusal } = await logIns.CreateNonce({})
    if (!nonce) throw new Error(refusal?.reason)
    return nonce.nonce
  }

  function certified(commonName: string, ca: Ca = operatorCa, period = validity): Ca {
    return issueClientCertificate(ca, {
      subject: { commonName, organization: 'Hub' },
      validity: period,
    })
  }

  async function present({ certificate, key }: Ca, nonce?: string) {
    const signed = nonce ?? (await nonceOf())
    const signature = sign('sha256', Buffer.from(signed), key).toString('base64')
    return logIns.LogInWithCertificate({ certificate, nonce: signed, signature })
  }

  /** Waits for the audit entry of a failed log-in with this fault, of those since `mark`. */
  async function isAudited(subject: string, fault: RegExp, mark = 0): Promise<void> {
    await eventually(
      () =>
        audited
          .slice(mark)
          .find((each) => each.subject === subject && fault.test(labelOf(each, 'fault') ?? '')),
      `a failed log-in of ${subject}: ${fault}`,
    )
  }

  test.each([
    ['of the operators', operatorCa],
    ['of the services', serviceCa],
  ])('A program logs in with a certificate of the authority %s', async (_case, ca) => {
    const { session } = await present(certified(program, ca))
    expect(session?.roles).toEqual(['viewer'])
    expect(session?.refreshToken).toBeUndefined()
    expect(await operators.CheckToken({ accessToken: session?.accessToken ?? '' })).toMatchObject({
      active: true,
      sub: `app::${program}`,
    })
  })

  test('A person logs in with a certificate of the operators, and with a key if there is one', async () => {
    expect((await present(certified(name))).session?.roles).toEqual(['viewer'])
    await registerKey()
    const { key, session } = await present(certified(name))
    expect(session).toBeUndefined()
    if (!key) throw new Error('no key was requested')
    expect((await authorize(key)).authorized?.session).toBeTruthy()
  })

  test.each([
    [
      'ended',
      () => certified(program, operatorCa, { ...validity, to: new Date(Date.now() - 1_000) }),
      /not valid now/,
    ],
    [
      'not begun',
      () => certified(program, operatorCa, { ...validity, from: new Date(Date.now() + 60_000) }),
      /not valid now/,
    ],
    ['foreign', () => certified(program, schemeCa), /no authority/],
    ['unregistered', () => certified('unregistered-program'), /not an operator/],
    ['that of the authority', () => operatorCa, /not exactly|no authority|of an authority/],
    [
      'that of a server',
      () =>
        issueServerCertificate(operatorCa, {
          subject: { commonName: program, organization: 'Hub' },
          names: { dns: ['localhost'], ip: [] },
          validity,
        }),
      /not for clients/,
    ],
  ])('A certificate that is %s is refused and audited', async (_case, make, fault) => {
    const proof = make()
    const mark = audited.length
    expect((await present(proof)).refusal?.reason).toBe('PROOF_INVALID')
    const claimed = new X509Certificate(proof.certificate).toLegacyObject().subject.CN
    const known = claimed === program || claimed === 'unregistered-program'
    await isAudited(`operators/${known ? claimed : 'unknown'}`, fault, mark)
  })

  test('A certificate of the services logs no person in', async () => {
    expect((await present(certified(name, serviceCa))).refusal?.reason).toBe('PROOF_INVALID')
    await isAudited(`operators/${name}`, /certifies no people/)
  })

  test('A disabled operator is refused', async () => {
    await operators.UpdateOperator({ name, isActive: false, actor: 'test' })
    expect((await present(certified(name))).refusal?.reason).toBe('PROOF_INVALID')
    await isAudited(`operators/${name}`, /disabled/)
  })

  test('A nonce is accepted once, also after a failure', async () => {
    const proof = certified(program)
    const nonce = await nonceOf()
    expect((await present(proof, nonce)).session).toBeTruthy()
    expect((await present(proof, nonce)).refusal?.reason).toBe('PROOF_INVALID')
    const other = await nonceOf()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const wrong = { ...proof, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    expect((await present(wrong, other)).refusal?.reason).toBe('PROOF_INVALID')
    await isAudited(`operators/${program}`, /does not verify/)
    expect((await present(proof, other)).refusal?.reason).toBe('PROOF_INVALID')
  })

  test('A made-up nonce and the challenge of a key are refused', async () => {
    const proof = certified(program)
    expect((await present(proof, 'causeway-app-pem-auth:AAAA')).refusal?.reason).toBe(
      'PROOF_INVALID',
    )
    const { key } = await logIns.BeginKeyLogIn({})
    const stolen = await present(proof, key?.challenge?.challenge)
    expect(stolen.refusal?.reason).toBe('PROOF_INVALID')
  })

  test('Concurrent uses of one nonce open one session', async () => {
    const proof = certified(program)
    const nonce = await nonceOf()
    const answers = await Promise.all(Array.from({ length: 8 }, () => present(proof, nonce)))
    expect(answers.filter(({ session }) => session)).toHaveLength(1)
  })
})

test('What an authenticator stores about its user reveals no name', async () => {
  const { challenge } = await logIns.BeginKeyRegistration({ operator: name })
  const hash = createHash('sha256').update(`OPERATOR ${name}`).digest('base64url')
  expect(challenge).toMatchObject({ rpId: 'localhost', userHandle: hash })
})
