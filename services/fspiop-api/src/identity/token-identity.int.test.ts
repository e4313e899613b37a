import { createHash, X509Certificate } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { authWith, openTokenIssuer, type TokenIssuer } from '../testing/auth.ts'
import { as, ofOthers, prepare, quote } from '../testing/impostors.ts'
import {
  id,
  message,
  transferFulfilment,
  withHeaders,
  type TestMessage,
} from '../testing/messages.ts'
import type { FspiopApiSettings } from '../settings.ts'
import { newCa, openScheme, type Scheme } from '../testing/scheme.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const query = message('GET', `/transfers/${id}`)

describe('Identity by token', () => {
  let issuer: TokenIssuer
  let world: EdgeWorld
  beforeAll(async () => {
    issuer = await openTokenIssuer('t-1')
    world = await openWorld({ EDGE_IDENTITY: 'token' }, { authOf: authWith(issuer) })
  })
  afterAll(() => world.stop())

  async function ask(token: string | undefined, sent: TestMessage = query): Promise<string> {
    const authorization = token === undefined ? undefined : `Bearer ${token}`
    return summary(await send(world.edge.url, withHeaders(sent, { authorization })))
  }

  test('An FSP is identified by the subject of its token, and the token is not relayed', async () => {
    const token = await issuer.token()
    expect(await ask(token, prepare())).toBe('202')
    const published = await eventually(() => world.received[0], 'the event')
    expect(String(published.headers['relay-headers'])).not.toContain(token)
    expect(await ask(await issuer.token({ sub: 'bluewallet' }), fulfil)).toBe('200')
  })

  test('More than one blank may precede the token (RFC 6750, 2.1)', async () => {
    const authorization = `bearer   ${await issuer.token()}`
    expect(summary(await send(world.edge.url, withHeaders(query, { authorization })))).toBe('202')
  })

  test.each([
    ['without a token', undefined, 'Bearer realm="fsp-api"'],
    ['with other authorization', 'Basic eDp5', 'Bearer realm="fsp-api"'],
    ['with a wrong token', 'Bearer e30.e30.e30', 'Bearer realm="fsp-api", error="invalid_token"'],
  ])(
    'A request %s is answered with the challenge of RFC 6750',
    async (_what, authorization, asks) => {
      for (const asked of [query, message('GET', '/reconciliation?day=2026-01-01')]) {
        const answer = await send(world.edge.url, withHeaders(asked, { authorization }))
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, asks])
      }
    },
  )

  test("A message in the name of another FSP than the token's is refused", async () => {
    const token = await issuer.token({ sub: 'bluewallet' })
    for (const sent of [quote, as('greenbank', fulfil), query]) {
      expect(await ask(token, sent)).toBe('403 3100')
    }
  })

  test('The subject must be a participant, and an inactive one can only complete what it has begun', async () => {
    expect(await ask(await issuer.token({ sub: 'nobody' }), as('nobody', query))).toBe('400 3200')
    expect(await ask(await issuer.token({ sub: 'Hub' }), as('Hub', query))).toBe('400 3200')
    const sleeper = await issuer.token({ sub: 'sleeper' })
    expect(await ask(sleeper, as('sleeper', query))).toBe('400 3100')
    expect(await ask(sleeper, as('sleeper', fulfil))).toBe('200')
  })

  const past_s = Math.floor(Date.now() / 1_000) - 3_600
  test.each([
    ['that has expired', { exp: past_s }, {}],
    ['without an expiration', { exp: undefined }, {}],
    ['that is not valid yet', { nbf: past_s + 7_200 }, {}],
    ['for another audience', { aud: 'operator-api' }, {}],
    ['without an audience', { aud: undefined }, {}],
    ['of another issuer', { iss: 'Other' }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['of an empty subject', { sub: '' }, {}],
    ['of another kind', {}, { typ: 'JWT' }],
    ['that names an unknown key', {}, { kid: 't-9' }],
  ])('A token %s is no identity', async (_title, claims, header) => {
    expect(await ask(await issuer.token(claims, header))).toBe('401 3000')
  })

  test('A token with a signature of another key is no identity', async () => {
    const forger = await openTokenIssuer('t-1')
    expect(await ask(await forger.token())).toBe('401 3000')
    const [, claims] = (await issuer.token()).split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    expect(await ask(`${none}.${claims}.`)).toBe('401 3000')
  })

  test('Any other authorization is no identity', async () => {
    expect(await ask(undefined)).toBe('401 3000')
    expect(await ask('')).toBe('401 3000')
    expect(await ask('a b')).toBe('401 3000')
    expect(await ask('x'.repeat(5_000))).toBe('401 3000')
    const token = await issuer.token()
    const basic = withHeaders(query, { authorization: `Basic ${token}` })
    expect(summary(await send(world.edge.url, basic))).toBe('401 3000')
    const inQuery = { ...query, path: `${query.path}?access_token=${token}` }
    expect(summary(await send(world.edge.url, inQuery))).toBe('401 3000')
    const certified = withHeaders(query, {
      'x-forwarded-client-cert': 'Subject="CN=greenbank"',
    })
    expect(summary(await send(world.edge.url, certified))).toBe('401 3000')
  })

  test.each(ofOthers)('%s must be the sender', async (_title, sub, sent) => {
    expect(await ask(await issuer.token({ sub }), sent)).toBe('400 3100')
  })

  test('The keys of auth-service are read again when the first token names a new one', async () => {
    const renewed = await openTokenIssuer('t-2')
    expect(await ask(await renewed.token())).toBe('401 3000')
    world.auth.tokenKeys.push(renewed.jwk)
    const token = await renewed.token()
    await eventually(async () => (await ask(token)) === '202' || undefined, 'the new key')
    expect(await ask(await issuer.token())).toBe('202')
  })

  test('Keys are not read again for each of many tokens that name unknown keys', async () => {
    const { tokenKeys: before } = world.auth.asked
    for (let at = 0; at < 20; at++) {
      expect(await ask(await issuer.token({}, { kid: `invented-${at}` }))).toBe('401 3000')
    }
    // Once more where the pause after a reading in vain ends in between.
    expect(world.auth.asked.tokenKeys - before).toBeLessThanOrEqual(2)
  })

  test('A cached token is accepted only until it expires', async () => {
    const token = await issuer.token({ exp: Math.floor(Date.now() / 1_000) + 2 })
    expect(await ask(token)).toBe('202')
    await eventually(async () => ((await ask(token)) === '401 3000' ? true : undefined), 'its end')
  })

  test('While auth-service is unavailable cached tokens are accepted, others are answered with 503', async () => {
    const token = await issuer.token()
    await ask(token)
    world.auth.isAway = true
    expect(await ask(token)).toBe('202')
    const unknown = await issuer.token({}, { kid: 't-3' })
    await eventually(async () => (await ask(unknown)) === '503 2003' || undefined, 'the outage')
    world.auth.isAway = false
  })

  test('A token is verified once, not for each message', async () => {
    const token = await issuer.token()
    await ask(token)
    const { tokenKeys } = world.auth.asked
    for (let at = 0; at < 5; at++) expect(await ask(token)).toBe('202')
    expect(world.auth.asked.tokenKeys).toBe(tokenKeys)
  })
})

describe('Tokens that are bound to a client certificate (RFC 8705)', () => {
  const thumbprintOf = (pem: string) =>
    createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url')
  let scheme: Scheme
  let issuer: TokenIssuer
  beforeAll(async () => {
    scheme = openScheme()
    issuer = await openTokenIssuer('t-1')
  })
  afterAll(() => scheme.stop())

  async function openWith(changed: Partial<FspiopApiSettings> = {}): Promise<EdgeWorld> {
    const { settings } = scheme
    const options = {
      ...settings,
      EDGE_TLS_CA_FILE: undefined,
      EDGE_IDENTITY: 'token',
      ...changed,
    } as const
    const opened = await openWorld(options)
    opened.auth.tokenKeys.push(issuer.jwk)
    return opened
  }
  const bound = (token: string) => withHeaders(query, { authorization: `Bearer ${token}` })

  test('A bound token is accepted on a connection with its certificate alone, of any CA', async () => {
    const world = await openWith()
    const own = scheme.client('greenbank', { from: newCa() })
    const stolenBy = scheme.client('bluewallet')
    const none = { ...own, certificate: '', key: '' }
    const cnf = { 'x5t#S256': thumbprintOf(own.certificate) }
    const token = await issuer.token({ cnf })
    try {
      expect(summary(await send(world.edge.url, bound(token), stolenBy))).toBe('401 3000')
      expect(summary(await send(world.edge.url, bound(token), own))).toBe('202')
      expect(summary(await send(world.edge.url, bound(token), none))).toBe('401 3000')
      expect(summary(await send(world.edge.url, bound(token), stolenBy))).toBe('401 3000')
      expect(summary(await send(world.edge.url, bound(await issuer.token()), none))).toBe('202')
    } finally {
      await world.stop()
    }
  })

  test('With EDGE_TOKEN_BINDING=required a token that is not bound is refused', async () => {
    const world = await openWith({ EDGE_TOKEN_BINDING: 'required' })
    const tls = scheme.client('greenbank')
    const cnf = { 'x5t#S256': thumbprintOf(tls.certificate) }
    try {
      expect(summary(await send(world.edge.url, bound(await issuer.token()), tls))).toBe('401 3000')
      expect(summary(await send(world.edge.url, bound(await issuer.token({ cnf })), tls))).toBe(
        '202',
      )
    } finally {
      await world.stop()
    }
  })
})

describe('Identity by token over TLS', () => {
  test('TLS with tokens needs no CA for clients, and no client certificate', async () => {
    const scheme = openScheme()
    const issuer = await openTokenIssuer('t-1')
    const world = await openWorld(
      { ...scheme.settings, EDGE_TLS_CA_FILE: undefined, EDGE_IDENTITY: 'token' },
      { authOf: authWith(issuer) },
    )
    try {
      const tls = scheme.client('greenbank')
      expect(summary(await send(world.edge.url, query, tls))).toBe('401 3000')
      const authorization = `Bearer ${await issuer.token()}`
      const named = withHeaders(query, { authorization })
      expect(summary(await send(world.edge.url, named, tls))).toBe('202')
      const health = { method: 'GET', path: '/health', headers: {} }
      expect((await send(world.edge.url, health, tls)).text).toContain('"auth-service"')
    } finally {
      await world.stop()
      scheme.stop()
    }
  })
})

describe('Identity by header, for development', () => {
  let world: EdgeWorld
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())
  const ask = async (sent: TestMessage) => summary(await send(world.edge.url, sent))

  test('An FSP is identified by its header, if it is a participant', async () => {
    expect(await ask(prepare())).toBe('202')
    expect(await ask(fulfil)).toBe('200')
    expect(await ask(as('nobody', query))).toBe('400 3200')
    expect(await ask(as('Hub', query))).toBe('400 3200')
    expect(await ask(as('sleeper', query))).toBe('400 3100')
    expect(await ask(as('sleeper', fulfil))).toBe('200')
    expect(await ask(withHeaders(query, { 'fspiop-source': undefined }))).toBe('400 3102')
  })

  test.each(ofOthers)('%s must be the sender', async (_title, _fsp, sent) => {
    expect(await ask(sent)).toBe('400 3100')
  })
})
