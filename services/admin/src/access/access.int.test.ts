import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import { eventually } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '@causeway/runtime'
import { toldOf } from '../testing/identities.ts'
import { openWorld, type World } from '../testing/world.ts'
import { operations } from '../routes.ts'
import { settings } from '../settings.ts'
import { connect } from '../upstream.ts'
import { open, privilegesOf, signedIn } from './privileges.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-access-'))
const firstPassword = 'the first password of all'
const password = 'correct horse battery'

let admin: World
/** The administrator's. */
let token = ''

beforeAll(async () => {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  admin = await openWorld([audit, participantLifecycle, authService, settlements], {
    OPERATOR_IDENTITY: 'token',
    AUTH_SERVICE_PASSWORD_COST: '10',
    AUTH_SERVICE_FIRST_PASSWORD_FILE: write('administrator-password', firstPassword),
  })
  const first = await logIn('administrator', firstPassword)
  await changePassword('administrator', firstPassword, first.accessToken)
  ;({ accessToken: token } = await logIn('administrator'))
})

afterAll(async () => {
  await admin.stop()
  rmSync(folder, { recursive: true })
})

interface Session {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly mustChangePassword: boolean
}

const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })

function as(accessToken: string, method: string, path: string, body?: unknown) {
  return admin.call(method, path, body, bearer(accessToken))
}

async function logIn(id: string, secret = password): Promise<Session> {
  const { status, json } = await admin.call('POST', '/app-basic-auth', { id, secret })
  expect({ id, status }).toEqual({ id, status: 200 })
  return json as Session
}

async function changePassword(id: string, secret: string, accessToken: string): Promise<void> {
  const change = { id, secret, newSecret: password }
  expect((await as(accessToken, 'POST', '/app-change-secret', change)).status).toBe(204)
}

/** Somebody with roles and a password of his own; his token. */
async function person(name: string, ...roles: readonly string[]): Promise<string> {
  const { json } = await as(token, 'POST', '/operators', { name, roles })
  const { secret } = json as { readonly secret: string }
  await changePassword(name, secret, (await logIn(name, secret)).accessToken)
  return (await logIn(name)).accessToken
}

const everyOperation = () =>
  operations({
    ...connect(admin.parts.grpc),
    settings: readSettings(settings, { sources: [], prefixes: [] }).values,
  })

describe('every route', () => {
  test('names a privilege, and only these ask nobody: log-in, health, the document, public keys', () => {
    const all = everyOperation()
    for (const { method, path, privilege } of all) {
      const isNamed =
        [open, signedIn].includes(privilege) ||
        /^(VIEW|MANAGE|CREATE|APPROVE|RUN)_[A-Z_]+$/.test(privilege)
      expect({ method, path, isNamed }).toEqual({ method, path, isNamed: true })
    }
    expect(
      all
        .filter(({ privilege }) => privilege === open)
        .map(({ method, path }) => `${method} ${path}`),
    ).toEqual([
      'GET /openapi.json',
      'GET /docs',
      'GET /docs/:asset',
      'POST /app-basic-auth',
      'POST /app-token-refresh',
      'POST /iam-token-verifty',
      'POST /app-authorize',
      'GET /participants/:name/keys',
      'GET /health',
      'GET /v2/health',
    ])
  })

  test('refuses who has no token, and reads nothing of what he sends', async () => {
    for (const { method, path, privilege } of everyOperation()) {
      if (privilege === open) continue
      const filled = path.replaceAll(/:\w+/g, '1')
      const { status, headers } = await admin.call(
        method,
        filled,
        method === 'GET' ? undefined : '{ no JSON',
      )
      expect({ method, path, status }).toEqual({ method, path, status: 401 })
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('that changes something is refused to a viewer', async () => {
    const viewer = await person('only-looks', 'viewer')
    for (const { method, path, privilege } of everyOperation()) {
      if (privilege.startsWith('VIEW_') || [open, signedIn].includes(privilege)) continue
      const answer = await as(viewer, method, path.replaceAll(/:\w+/g, '1'), {})
      expect({ method, path, told: toldOf(answer) }).toEqual({ method, path, told: '403 3000' })
    }
    expect((await as(viewer, 'GET', '/participants')).status).toBe(200)
  })

  test('is among the privileges that roles are made of', async () => {
    const { json } = await eventually(async () => {
      const answer = await as(token, 'GET', '/privileges')
      return (answer.json as readonly unknown[]).length > 0 ? answer : undefined
    }, 'the privileges are registered')
    expect((json as readonly { readonly id: string }[]).map(({ id }) => id)).toEqual(
      privilegesOf(everyOperation()),
    )
  })
})

describe('a log-in', () => {
  test('with a wrong password or an unknown name tells nothing but 401', async () => {
    for (const id of ['administrator', 'nobody-at-all']) {
      const answer = await admin.call('POST', '/app-basic-auth', { id, secret: 'not it at all' })
      expect(toldOf(answer)).toBe('401 3000')
      expect(answer.text).toContain('unknown operator or wrong password')
    }
  })

  test('with a first password lets nobody do anything but change it', async () => {
    const { json } = await as(token, 'POST', '/operators', { name: 'newcomer', roles: ['viewer'] })
    const { secret } = json as { readonly secret: string }
    const first = await logIn('newcomer', secret)
    expect(first.mustChangePassword).toBe(true)
    expect(toldOf(await as(first.accessToken, 'GET', '/participants'))).toBe('403 3000')
    const ofAnother = {
      id: 'administrator',
      secret: password,
      newSecret: 'something else, and long',
    }
    expect(toldOf(await as(first.accessToken, 'POST', '/app-change-secret', ofAnother))).toBe(
      '403 3000',
    )
    await changePassword('newcomer', secret, first.accessToken)
    const next = await logIn('newcomer')
    expect(next.mustChangePassword).toBe(false)
    expect((await as(next.accessToken, 'GET', '/participants')).status).toBe(200)
  })

  test('goes on with its refresh token, once', async () => {
    await person('goes-on', 'viewer')
    const { refreshToken } = await logIn('goes-on')
    const { json } = await admin.call('POST', '/app-token-refresh', { refreshToken })
    expect((await as((json as Session).accessToken, 'GET', '/participants')).status).toBe(200)
    const again = await admin.call('POST', '/app-token-refresh', { refreshToken })
    expect(toldOf(again)).toBe('401 3000')
  })
})

test('/iam-token-verifty and /app-authorize tell what a token allows', async () => {
  const viewer = await person('is-asked', 'viewer')
  const { json } = await admin.call('POST', '/iam-token-verifty', { token: viewer })
  expect(json).toMatchObject({
    active: true,
    sub: 'user::is-asked',
    userType: 'HUB',
    roles: ['viewer'],
  })
  const { privileges } = json as { readonly privileges: readonly string[] }
  expect(privileges).toContain('VIEW_PARTICIPANTS')
  expect(privileges).not.toContain('MANAGE_PARTICIPANTS')
  const nothing = await admin.call('POST', '/iam-token-verifty', { token: 'x' })
  expect(nothing.json).toEqual({ active: false })
  const may = (privilege: string) =>
    admin.call('POST', '/app-authorize', { token: viewer, privilege })
  expect((await may('VIEW_AUDIT')).json).toMatchObject({ authorized: true, sub: 'user::is-asked' })
  expect(toldOf(await may('MANAGE_FUNDS'))).toBe('403 3000')
  const unknown = await admin.call('POST', '/app-authorize', {
    token: 'x',
    privilege: 'VIEW_AUDIT',
  })
  expect(toldOf(unknown)).toBe('401 3000')
})

describe('a token is refused at once', () => {
  test('after log-out', async () => {
    const his = await person('logs-out', 'viewer')
    expect((await as(his, 'POST', '/app-logout')).status).toBe(204)
    expect(toldOf(await as(his, 'GET', '/participants'))).toBe('401 3000')
  })

  test('when its owner is disabled', async () => {
    const his = await person('is-disabled', 'viewer')
    expect((await as(token, 'PUT', '/operators/is-disabled', { isActive: false })).status).toBe(200)
    expect(toldOf(await as(his, 'GET', '/participants'))).toBe('401 3000')
  })

  test('when its owner is given another role', async () => {
    const his = await person('is-promoted', 'viewer')
    await as(token, 'PUT', '/operators/is-promoted', { roles: ['treasurer'] })
    expect(toldOf(await as(his, 'GET', '/participants'))).toBe('401 3000')
  })

  test('when it is changed, cut, signed by another key or of another kind', async () => {
    const [head = '', body = '', signature = ''] = token.split('.')
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    for (const forged of [
      `${head}.${body}.${signature.slice(0, -6)}AAAAAA`,
      `${head}.${body}`,
      `${unsigned}.${body}.`,
      'x',
    ]) {
      expect(toldOf(await as(forged, 'GET', '/participants'))).toBe('401 3000')
    }
    expect(
      toldOf(await admin.call('GET', '/participants', undefined, { authorization: 'Basic eA==' })),
    ).toBe('401 3000')
  })
})

test('a role grants what it says from the moment that it says so', async () => {
  const role = { labelName: 'Auditor', privileges: ['VIEW_AUDIT'] }
  expect((await as(token, 'PUT', '/roles/auditor', role)).status).toBe(200)
  const auditor = await person('reads-audit', 'auditor')
  expect((await as(auditor, 'GET', '/audit')).status).toBe(200)
  expect(toldOf(await as(auditor, 'GET', '/participants'))).toBe('403 3000')
  const more = { labelName: 'Auditor', privileges: ['VIEW_AUDIT', 'VIEW_PARTICIPANTS'] }
  await as(token, 'PUT', '/roles/auditor', more)
  expect((await as(auditor, 'GET', '/participants')).status).toBe(200)
  const own = await as(token, 'PUT', '/roles/viewer', role)
  expect(toldOf(own)).toBe('400 3000')
})

test('a program may be given every role and still approves nothing', async () => {
  const creation = { name: 'robot', kind: 'MACHINE', roles: ['administrator'] }
  const { json } = await as(token, 'POST', '/operators', creation)
  const { accessToken } = await logIn('robot', (json as { readonly secret: string }).secret)
  expect((await as(accessToken, 'GET', '/participants')).status).toBe(200)
  const approvals = everyOperation().filter(({ privilege }) => privilege.startsWith('APPROVE_'))
  expect(approvals.length).toBeGreaterThan(0)
  for (const { method, path } of approvals) {
    expect(toldOf(await as(accessToken, method, path, {}))).toBe('403 3000')
    expect(toldOf(await as(accessToken, method, path, { decision: 'REJECT' }))).toBe('403 3000')
  }
})

describe('a log-in with the header Basic', () => {
  const knock = (credentials: string, body?: unknown) => {
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    return admin.call('POST', '/app-basic-auth', body, { authorization })
  }

  test('is one with a name and a password', async () => {
    await person('basic', 'viewer')
    const { status, json } = await knock(`basic:${password}`)
    expect(status).toBe(200)
    const { accessToken } = json as Session
    expect((await as(accessToken, 'GET', '/participants')).status).toBe(200)
  })

  test('is refused where it is wrong, and a body goes before it', async () => {
    expect(toldOf(await knock('basic:a wrong password'))).toBe('401 3000')
    expect(toldOf(await knock('without a colon'))).toBe('400 3102')
    const wrong = { id: 'basic', secret: 'another wrong one' }
    expect(toldOf(await knock(`basic:${password}`, wrong))).toBe('401 3000')
  })
})

describe('who decides about requests', () => {
  const request = { requestId: randomUUID() }

  async function deciding(name: string, privilege: string) {
    const role = { labelName: name, privileges: [privilege] }
    expect((await as(token, 'PUT', `/roles/${name}`, role)).status).toBe(200)
    const decider = await person(`one-${name}`, name)
    return async (decision: string) =>
      toldOf(await as(decider, 'POST', '/ApproveManageFunds', { ...request, decision }))
  }

  test('approves with one privilege', async () => {
    const decide = await deciding('approver', 'APPROVE_MANAGE_FUNDS')
    expect(await decide('REJECT')).toBe('403 3000')
    expect(await decide('APPROVE')).not.toContain('403')
  })

  test('and rejects with another', async () => {
    const decide = await deciding('rejecter', 'REJECT_MANAGE_FUNDS')
    expect(await decide('APPROVE')).toBe('403 3000')
    expect(await decide('REJECT')).not.toContain('403')
  })
})

test('an operator has an e-mail address, another one, and none', async () => {
  const creation = { name: 'reader', roles: ['viewer'], email: 'reader@hub.example' }
  expect((await as(token, 'POST', '/operators', creation)).json).toMatchObject({
    email: 'reader@hub.example',
  })
  const change = async (email: string | null) => as(token, 'PUT', '/operators/reader', { email })
  expect((await change('other@hub.example')).json).toMatchObject({ email: 'other@hub.example' })
  expect((await change(null)).json).toMatchObject({ email: null, roles: ['viewer'] })
  expect(toldOf(await change('nowhere'))).toBe('400 3101')
  const program = { name: 'mailbot', kind: 'MACHINE', roles: [], email: 'bot@hub.example' }
  expect(toldOf(await as(token, 'POST', '/operators', program))).toBe('400 3100')
})

describe.each(['/audit', '/read-audit-log'])('GET %s', (path) => {
  interface Page {
    readonly entries: readonly {
      readonly actionType: string
      readonly subject: string
      readonly signatureValid: boolean
      readonly securityContext: { readonly userId: string }
      readonly before: unknown
      readonly after: unknown
    }[]
    readonly cursor?: string
  }

  async function pageOf(query: string): Promise<Page> {
    const { status, json } = await as(token, 'GET', `${path}?${query}`)
    expect(status).toBe(200)
    return json as Page
  }

  test('shows what was done to an operator, by whom, with before and after', async () => {
    const name = `is-watched-by${path.replaceAll('/', '-')}`
    await person(name, 'viewer')
    await as(token, 'PUT', `/operators/${name}`, { roles: ['maker'] })
    const { entries } = await eventually(async () => {
      const page = await pageOf(`subject=operators/${name}&actionType=UpdateOperator`)
      return page.entries.length > 0 ? page : undefined
    }, 'the change is on record')
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      securityContext: { userId: 'administrator' },
      before: { roles: ['viewer'] },
      after: { roles: ['maker'] },
      signatureValid: true,
    })
  })

  test('shows pages, and refuses what it cannot read', async () => {
    const first = await pageOf('limit=2&userId=administrator')
    expect(first.entries).toHaveLength(2)
    const second = await pageOf(`limit=2&userId=administrator&cursor=${first.cursor ?? ''}`)
    expect(second.entries[0]).not.toEqual(first.entries[0])
    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'label=x', 'from=yesterday']) {
      expect((await as(token, 'GET', `${path}?${query}`)).status).toBe(400)
    }
  })

  test('is not shown to whoever may not view the audit', async () => {
    const unprivileged = await person(`blind${path.replaceAll('/', '-')}`)
    expect((await as(unprivileged, 'GET', path)).status).toBe(403)
  })

  test('is proven whole by POST /audit/verify', async () => {
    const { json } = await as(token, 'POST', '/audit/verify')
    expect(json).toMatchObject({ clean: true, faults: [] })
    expect(json).toHaveProperty('lastHash', expect.stringMatching(/^[0-9a-f]{64}$/))
  })
})
