import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { refusalOf } from '../testing/identities.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'
import { operations } from '../routes.ts'
import { settings } from '../settings.ts'
import { connect } from '../upstream.ts'
import { open, privilegesOf, signedIn } from './privileges.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-access-'))
const firstPassword = 'the first password of all'
const password = 'correct horse battery'

let admin: AdminWorld
/** The administrator's token. */
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

/** Creates an operator with roles and a password, and returns the operator's token. */
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
    publish: (messages) => admin.parts.bus.publish(messages),
    fourEyes: false,
  })

describe('every route', () => {
  test('Every route names a privilege, except log-in, health, the document, public keys and what is signed', () => {
    const all = everyOperation()
    for (const { method, path, privilege } of all) {
      const isNamed =
        [open, signedIn].includes(privilege) ||
        /^(VIEW|MANAGE|CREATE|APPROVE|REGISTER|RUN)_[A-Z_]+$/.test(privilege)
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
      'POST /app-pem-auth',
      'POST /app-fido-log-in',
      'POST /app-fido-authorize',
      'GET /app-log-ins',
      'POST /app-oidc-log-in',
      'GET /participants/:name/keys',
      'GET /config/secrets/:boundedContextId/values',
      'GET /health',
      'GET /v2/health',
    ])
  })

  test('A request without a token is refused before its body is read', async () => {
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

  test('A viewer cannot use a route that changes something', async () => {
    const viewer = await person('only-looks', 'viewer')
    for (const { method, path, privilege } of everyOperation()) {
      if (privilege.startsWith('VIEW_') || [open, signedIn].includes(privilege)) continue
      const answer = await as(viewer, method, path.replaceAll(/:\w+/g, '1'), {})
      expect({ method, path, refusal: refusalOf(answer) }).toEqual({
        method,
        path,
        refusal: '403 3000',
      })
    }
    expect((await as(viewer, 'GET', '/participants')).status).toBe(200)
  })

  test('The privileges of the routes are those that roles are made of', async () => {
    const { json } = await eventually(async () => {
      const answer = await as(token, 'GET', '/privileges')
      return (answer.json as readonly unknown[]).length > 0 ? answer : undefined
    }, 'The privileges of the routes are registered')
    expect((json as readonly { readonly id: string }[]).map(({ id }) => id)).toEqual(
      privilegesOf(everyOperation()),
    )
  })
})

describe('security events', () => {
  const counted = async (type: string) => {
    const text = await admin.parts.metrics.metrics()
    const line = new RegExp(`security_events_total\\{service="admin",type="${type}"\\} (\\d+)`)
    return Number(line.exec(text)?.[1] ?? 0)
  }
  const both = async () => [await counted('LOG_IN_REFUSED'), await counted('ACCESS_REFUSED')]

  test('A wrong password, an invalid token and a missing privilege are security events', async () => {
    const viewer = await person('only-watched', 'viewer')
    const [logIns = 0, accesses = 0] = await both()
    await as(viewer, 'GET', '/participants')
    expect(await both()).toEqual([logIns, accesses])
    await admin.call('POST', '/app-basic-auth', { id: 'only-watched', secret: 'a wrong one' })
    expect(await both()).toEqual([logIns + 1, accesses])
    await as('no.token.at-all', 'GET', '/participants')
    await as(viewer, 'POST', '/operators', { name: 'another', roles: [] })
    expect(await both()).toEqual([logIns + 1, accesses + 2])
  })
})

describe('a log-in', () => {
  test('A log-in with a wrong password and one with an unknown name get the same 401', async () => {
    for (const id of ['administrator', 'nobody-at-all']) {
      const answer = await admin.call('POST', '/app-basic-auth', { id, secret: 'a wrong one' })
      expect(refusalOf(answer)).toBe('401 3000')
      expect(answer.text).toContain('unknown operator or wrong password')
    }
  })

  test('A session with an initial password permits only a change of password', async () => {
    const { json } = await as(token, 'POST', '/operators', { name: 'newcomer', roles: ['viewer'] })
    const { secret } = json as { readonly secret: string }
    const first = await logIn('newcomer', secret)
    expect(first.mustChangePassword).toBe(true)
    expect(refusalOf(await as(first.accessToken, 'GET', '/participants'))).toBe('403 3000')
    const ofAnother = {
      id: 'administrator',
      secret: password,
      newSecret: 'something else, and long',
    }
    expect(refusalOf(await as(first.accessToken, 'POST', '/app-change-secret', ofAnother))).toBe(
      '403 3000',
    )
    await changePassword('newcomer', secret, first.accessToken)
    const next = await logIn('newcomer')
    expect(next.mustChangePassword).toBe(false)
    expect((await as(next.accessToken, 'GET', '/participants')).status).toBe(200)
  })

  test('A session is renewed with its refresh token, once', async () => {
    await person('goes-on', 'viewer')
    const { refreshToken } = await logIn('goes-on')
    const { json } = await admin.call('POST', '/app-token-refresh', { refreshToken })
    expect((await as((json as Session).accessToken, 'GET', '/participants')).status).toBe(200)
    const again = await admin.call('POST', '/app-token-refresh', { refreshToken })
    expect(refusalOf(again)).toBe('401 3000')
  })
})

test('/iam-token-verifty and /app-authorize return what a token permits', async () => {
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
  expect(refusalOf(await may('MANAGE_FUNDS'))).toBe('403 3000')
  const unknown = await admin.call('POST', '/app-authorize', {
    token: 'x',
    privilege: 'VIEW_AUDIT',
  })
  expect(refusalOf(unknown)).toBe('401 3000')
})

describe('a token is refused at once', () => {
  test('A token is refused immediately after log-out', async () => {
    const operator = await person('logs-out', 'viewer')
    expect((await as(operator, 'POST', '/app-logout')).status).toBe(204)
    expect(refusalOf(await as(operator, 'GET', '/participants'))).toBe('401 3000')
  })

  test('A token is refused as soon as its owner is disabled', async () => {
    const operator = await person('is-disabled', 'viewer')
    expect((await as(token, 'PUT', '/operators/is-disabled', { isActive: false })).status).toBe(200)
    expect(refusalOf(await as(operator, 'GET', '/participants'))).toBe('401 3000')
  })

  test('A token is refused as soon as its owner gets another role', async () => {
    const operator = await person('is-promoted', 'viewer')
    await as(token, 'PUT', '/operators/is-promoted', { roles: ['treasurer'] })
    expect(refusalOf(await as(operator, 'GET', '/participants'))).toBe('401 3000')
  })

  test('A token that is changed, cut, signed by another key or of another kind is refused', async () => {
    const [head = '', body = '', signature = ''] = token.split('.')
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    for (const forged of [
      `${head}.${body}.${signature.slice(0, -6)}AAAAAA`,
      `${head}.${body}`,
      `${unsigned}.${body}.`,
      'x',
    ]) {
      expect(refusalOf(await as(forged, 'GET', '/participants'))).toBe('401 3000')
    }
    expect(
      refusalOf(
        await admin.call('GET', '/participants', undefined, { authorization: 'Basic eA==' }),
      ),
    ).toBe('401 3000')
  })
})

test('A changed role applies from the next request on', async () => {
  const role = { labelName: 'Auditor', privileges: ['VIEW_AUDIT'] }
  expect((await as(token, 'PUT', '/roles/auditor', role)).status).toBe(200)
  const auditor = await person('reads-audit', 'auditor')
  expect((await as(auditor, 'GET', '/audit')).status).toBe(200)
  expect(refusalOf(await as(auditor, 'GET', '/participants'))).toBe('403 3000')
  const more = { labelName: 'Auditor', privileges: ['VIEW_AUDIT', 'VIEW_PARTICIPANTS'] }
  await as(token, 'PUT', '/roles/auditor', more)
  expect((await as(auditor, 'GET', '/participants')).status).toBe(200)
  const own = await as(token, 'PUT', '/roles/viewer', role)
  expect(refusalOf(own)).toBe('400 3000')
})

test('A program with every role still approves nothing', async () => {
  const creation = { name: 'robot', kind: 'MACHINE', roles: ['administrator'] }
  const { json } = await as(token, 'POST', '/operators', creation)
  const { accessToken } = await logIn('robot', (json as { readonly secret: string }).secret)
  expect((await as(accessToken, 'GET', '/participants')).status).toBe(200)
  const approvals = everyOperation().filter(({ privilege }) => privilege.startsWith('APPROVE_'))
  expect(approvals.length).toBeGreaterThan(0)
  for (const { method, path } of approvals) {
    expect(refusalOf(await as(accessToken, method, path, {}))).toBe('403 3000')
    expect(refusalOf(await as(accessToken, method, path, { decision: 'REJECT' }))).toBe('403 3000')
  }
})

describe('a log-in with the header Basic', () => {
  const knock = (credentials: string, body?: unknown) => {
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    return admin.call('POST', '/app-basic-auth', body, { authorization })
  }

  test('A log-in by the header Basic needs a name and a password', async () => {
    await person('basic', 'viewer')
    const { status, json } = await knock(`basic:${password}`)
    expect(status).toBe(200)
    const { accessToken } = json as Session
    expect((await as(accessToken, 'GET', '/participants')).status).toBe(200)
  })

  test('A log-in by a wrong header Basic is refused, and a body has precedence over the header', async () => {
    expect(refusalOf(await knock('basic:a wrong password'))).toBe('401 3000')
    expect(refusalOf(await knock('without a colon'))).toBe('400 3102')
    const wrong = { id: 'basic', secret: 'another wrong one' }
    expect(refusalOf(await knock(`basic:${password}`, wrong))).toBe('401 3000')
  })
})

describe('who decides about requests', () => {
  const request = { requestId: randomUUID() }

  async function deciding(name: string, privilege: string) {
    const role = { labelName: name, privileges: [privilege] }
    expect((await as(token, 'PUT', `/roles/${name}`, role)).status).toBe(200)
    const decider = await person(`one-${name}`, name)
    return async (decision: string) =>
      refusalOf(await as(decider, 'POST', '/ApproveManageFunds', { ...request, decision }))
  }

  test('A request is approved with one privilege', async () => {
    const decide = await deciding('approver', 'APPROVE_MANAGE_FUNDS')
    expect(await decide('REJECT')).toBe('403 3000')
    expect(await decide('APPROVE')).not.toContain('403')
  })

  test('A request is rejected with another privilege', async () => {
    const decide = await deciding('rejecter', 'REJECT_MANAGE_FUNDS')
    expect(await decide('APPROVE')).toBe('403 3000')
    expect(await decide('REJECT')).not.toContain('403')
  })
})

test('The e-mail address of an operator is set, changed and removed', async () => {
  const creation = { name: 'reader', roles: ['viewer'], email: 'reader@hub.example' }
  expect((await as(token, 'POST', '/operators', creation)).json).toMatchObject({
    email: 'reader@hub.example',
  })
  const change = async (email: string | null) => as(token, 'PUT', '/operators/reader', { email })
  expect((await change('other@hub.example')).json).toMatchObject({ email: 'other@hub.example' })
  expect((await change(null)).json).toMatchObject({ email: null, roles: ['viewer'] })
  expect(refusalOf(await change('nowhere'))).toBe('400 3101')
  const program = { name: 'mailbot', kind: 'MACHINE', roles: [], email: 'bot@hub.example' }
  expect(refusalOf(await as(token, 'POST', '/operators', program))).toBe('400 3100')
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

  test('The audit log shows what was done to an operator, by whom, with values before and after', async () => {
    const name = `is-watched-by${path.replaceAll('/', '-')}`
    await person(name, 'viewer')
    await as(token, 'PUT', `/operators/${name}`, { roles: ['maker'] })
    const { entries } = await eventually(async () => {
      const page = await pageOf(`subject=operators/${name}&actionType=UpdateOperator`)
      return page.entries.length > 0 ? page : undefined
    }, 'the change is in the audit log')
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      securityContext: { userId: 'administrator' },
      before: { roles: ['viewer'] },
      after: { roles: ['maker'] },
      signatureValid: true,
    })
  })

  test('The audit log is shown in pages, and an invalid query is refused', async () => {
    const first = await pageOf('limit=2&userId=administrator')
    expect(first.entries).toHaveLength(2)
    const second = await pageOf(`limit=2&userId=administrator&cursor=${first.cursor ?? ''}`)
    expect(second.entries[0]).not.toEqual(first.entries[0])
    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'label=x', 'from=yesterday']) {
      expect((await as(token, 'GET', `${path}?${query}`)).status).toBe(400)
    }
  })

  test('The audit log needs the privilege to view it', async () => {
    const unprivileged = await person(`blind${path.replaceAll('/', '-')}`)
    expect((await as(unprivileged, 'GET', path)).status).toBe(403)
  })

  test('POST /audit/verify proves that the audit log is complete', async () => {
    const { json } = await as(token, 'POST', '/audit/verify')
    expect(json).toMatchObject({ clean: true, faults: [] })
    expect(json).toHaveProperty('lastHash', expect.stringMatching(/^[0-9a-f]{64}$/))
  })
})

describe('GET /audit-read-build-audit-log', () => {
  const path = '/audit-read-build-audit-log'

  test('It shows the last entry, signed, as the verification finds it', async () => {
    const state = await eventually(async () => {
      const { json } = await as(token, 'GET', path)
      const verified = await as(token, 'POST', '/audit/verify')
      const { lastHash } = verified.json as { readonly lastHash: string }
      return (json as { readonly lastHash: string }).lastHash === lastHash ? json : undefined
    }, 'no entry comes between the two questions')
    expect(state).toMatchObject({ signatureValid: true })
    expect(state).not.toHaveProperty('anchor')
  })

  test('It needs a privilege of its own', async () => {
    const auditor = { labelName: 'Reads audit', privileges: ['VIEW_AUDIT'] }
    await as(token, 'PUT', '/roles/reads-audit-alone', auditor)
    const reader = await person('reads-audit-alone', 'reads-audit-alone')
    expect((await as(reader, 'GET', path)).status).toBe(403)
    const more = { labelName: 'Reads state', privileges: ['VIEW_AUDIT_LOG_STATE'] }
    await as(token, 'PUT', '/roles/reads-audit-alone', more)
    expect((await as(reader, 'GET', path)).status).toBe(200)
  })
})
