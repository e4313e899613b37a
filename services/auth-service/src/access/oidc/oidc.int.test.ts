import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Calls } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { logInsService, operatorsService, type OperatorCreation } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Provider } from 'oidc-provider'
import { start } from '../../service.ts'
import { authSettings } from '../../testing/world.ts'

const redirectUri = 'http://127.0.0.1:1/console/'
const clientId = 'causeway'
const clientSecret = 'the secret of the hub at its provider'

const viewer: Omit<OperatorCreation, 'name'> = { kind: 'PERSON', roles: ['viewer'], actor: 'bob' }

let parts: TestParts
let service: Service
let operators: Calls<typeof operatorsService>
let logIns: Calls<typeof logInsService>
let provider: Server

beforeAll(async () => {
  const issuer = await openProvider()
  parts = await openTestParts()
  service = await start(
    authSettings({
      AUTH_SERVICE_PASSWORD_COST: '10',
      AUTH_SERVICE_OIDC_ISSUER: issuer,
      AUTH_SERVICE_OIDC_CLIENT_ID: clientId,
      AUTH_SERVICE_OIDC_CLIENT_SECRET: clientSecret,
      AUTH_SERVICE_OIDC_REDIRECT_URI: redirectUri,
    }),
    parts,
  )
  operators = parts.grpc.client(operatorsService, 'auth-service')
  logIns = parts.grpc.client(logInsService, 'auth-service')
  await operators.CreateOperator({ ...viewer, name: 'ada' })
})

afterAll(async () => {
  await service.stop()
  await parts.stop()
  provider.closeAllConnections()
  provider.close()
})

/** What users are called since they changed it. */
const accountNames = new Map<string, string>()

/** A real provider, at which a log-in proves any name. */
async function openProvider(): Promise<string> {
  provider = createServer()
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const oidc = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['preferred_username'] },
    findAccount: (_, id) => ({
      accountId: id,
      // 'eve:ada' is another user, who is called ada.
      claims: () => ({
        sub: id,
        preferred_username: accountNames.get(id) ?? id.split(':').at(-1) ?? '',
      }),
    }),
    cookies: { keys: ['a key for the cookies of this test'] },
  })
  const answer = oidc.callback()
  provider.on('request', (request, response) => void answer(request, response))
  return issuer
}

/** Logs in at the provider as a browser does; the address that it is sent back to. */
async function logInAt(url: string, name: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = url
  let form: URLSearchParams | undefined
  for (let steps = 0; steps < 12; steps += 1) {
    const answer = await fetch(next, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      redirect: 'manual',
      ...(form === undefined ? {} : { body: form }),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(key, value)
    }
    const location = answer.headers.get('location')
    if (location === null) {
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(await answer.text()) ?? []
      form = new URLSearchParams({ prompt, login: name, password: 'any' })
      continue
    }
    form = undefined
    next = new URL(location, next).href
    if (next.startsWith(redirectUri)) return next
  }
  throw new Error('the provider did not send the browser back')
}

async function begin() {
  const { begun, refusal } = await logIns.BeginOidc({})
  if (!begun) throw new Error(refusal?.detail)
  return begun
}

test('An operator logs in through the OpenID provider, and has no password to change', async () => {
  expect(await logIns.DescribeLogIns({})).toEqual({ oidc: true })
  const { url, browserSecret } = await begin()
  const callback = await logInAt(url, 'ada')
  const { session } = await logIns.EndOidc({ callback, browserSecret, address: 'here' })
  expect(session).toMatchObject({ roles: ['viewer'], mustChangePassword: false })
  const { session: next } = await operators.RefreshSession({
    refreshToken: session?.refreshToken ?? '',
  })
  expect(next).toMatchObject({ mustChangePassword: false })
  const { sessions } = await operators.ListSessions({ operator: 'ada' })
  expect(sessions).toMatchObject([{ factor: 'OIDC', address: 'here' }])
})

test('Each log-in is ended once, and only by the browser that began it', async () => {
  const { url, browserSecret } = await begin()
  const callback = await logInAt(url, 'ada')
  const ofAnother = await logIns.EndOidc({ callback, browserSecret: (await begin()).browserSecret })
  expect(ofAnother.refusal?.reason).toBe('PROOF_INVALID')
  expect((await logIns.EndOidc({ callback, browserSecret })).session).toBeTruthy()
  expect((await logIns.EndOidc({ callback, browserSecret })).refusal?.reason).toBe('PROOF_INVALID')
})

test('A code of another log-in, or none, ends nothing', async () => {
  const first = await begin()
  const code = new URL(await logInAt(first.url, 'ada')).searchParams.get('code') ?? ''
  for (const query of [`?code=${code}`, '?code=invented', '']) {
    const { browserSecret } = await begin()
    const callback = `${redirectUri}${query}${query === '' ? '' : `&state=${browserSecret}`}`
    const { refusal } = await logIns.EndOidc({ callback, browserSecret })
    expect(refusal?.reason).toBe('PROOF_INVALID')
  }
})

test('A person who is no operator, or a disabled one, gets no session', async () => {
  for (const name of ['stranger', 'ada']) {
    await operators.UpdateOperator({ name: 'ada', isActive: false, actor: 'bob' })
    const { url, browserSecret } = await begin()
    const { refusal } = await logIns.EndOidc({ callback: await logInAt(url, name), browserSecret })
    expect(refusal?.reason).toBe('PROOF_INVALID')
  }
})

/** The session of who logs in at the provider, or the refusal. */
async function logInAs(name: string) {
  const { url, browserSecret } = await begin()
  return logIns.EndOidc({ callback: await logInAt(url, name), browserSecret })
}

test('An operator is bound to the identity of the first log-in, also when another user has the name later', async () => {
  await operators.CreateOperator({ ...viewer, name: 'cleo' })
  expect((await logInAs('cleo')).session).toBeTruthy()
  expect((await logInAs('eve:cleo')).refusal).toMatchObject({
    reason: 'PROOF_INVALID',
    detail: expect.stringMatching(/bound to another identity/),
  })
  expect((await logInAs('cleo')).session).toBeTruthy()
  const listed = await operators.ListOperators({ names: ['cleo'] })
  expect(listed.operators).toMatchObject([{ identity: { subject: 'cleo' } }])
})

test('An administrator can unbind an operator, which ends the sessions; the next log-in binds again', async () => {
  await operators.CreateOperator({ ...viewer, name: 'dora' })
  const { session } = await logInAs('dora')
  const { operator } = await operators.UpdateOperator({
    name: 'dora',
    unbindIdentity: true,
    actor: 'bob',
  })
  expect(operator?.operator?.identity).toBeNull()
  const refreshToken = session?.refreshToken ?? ''
  expect((await operators.RefreshSession({ refreshToken })).refusal).toBeTruthy()
  expect((await logInAs('moved:dora')).session).toBeTruthy()
  expect((await logInAs('dora')).refusal?.reason).toBe('PROOF_INVALID')
})

test('One identity is one operator: a user who takes the name of a colleague gets no session', async () => {
  await operators.CreateOperator({ ...viewer, name: 'finn' })
  await operators.CreateOperator({ ...viewer, name: 'gwen' })
  expect((await logInAs('one:finn')).session).toBeTruthy()
  accountNames.set('one:finn', 'gwen')
  expect((await logInAs('one:finn')).refusal).toMatchObject({
    reason: 'PROOF_INVALID',
    detail: expect.stringMatching(/of another operator/),
  })
})
