import { StartError } from '@causeway/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { start } from '../service.ts'
import { testSettings } from '../testing/settings.ts'
import { openWorld, send, type EdgeWorld } from '../testing/world.ts'

let world: EdgeWorld
beforeAll(async () => {
  world = await openWorld({ JWS_VERIFY: 'on', FSP_BASE_PATHS: '/als,/quotes-api/v1' })
})
afterAll(() => world.stop())

const get = (path: string) => send(world.edge.url, { method: 'GET', path, headers: {} })

test('The health page reports the state of each dependency', async () => {
  const answer = await get('/health')
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toEqual({
    status: 'OK',
    services: [
      { name: 'participant-lifecycle', status: 'OK' },
      { name: 'auth-service', status: 'OK' },
      { name: 'events', status: 'OK' },
    ],
  })
})

test('The errors page lists each reason with its code', async () => {
  const answer = await get('/errors')
  expect(answer.headers['content-type']).toMatch(/^text\/html/)
  expect(answer.text).toContain('<td>SOURCE_UNKNOWN</td><td>400</td><td>3200</td>')
  expect(answer.text).toContain('<td>BUSY</td><td>503</td><td>2005</td>')
  expect(answer.text).toContain('<td>IDENTITY_MISSING</td><td>401</td><td>3000</td>')
})

test('The OpenAPI document describes the API to any client', async () => {
  const answer = await get('/openapi.json')
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.parse(answer.text)).toMatchObject({
    openapi: '3.1.0',
    paths: { '/transfers': { post: { responses: { 202: {} } } } },
  })
})

test.each(['/als', '/quotes-api/v1'])(
  'The API is served under the base path %s too',
  async (base) => {
    expect((await get(`${base}/health`)).text).toBe((await get('/health')).text)
    const unheaded = await get(`${base}/parties/MSISDN/12025550111`)
    expect([unheaded.status, unheaded.error?.errorCode]).toEqual([400, '3102'])
    expect(unheaded.headers['content-type']).toBe(
      'application/vnd.interoperability.parties+json;version=1.1',
    )
    const unknown = await get(`${base}/nothing`)
    expect([unknown.status, unknown.error?.errorCode]).toEqual([404, '3002'])
  },
)

test('A base path that a path of the API begins with is refused at the start', async () => {
  const settings = { ...testSettings, FSP_BASE_PATHS: '/transfers/x' }
  await expect(start(settings, world.parts)).rejects.toThrow(
    new StartError("FSP_BASE_PATHS: '/transfers/x' begins as paths of the API do."),
  )
})

test('Any other path is unknown and answered in plain JSON', async () => {
  for (const path of ['/', '/healthy', '/health/', '/Health', '/.well-known/', '/errors/1']) {
    const answer = await get(path)
    expect([path, answer.status, answer.error?.errorCode]).toEqual([path, 404, '3002'])
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
  }
  expect((await get('/health')).headers).not.toHaveProperty('x-powered-by')
})

describe('POST /token', () => {
  beforeAll(() => {
    world.auth.secrets.set('greenbank', 'a:b%c d')
  })

  function ask(body: string, headers: Readonly<Record<string, string>> = {}) {
    const type = 'application/x-www-form-urlencoded'
    const all = { 'content-type': type, ...headers }
    return send(world.edge.url, { method: 'POST', path: '/token', headers: all, body })
  }
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })
  const grant = 'grant_type=client_credentials'
  const inForm = `${grant}&client_id=greenbank&client_secret=a%3Ab%25c+d`

  test.each([
    ['in the form', inForm, {}],
    ['as Basic authorization', grant, basic('greenbank', 'a:b%c d')],
    ['as both, where they agree', `${grant}&client_id=greenbank`, basic('greenbank', 'a:b%c d')],
    ['with a scope, which has no meaning', `${inForm}&scope=all`, {}],
  ])('POST /token issues a token for credentials %s', async (_title, body, headers) => {
    const answer = await ask(body, headers)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { access_token: 'token-of-greenbank', token_type: 'Bearer', expires_in: 300 },
    ])
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })

  const json = { 'content-type': 'application/json' }
  test.each([
    ['a wrong secret', `${inForm}x`, {}, 401, 'invalid_client'],
    ['an unknown client', `${grant}&client_id=nobody&client_secret=x`, {}, 401, 'invalid_client'],
    ['invalid Basic authorization', grant, { authorization: 'Basic junk' }, 401, 'invalid_client'],
    ['Bearer', grant, { authorization: 'Bearer x' }, 401, 'invalid_client'],
    ['no credentials', grant, {}, 401, 'invalid_client'],
    ['no secret', `${grant}&client_id=greenbank`, {}, 401, 'invalid_client'],
    ['two secrets', `${inForm}&client_secret=x`, {}, 400, 'invalid_request'],
    ['secrets in both places', inForm, basic('greenbank', 'a:b%c d'), 400, 'invalid_request'],
    [
      'two clients',
      `${grant}&client_id=bluewallet`,
      basic('greenbank', 'a:b%c d'),
      400,
      'invalid_request',
    ],
    ['no grant', inForm.replace(grant, ''), {}, 400, 'invalid_request'],
    [
      'another grant',
      inForm.replace('client_credentials', 'password'),
      {},
      400,
      'unsupported_grant_type',
    ],
    ['JSON', '{"grant_type":"client_credentials"}', json, 400, 'invalid_request'],
    ['a form that is too long', `${inForm}&x=${'x'.repeat(5_000)}`, {}, 400, 'invalid_request'],
    ['nothing', '', {}, 400, 'invalid_request'],
  ])('POST /token refuses %s', async (_title, body, headers, status, error) => {
    const answer = await ask(body, headers)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }])
    expect(answer.headers['cache-control']).toBe('no-store')
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic /)
  })

  test('POST /token answers 503 while credentials cannot be verified', async () => {
    world.auth.isAway = true
    const answer = await ask(inForm)
    world.auth.isAway = false
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      503,
      { error: 'temporarily_unavailable' },
    ])
  })
})

describe('Refused starts', () => {
  test.each(['0.0.0.0', '192.168.1.2', 'hub.example', '::', '127.0.0.1.example'])(
    'A start without authentication is refused on %s, which is not a loopback address',
    async (FSP_HOST) => {
      const started = start({ ...testSettings, FSP_HOST }, world.parts)
      await expect(started).rejects.toThrow(StartError)
      await expect(started).rejects.toThrow(/FSP_HOST=.*EDGE_IDENTITY=header.*loopback/)
      const unsigned = { ...testSettings, FSP_HOST, EDGE_IDENTITY: 'token' } as const
      await expect(start(unsigned, world.parts)).rejects.toThrow(/FSP_HOST=.*JWS_VERIFY=off/)
    },
  )

  test('A start is refused when certificates are required without TLS, or the files are missing', async () => {
    const plain = { ...testSettings, EDGE_IDENTITY: 'mtls' } as const
    await expect(start(plain, world.parts)).rejects.toThrow(/EDGE_TLS=off is refused/)
    const unnamed = { ...plain, EDGE_TLS: 'on' } as const
    await expect(start(unnamed, world.parts)).rejects.toThrow(
      /EDGE_TLS_CERTIFICATE_FILE is not set/,
    )
    const absent = { ...unnamed, EDGE_TLS_CERTIFICATE_FILE: '/nowhere/server.crt' }
    await expect(start(absent, world.parts)).rejects.toThrow(/EDGE_TLS_CERTIFICATE_FILE: .*ENOENT/)
  })
})
