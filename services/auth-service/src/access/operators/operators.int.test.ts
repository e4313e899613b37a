import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { approvalCalls } from '@causeway/approvals/testing'
import { operatorsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { usualBounds } from '../../bounds.ts'
import { start } from '../../service.ts'
import { authSettings, ownDatabase } from '../../testing/world.ts'

const published = ['/audit-log-write', 'AuthTokenInvalidated', 'PlatformRoleChanged'] as const
type Published = DomainEvent<(typeof published)[number]>

const folder = mkdtempSync(join(tmpdir(), 'causeway-operators-'))
const passwordFile = join(folder, 'administrator-password')
const setupFile = join(folder, 'setup-secret')
const firstPassword = 'the first password of all'
const setupSecret = randomBytes(32).toString('base64url')
const password = 'correct horse battery'

let parts: TestParts
let service: Service
let operators: Calls<typeof operatorsService>
let db: Database
const received: Published[] = []

const settings = authSettings({
  AUTH_SERVICE_FIRST_PASSWORD_FILE: passwordFile,
  AUTH_SERVICE_SETUP_SECRET_FILE: setupFile,
  AUTH_SERVICE_WRONG_PASSWORDS_MAX: '3',
  AUTH_SERVICE_LOCK_S: '60',
  AUTH_SERVICE_PASSWORD_COST: '10',
})

beforeAll(async () => {
  writeFileSync(passwordFile, `${firstPassword}\n`)
  writeFileSync(setupFile, setupSecret)
  await open(await openTestParts())
})

async function open(on: TestParts): Promise<void> {
  parts = on
  service = await start(settings, parts, { ...usualBounds, sessions_max: 5 })
  operators = parts.grpc.client(operatorsService, 'auth-service')
  db = await ownDatabase(parts)
  await onEvents(parts.bus, 'test', published, (events) => {
    received.push(...events)
    return Promise.resolve()
  })
}

afterAll(async () => {
  await db.close()
  await service.stop()
  await parts.stop()
  rmSync(folder, { recursive: true })
})

let name = ''

/** Each test has its own person with a chosen password. */
beforeEach(async () => {
  name = await person('viewer')
})

async function person(...roles: readonly string[]): Promise<string> {
  const made = `p-${randomUUID()}`
  const creation = { name: made, kind: 'PERSON' as const, roles: [...roles], actor: 'ada' }
  const { operator } = await operators.CreateOperator(creation)
  const change = { name: made, oldPassword: operator?.secret ?? '', newPassword: password }
  expect(await operators.ChangePassword(change)).toEqual({})
  return made
}

async function logIn(id = name, secret = password, address = 'here') {
  return operators.LogIn({ id, secret, address })
}

async function sessionOf(id = name, secret = password) {
  const { session, refusal } = await logIn(id, secret)
  if (!session) throw new Error(refusal?.reason)
  return session
}

async function isActive(accessToken: string): Promise<boolean> {
  return (await operators.CheckToken({ accessToken })).active
}

function entriesOf(subject: string) {
  const entries = received.filter((event) => event.name === '/audit-log-write')
  return entries.map(({ payload }) => payload).filter((entry) => entry.subject === subject)
}

/** The audit entries about a subject, once there are that many. */
async function entries(subject: string, count: number) {
  return eventually(() => {
    const found = entriesOf(subject)
    return found.length >= count ? found : undefined
  }, `${count} audit entries of ${subject}`)
}

describe('before the first log-in', () => {
  test('Initially there is an administrator, who can only change the password', async () => {
    const session = await sessionOf('administrator', firstPassword)
    expect(session).toMatchObject({ roles: ['administrator'], mustChangePassword: true })
    expect(await operators.CheckToken({ accessToken: session.accessToken })).toMatchObject({
      active: true,
      sub: 'user::administrator',
      privileges: [],
    })
  })

  test('Initially there is a setup program, whose sessions cannot be refreshed', async () => {
    const session = await sessionOf('setup', setupSecret)
    expect(session).toMatchObject({ roles: ['setup'], mustChangePassword: false })
    expect(session.refreshToken).toBeUndefined()
  })

  test('The setup program may set up the hub for a while, then see and verify, until it has a new secret', async () => {
    const session = await sessionOf('setup', setupSecret)
    const rolesOf = async () => {
      const [setup] = (await operators.ListOperators({ names: ['setup'] })).operators
      return [setup?.roles, setup?.endsAt !== undefined]
    }
    expect(await rolesOf()).toEqual([['setup'], true])
    await db.query(statement(`update operators set ends_at = now() where name = 'setup'`), [])
    const after = await sessionOf('setup', setupSecret)
    expect(after.roles).toEqual(['setup-ended'])
    expect(await isActive(session.accessToken)).toBe(false)
    const { privileges } = await operators.CheckToken({ accessToken: after.accessToken })
    expect(privileges.filter((one) => !one.startsWith('VIEW_') && one !== 'RUN_VERIFY')).toEqual([])
    expect(await rolesOf()).toEqual([['setup-ended'], false])
    await eventually(
      () => entriesOf('operators/setup').some(({ actionType }) => actionType === 'EndSetup'),
      'the audit entry of the end',
    )
  })

  test('A restart creates neither operator again, and updates the secret of the program', async () => {
    const next = randomBytes(32).toString('base64url')
    writeFileSync(setupFile, next)
    await db.close()
    const before = service
    const again = await parts.restart()
    await Promise.allSettled([before.stop()])
    await open(again)
    expect((await logIn('setup', setupSecret)).refusal?.reason).toBe('SECRET_WRONG')
    expect((await logIn('setup', next)).session?.roles).toEqual(['setup'])
    const { operators: all } = await operators.ListOperators({ names: ['administrator', 'setup'] })
    expect(all.map(({ name: one }) => one)).toEqual(['administrator', 'setup'])
  })
})

describe('a token', () => {
  test("A token verifies with the published keys and carries the operator's name and roles", async () => {
    const { accessToken, expiresInS } = await sessionOf()
    const { jwksJson } = await operators.GetAccessPolicy({})
    const keys = createLocalJWKSet(JSON.parse(jwksJson) as JSONWebKeySet)
    const { payload } = await jwtVerify(accessToken, keys, {
      issuer: 'Hub',
      audience: 'operator-api',
    })
    expect(payload).toMatchObject({
      sub: `user::${name}`,
      userType: 'HUB',
      platformRoles: ['viewer'],
      mustChangePassword: false,
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(expiresInS)
  })

  test('A foreign or modified token is invalid', async () => {
    const { accessToken } = await sessionOf()
    expect(await isActive(accessToken)).toBe(true)
    expect(await isActive(`${accessToken.slice(0, -4)}AAAA`)).toBe(false)
    expect(await isActive('')).toBe(false)
  })

  test('A token is invalid after log-out, and the invalidation is announced', async () => {
    const { accessToken, refreshToken = '' } = await sessionOf()
    const other = await sessionOf()
    expect(await operators.LogOut({ accessToken })).toEqual({})
    expect(await isActive(accessToken)).toBe(false)
    expect(await isActive(other.accessToken)).toBe(true)
    expect((await operators.RefreshSession({ refreshToken })).refusal?.reason).toBe('TOKEN_INVALID')
    const { invalidated } = await operators.GetAccessPolicy({})
    const ids = new Set(invalidated.map(({ tokenId }) => tokenId))
    await eventually(
      () =>
        received.find(
          (event) => event.name === 'AuthTokenInvalidated' && ids.has(event.payload.tokenId),
        ),
      'AuthTokenInvalidated',
    )
  })
})

describe('a session', () => {
  test('A refresh returns a new pair of tokens', async () => {
    const first = await sessionOf()
    const { session } = await operators.RefreshSession({ refreshToken: first.refreshToken ?? '' })
    expect(session?.refreshToken).not.toBe(first.refreshToken)
    expect(await isActive(session?.accessToken ?? '')).toBe(true)
  })

  test('A reused refresh token ends the session', async () => {
    const first = await sessionOf()
    const { session } = await operators.RefreshSession({ refreshToken: first.refreshToken ?? '' })
    const again = await operators.RefreshSession({ refreshToken: first.refreshToken ?? '' })
    expect(again.refusal?.reason).toBe('TOKEN_INVALID')
    expect(await isActive(session?.accessToken ?? '')).toBe(false)
    const refreshToken = session?.refreshToken ?? ''
    expect((await operators.RefreshSession({ refreshToken })).refusal?.reason).toBe('TOKEN_INVALID')
  })
})

describe('open sessions', () => {
  const sessionsOf = async (operator = name) =>
    (await operators.ListSessions({ operator })).sessions

  test('A session is listed with how and from where it began, until it is ended', async () => {
    const first = await sessionOf()
    await sessionOf()
    const listed = await sessionsOf()
    expect(listed).toMatchObject([
      { factor: 'PASSWORD', address: 'here' },
      { factor: 'PASSWORD', address: 'here' },
    ])
    const [, older] = listed
    const end = { operator: name, sessionId: older?.id ?? '', actor: name }
    expect(await operators.EndSessions(end)).toEqual({})
    expect((await operators.EndSessions(end)).refusal?.reason).toBe('SESSION_UNKNOWN')
    expect(await isActive(first.accessToken)).toBe(false)
    expect((await sessionsOf()).map(({ id }) => id)).toEqual([listed[0]?.id])
  })

  test('Nobody ends a session in the name of another operator', async () => {
    const session = await sessionOf()
    const [own] = await sessionsOf()
    const other = await person('viewer')
    const end = { operator: other, sessionId: own?.id ?? '', actor: other }
    expect((await operators.EndSessions(end)).refusal?.reason).toBe('SESSION_UNKNOWN')
    expect(await isActive(session.accessToken)).toBe(true)
  })

  test('Each session of an operator is ended at once', async () => {
    const all = [await sessionOf(), await sessionOf()]
    await operators.EndSessions({ operator: name, actor: 'ada' })
    for (const { accessToken } of all) expect(await isActive(accessToken)).toBe(false)
    expect(await sessionsOf()).toEqual([])
  })

  test('A session that is not refreshed for long enough cannot be refreshed any more', async () => {
    const { refreshToken = '' } = await sessionOf()
    const age = statement(`
      update sessions set used_at = used_at - $2 * interval '1 second' where operator = $1`)
    await db.query(age, [name, 1_790])
    const { session } = await operators.RefreshSession({ refreshToken })
    expect(session).toBeTruthy()
    await db.query(age, [name, 1_801])
    expect(await sessionsOf()).toEqual([])
    const late = await operators.RefreshSession({ refreshToken: session?.refreshToken ?? '' })
    expect(late.refusal?.reason).toBe('TOKEN_INVALID')
  })

  test('A further log-in ends the oldest session of a person who has too many', async () => {
    const first = await sessionOf()
    for (let n = 0; n < 5; n += 1) await sessionOf()
    expect(await sessionsOf()).toHaveLength(5)
    expect(await isActive(first.accessToken)).toBe(false)
  })
})

describe('the actor of a change', () => {
  const approvals = () => approvalCalls(parts.grpc, 'auth-service')

  test('An actor is proven by the own token, as long as it is valid', async () => {
    const { accessToken } = await sessionOf()
    expect(await operators.CheckActor({ actor: name, accessToken })).toEqual({})
    const other = await operators.CheckActor({ actor: 'administrator', accessToken })
    expect(other.refusal?.reason).toBe('TOKEN_INVALID')
    await operators.LogOut({ accessToken })
    const late = await operators.CheckActor({ actor: name, accessToken })
    expect(late.refusal?.reason).toBe('TOKEN_INVALID')
  })

  test('A call that names no operator is proven by the token of any operator', async () => {
    const { accessToken } = await sessionOf()
    expect(await operators.CheckActor({ accessToken })).toEqual({})
    expect((await operators.CheckActor({ accessToken: 'none' })).refusal?.reason).toBe(
      'TOKEN_INVALID',
    )
    expect((await operators.CheckActor({ actor: 'none', accessToken })).refusal).toBeTruthy()
  })

  const approvedCall = 'a'.repeat(64)

  /** A request of `maker` that `name` has approved, and what it proves. */
  async function approved() {
    const requestId = randomUUID()
    const accessToken = (await sessionOf()).accessToken
    const claim = { actor: 'maker', accessToken, requestId, callHash: approvedCall }
    const isProven = async (change = {}) =>
      !(await operators.CheckActor({ ...claim, ...change })).refusal
    const operation = {
      method: 'POST',
      route: '/operators',
      uri: '/operators',
      privilege: 'MANAGE_OPERATORS',
      callHash: approvedCall,
      withdraws: false,
    }
    await approvals().request('Operation', operation, { requestId, actor: 'maker' })
    expect(await isProven()).toBe(false)
    const decided = await approvals().decide('Operation', requestId, { actor: name })
    expect(decided.isApprovedNow).toBe(true)
    return { requestId, isProven }
  }

  test('The maker of a request is proven by its approver, until the approved change has run', async () => {
    const { requestId, isProven } = await approved()
    expect(await isProven()).toBe(true)
    expect(await isProven({ actor: 'administrator' })).toBe(false)
    await operators.NoteOperationOutcome({ requestId, status: 201, actor: 'another' })
    expect(await isProven()).toBe(true)
    await operators.NoteOperationOutcome({ requestId, status: 201, actor: name })
    expect(await isProven()).toBe(false)
  })

  test('The approver proves the maker for the approved call alone', async () => {
    const { isProven } = await approved()
    expect(await isProven({ callHash: 'b'.repeat(64) })).toBe(false)
    expect(await isProven()).toBe(true)
  })
})

describe('guessing', () => {
  test('After too many wrong passwords from an address the right one is refused there too, until a reset', async () => {
    const wrong = await logIn(name, 'a wrong password')
    for (let n = 0; n < 2; n += 1) expect(await logIn(name, 'a wrong password')).toEqual(wrong)
    expect(await logIn()).toEqual(wrong)
    const failures = (await entries(`operators/${name}`, 6)).slice(-4)
    expect(
      failures.map(({ actionType, actionSuccessful }) => [actionType, actionSuccessful]),
    ).toEqual(Array.from({ length: 4 }, () => ['LogIn', false]))
    const faults = failures.map(({ labels }) => labels.find(({ key }) => key === 'fault')?.value)
    expect(faults).toEqual([...Array<string>(3).fill('wrong password'), 'too many wrong passwords'])
    const [locked] = (await operators.ListOperators({ names: [name] })).operators
    expect(Date.parse(locked?.lockedUntil ?? '')).toBeGreaterThan(Date.now())
    const { operator } = await operators.ResetOperatorSecret({ name, actor: 'ada' })
    expect((await logIn(name, operator?.secret)).session?.mustChangePassword).toBe(true)
  })

  test('Concurrent attempts do not increase the number of tries', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => logIn(name, 'a wrong password')),
    )
    const reasons = answers.map(({ refusal }) => refusal?.reason)
    expect(reasons.every((reason) => reason === 'SECRET_WRONG' || reason === 'BUSY')).toBe(true)
    const failures = (await entries(`operators/${name}`, 14)).slice(-12)
    const checked = failures.filter(({ labels }) =>
      labels.some(({ value }) => value === 'wrong password'),
    )
    expect(checked).toHaveLength(3)
  })

  test('An operator logs in while strangers elsewhere guess, and so keep out only strangers', async () => {
    expect((await logIn()).session).toBeTruthy()
    for (let n = 0; n < 40; n += 1) await logIn(name, 'a wrong password', `stranger-${n % 15}`)
    expect((await logIn(name, password, 'stranger-99')).refusal?.reason).toBe('SECRET_WRONG')
    expect((await logIn()).session).toBeTruthy()
  })

  test('Wrong old passwords are counted too', async () => {
    const change = { name, oldPassword: 'a wrong password', newPassword: 'another one to have' }
    const reasons = []
    for (let n = 0; n < 4; n += 1) {
      reasons.push((await operators.ChangePassword(change)).refusal?.reason)
    }
    expect(reasons).toEqual(['INVALID', 'INVALID', 'INVALID', 'LOCKED'])
  })

  test('A log-in with an unknown name is audited without the name, a few times a minute', async () => {
    for (let n = 0; n < 20; n += 1) await logIn(`no-${n}`, password, 'somewhere')
    const [entry] = await entries('operators', 1)
    expect(entry).toMatchObject({ actionType: 'LogIn', actionSuccessful: false })
    expect(JSON.stringify(entriesOf('operators'))).not.toContain('no-1')
    expect(entriesOf('operators').length).toBeLessThanOrEqual(20)
  })

  test('The operator can log in again when the lock has expired', async () => {
    for (let n = 0; n < 3; n += 1) await logIn(name, 'a wrong password')
    await db.query(
      statement(`update log_in_attempts set since = since - interval '61 s' where operator = $1`),
      [name],
    )
    expect((await logIn()).session).toBeTruthy()
  })

  test('Wrong secrets cannot lock the setup program', async () => {
    for (let n = 0; n < 5; n += 1) await logIn('setup', 'x'.repeat(43))
    expect((await logIn('setup', 'x'.repeat(43))).refusal?.reason).toBe('SECRET_WRONG')
  })

  test('The answer does not reveal whether a name exists', async () => {
    const unknown = await logIn('nobody-at-all', password)
    const known = await logIn(name, 'a wrong password')
    expect(unknown).toEqual(known)
  })
})

describe('an operator that is disabled or gets another role or password', () => {
  test.each([
    ['disabled', { isActive: false }],
    ['given another role', { roles: { ids: ['maker'] } }],
  ])('%s has no token that is accepted', async (_, change) => {
    const { accessToken } = await sessionOf()
    await operators.UpdateOperator({ name, actor: 'ada', ...change })
    expect(await isActive(accessToken)).toBe(false)
  })

  test('After a change of roles the session continues with the new role', async () => {
    const { refreshToken = '' } = await sessionOf()
    await operators.UpdateOperator({ name, actor: 'ada', roles: { ids: ['maker'] } })
    const { session } = await operators.RefreshSession({ refreshToken })
    expect(session?.roles).toEqual(['maker'])
    expect(await isActive(session?.accessToken ?? '')).toBe(true)
  })

  test('A disabled operator can neither refresh nor log in', async () => {
    const { refreshToken = '' } = await sessionOf()
    await operators.UpdateOperator({ name, actor: 'ada', isActive: false })
    expect((await operators.RefreshSession({ refreshToken })).refusal?.reason).toBe('TOKEN_INVALID')
    expect((await logIn()).refusal?.reason).toBe('SECRET_WRONG')
  })

  test('A change of password requires the old one and a valid new one', async () => {
    const { accessToken } = await sessionOf()
    const change = (oldPassword: string, newPassword: string) =>
      operators.ChangePassword({ name, oldPassword, newPassword })
    expect((await change('not it at all', 'another long one')).refusal?.reason).toBe('INVALID')
    expect((await change(password, 'short')).refusal?.reason).toBe('INVALID')
    expect(await change(password, 'another long one')).toEqual({})
    expect(await isActive(accessToken)).toBe(false)
    expect((await logIn(name, 'another long one')).session).toBeTruthy()
  })
})

describe('operators', () => {
  test.each([
    ['a name twice', () => ({ name }), 'OPERATOR_EXISTS'],
    ['an odd name', () => ({ name: 'Ada Lovelace' }), 'INVALID'],
    ['an unknown role', () => ({ roles: ['emperor'] }), 'ROLE_UNKNOWN'],
    ['an invalid e-mail address', () => ({ email: 'at home' }), 'INVALID'],
    [
      'an address of a program',
      () => ({ kind: 'MACHINE' as const, email: 'a@b.example' }),
      'INVALID',
    ],
  ])('An operator is refused: %s', async (_, changes, reason) => {
    const person = { name: `p-${randomUUID()}`, kind: 'PERSON' as const, roles: [] }
    const wanted = { ...person, actor: 'ada' }
    expect((await operators.CreateOperator({ ...wanted, ...changes() })).refusal?.reason).toBe(
      reason,
    )
  })

  test('The last person that manages operators cannot be disabled', async () => {
    const change = { name: 'administrator', actor: 'ada', isActive: false }
    expect((await operators.UpdateOperator(change)).refusal?.reason).toBe('LAST_ADMINISTRATOR')
  })
})

describe('roles', () => {
  beforeAll(async () => {
    const set = (privilegeSetVersion: string, ...ids: readonly string[]) => ({
      boundedContextName: 'test',
      privilegeSetVersion,
      privileges: ids.map((id) => ({ id, labelName: id, description: '', boundedContextName: '' })),
    })
    await operators.RegisterPrivileges(set('1.1.0', 'VIEW_THINGS', 'MANAGE_THINGS'))
    const older = await operators.RegisterPrivileges(set('1.0.0', 'VIEW_THINGS'))
    expect(older.refusal?.reason).toBe('SET_OUTDATED')
  })

  const role = (changes: object = {}) => ({
    id: `r-${randomUUID()}`,
    labelName: 'Keeper of things',
    description: '',
    privileges: ['MANAGE_THINGS'],
    isBuiltIn: false,
    ...changes,
  })

  test('Roles grant privileges that a component registered; an older set is refused', async () => {
    const made = role()
    expect((await operators.SetRole({ role: made, actor: 'ada' })).role).toEqual(made)
    const keeper = await person(made.id)
    const { accessToken } = await sessionOf(keeper)
    expect((await operators.CheckToken({ accessToken })).privileges).toEqual(['MANAGE_THINGS'])
    await eventually(
      () =>
        received.find(
          (event) => event.name === 'PlatformRoleChanged' && event.payload.roleId === made.id,
        ),
      'PlatformRoleChanged',
    )
    const [entry] = await entries(`roles/${made.id}`, 1)
    expect(entry).toMatchObject({
      actionType: 'SetRole',
      securityContext: { userId: 'ada' },
      before: null,
      after: { privileges: ['MANAGE_THINGS'] },
    })
  })

  test.each([
    ['a privilege that is not registered', { privileges: ['FLY'] }, 'PRIVILEGE_UNKNOWN'],
    ["the hub's own", { id: 'administrator' }, 'ROLE_BUILT_IN'],
    ['an odd name', { id: 'R 2' }, 'INVALID'],
  ])('A role is refused: %s', async (_, changes, reason) => {
    const answer = await operators.SetRole({ role: role(changes), actor: 'ada' })
    expect(answer.refusal?.reason).toBe(reason)
  })
})

describe('grants of a person who may manage operators and nothing else', () => {
  let manager = ''

  beforeAll(async () => {
    await operators.RegisterPrivileges({
      boundedContextName: 'managed',
      privilegeSetVersion: '1.0.0',
      privileges: ['MANAGE_OPERATORS', 'MANAGE_MONEY'].map((id) => ({
        id,
        labelName: id,
        description: '',
        boundedContextName: '',
      })),
    })
    await operators.SetRole({ role: roleOf('manager', 'MANAGE_OPERATORS'), actor: 'ada' })
    manager = await person('manager')
  })

  const roleOf = (id: string, ...privileges: readonly string[]) => ({
    id,
    labelName: id,
    description: '',
    privileges: [...privileges],
    isBuiltIn: false,
  })

  const newcomer = (...roles: readonly string[]) => ({
    name: `p-${randomUUID()}`,
    kind: 'PERSON' as const,
    roles: [...roles],
    actor: manager,
  })

  test('No operator is created who may do more than the creator', async () => {
    const { refusal } = await operators.CreateOperator(newcomer('administrator'))
    expect(refusal?.reason).toBe('PRIVILEGE_MISSING')
    expect((await operators.CreateOperator(newcomer('manager'))).operator).toBeTruthy()
  })

  test('Neither others nor the person itself get a role that permits more', async () => {
    for (const one of [name, manager]) {
      const change = { name: one, actor: manager, roles: { ids: ['administrator'] } }
      expect((await operators.UpdateOperator(change)).refusal?.reason).toBe('PRIVILEGE_MISSING')
    }
    const [entry] = (await entries(`operators/${manager}`, 3)).slice(-1)
    expect(entry).toMatchObject({
      actionType: 'UpdateOperator',
      actionSuccessful: false,
      securityContext: { userId: manager },
    })
  })

  test('A role that could not be given can be taken away', async () => {
    const change = { name, actor: manager, roles: { ids: [] } }
    expect((await operators.UpdateOperator(change)).operator?.operator?.roles).toEqual([])
  })

  test('Nobody is enabled again who may do more', async () => {
    await operators.UpdateOperator({ name, actor: 'ada', isActive: false })
    const change = { name, actor: manager, isActive: true }
    expect((await operators.UpdateOperator(change)).refusal?.reason).toBe('PRIVILEGE_MISSING')
  })

  test.each(['MANAGE_MONEY', 'MANAGE_*', '*'])(
    '%s cannot be added to a role',
    async (privilege) => {
      const role = roleOf('manager', 'MANAGE_OPERATORS', privilege)
      const { refusal } = await operators.SetRole({ role, actor: manager })
      expect(refusal?.reason).toBe('PRIVILEGE_MISSING')
    },
  )

  test('The secret of an operator who may do more cannot be reset', async () => {
    const { refusal } = await operators.ResetOperatorSecret({ name, actor: manager })
    expect(refusal?.reason).toBe('PRIVILEGE_MISSING')
    expect((await logIn()).session).toBeTruthy()
  })

  test('Who approves what shows a secret may do what its operator may', async () => {
    const reset = await operators.ResetOperatorSecret({ name, actor: 'ada', approver: manager })
    expect(reset.refusal?.reason).toBe('PRIVILEGE_MISSING')
    const creation = { ...newcomer('administrator'), actor: 'ada', approver: manager }
    const created = await operators.CreateOperator(creation)
    expect(created.refusal?.reason).toBe('PRIVILEGE_MISSING')
    const [entry] = (await entries(`operators/${name}`, 3)).slice(-1)
    expect(entry).toMatchObject({
      actionType: 'ResetOperatorSecret',
      actionSuccessful: false,
      securityContext: { userId: manager },
    })
    expect((await logIn()).session).toBeTruthy()
  })
})

test('Each change of an operator leaves exactly one audit entry, without secrets', async () => {
  const subject = `operators/${name}`
  await operators.UpdateOperator({ name, actor: 'ada', roles: { ids: ['maker'] } })
  await operators.UpdateOperator({ name, actor: 'ada', roles: { ids: ['maker'] } })
  await logIn(name, 'a wrong password')
  await logIn()
  const all = await entries(subject, 5)
  expect(
    all.map(({ actionType, actionSuccessful }) => `${actionType} ${actionSuccessful}`),
  ).toEqual([
    'CreateOperator true',
    'ChangePassword true',
    'UpdateOperator true',
    'LogIn false',
    'LogIn true',
  ])
  expect(all[2]).toMatchObject({
    before: { isActive: true, roles: ['viewer'] },
    after: { isActive: true, roles: ['maker'] },
    securityContext: { userId: 'ada' },
  })
  expect(JSON.stringify(received)).not.toContain(password)
})
