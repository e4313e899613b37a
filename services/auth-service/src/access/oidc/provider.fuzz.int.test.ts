/**
 * What an OpenID provider answers, almost valid: it names an operator only by an id token of this provider,
 * for this hub and for this log-in; anything else is an error, and so is a provider that cannot be used.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { changedJson, changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { authSettings } from '../../testing/world.ts'
import { openOidc } from './provider.ts'

const redirectUri = 'http://127.0.0.1:1/console/'
const clientId = 'causeway'

let server: Server
let issuer = ''
/** What it answers, by path. */
const answers = new Map<string, string>()

beforeAll(async () => {
  server = createServer((request, response) => {
    const body = answers.get((request.url ?? '').split('?')[0] ?? '')
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const discovery = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  id_token_signing_alg_values_supported: ['RS256'],
})
const configurationPath = '/.well-known/openid-configuration'

function openProvider(claim = 'preferred_username') {
  const oidc = openOidc(
    authSettings({
      AUTH_SERVICE_OIDC_ISSUER: issuer,
      AUTH_SERVICE_OIDC_CLIENT_ID: clientId,
      AUTH_SERVICE_OIDC_CLIENT_SECRET: 'secret',
      AUTH_SERVICE_OIDC_REDIRECT_URI: redirectUri,
      AUTH_SERVICE_OIDC_NAME_CLAIM: claim,
    }),
  )
  if (oidc === undefined) throw new Error('there is no provider')
  return oidc
}

const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')
const header = { alg: 'RS256', typ: 'JWT' }
const tokenOf = (claims: unknown, of: unknown = header) => `${encoded(of)}.${encoded(claims)}.AAAA`

/** As an HTTP client reads it: a byte order mark is no part of the text. */
const textOf = (bytes: Buffer) => new TextDecoder().decode(bytes)

/** Resolves with undefined where it rejects. */
async function orRefused<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    expect(error).toBeInstanceOf(Error)
    return undefined
  })
}

test('A name is that of an id token of the provider, for this hub and this log-in, or there is none', async () => {
  answers.set(configurationPath, JSON.stringify(discovery()))
  const oidc = openProvider()
  const { state, logIn } = await oidc.begin()
  const { nonce } = logIn
  const now_s = Math.floor(Date.now() / 1_000)
  const claims = {
    iss: issuer,
    sub: 'ada-1',
    aud: clientId,
    nonce,
    iat: now_s,
    exp: now_s + 3_600,
    preferred_username: 'Ada',
  }
  const plain = { access_token: 'a', token_type: 'Bearer', id_token: tokenOf(claims) }
  const callback = new URL(`${redirectUri}?code=c&state=${state}`)
  const end = () => orRefused(oidc.end(callback, state, logIn))
  const text = fc.oneof(
    changedText([JSON.stringify(plain)]),
    changedJson(plain).map((json) => JSON.stringify(json)),
    changedText([plain.id_token]).map((id_token) => JSON.stringify({ ...plain, id_token })),
    changedJson(claims).map((json) => JSON.stringify({ ...plain, id_token: tokenOf(json) })),
    changedJson(header).map((json) =>
      JSON.stringify({ ...plain, id_token: tokenOf(claims, json) }),
    ),
  )
  const userInfo = changedJson({ sub: 'ada-1', preferred_username: 'Bob' })
  await fc.assert(
    fc.asyncProperty(text, userInfo, async (answer, info) => {
      answers.set('/token', answer)
      answers.set('/me', JSON.stringify(info))
      const identity = await end()
      if (identity === undefined) return
      const { id_token } = JSON.parse(textOf(Buffer.from(answer))) as { readonly id_token: string }
      const part = textOf(Buffer.from(id_token.split('.')[1] ?? '', 'base64url'))
      const read = JSON.parse(part) as Partial<typeof claims>
      expect(read).toMatchObject({ iss: issuer, nonce })
      expect([read.aud].flat()).toContain(clientId)
      expect(read.exp).toBeGreaterThan(now_s - 60)
      const named = read.preferred_username ?? (info as typeof claims).preferred_username
      expect(identity).toEqual({ name: named.toLowerCase(), issuer, subject: read.sub })
    }),
    { numRuns: 300 },
  )
  answers.set('/token', JSON.stringify(plain))
  expect(await end()).toEqual({ name: 'ada', issuer, subject: 'ada-1' })
})

test('An address names an operator only if the provider has verified it', async () => {
  answers.set(configurationPath, JSON.stringify(discovery()))
  const oidc = openProvider('email')
  const { state, logIn } = await oidc.begin()
  const now_s = Math.floor(Date.now() / 1_000)
  const claims = { iss: issuer, sub: 'ada-1', aud: clientId, nonce: logIn.nonce, iat: now_s }
  const callback = new URL(`${redirectUri}?code=c&state=${state}`)
  const nameWith = async (more: object) => {
    const token = { ...claims, exp: now_s + 3_600, email: 'ada@hub.example', ...more }
    const answer = { access_token: 'a', token_type: 'Bearer', id_token: tokenOf(token) }
    answers.set('/token', JSON.stringify(answer))
    return (await oidc.end(callback, state, logIn))?.name
  }
  expect(await nameWith({ email_verified: true })).toBe('ada@hub.example')
  for (const email_verified of [undefined, false, 'true', 1]) {
    expect(await nameWith({ email_verified })).toBeUndefined()
  }
})

test('A provider whose description is changed begins a log-in at an address, or is an error', async () => {
  await fc.assert(
    fc.asyncProperty(changedJson(discovery()), async (json) => {
      answers.set(configurationPath, JSON.stringify(json))
      const begun = await orRefused(openProvider().begin())
      if (begun === undefined) return
      expect(new URL(begun.url).protocol).toMatch(/^https?:$/)
      expect(begun.url).toContain(`client_id=${clientId}`)
    }),
    { numRuns: 200 },
  )
})
