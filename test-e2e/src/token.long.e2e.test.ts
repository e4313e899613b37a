/**
 * FSPs behind a gateway that terminates TLS: each authenticates with a token that it receives for
 * its secret, signs what it sends, and pays; a token authenticates no other FSP.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { registerKey, signer } from './operator/credentials.ts'
import type { HubResponse, Fsp } from './fsp/fsp.ts'
import { answered } from './operator/operator.ts'
import { newPhoneNumber, newQuote, partyOf, termsOf } from './fsp/payment.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let tokens: ReadonlyMap<string, string>

beforeAll(async () => {
  scheme = await openSchemeOfFsps({
    EDGE_IDENTITY: 'token',
    EDGE_TLS: 'off',
    JWS_VERIFY: 'on',
    JWS_SIGN: 'on',
  })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
  const all = new Map<string, string>()
  for (const fsp of [payer, payee]) {
    fsp.signWith(signer(await registerKey(scheme.operator, fsp.name)))
    all.set(fsp.name, await tokenOf(fsp))
  }
  tokens = all
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

/** Gets a secret from the operator and a token for it from the hub. */
async function tokenOf(fsp: Fsp): Promise<string> {
  const path = `/participants/${fsp.name}/client-secrets`
  const secret = await answered<{ clientId: string; clientSecret: string }>(
    scheme.operator.call('POST', path),
  )
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: secret.clientId,
    client_secret: secret.clientSecret,
  })
  const { status, body } = await askForToken(fsp, form)
  expect(status).toBe(200)
  const grant = JSON.parse(body) as { access_token: string; token_type: string }
  expect(grant.token_type).toBe('Bearer')
  return grant.access_token
}

function askForToken(fsp: Fsp, form: URLSearchParams): Promise<HubResponse> {
  return fsp.send('POST', '/token', form.toString(), {
    'content-type': 'application/x-www-form-urlencoded',
  })
}

const withTokenOf = (fsp: Fsp) => ({ authorization: `Bearer ${tokens.get(fsp.name) ?? ''}` })
const from = (fsp: Fsp, to: Fsp) => ({ ...withTokenOf(fsp), 'fspiop-destination': to.name })

function codeOf({ status, body }: HubResponse): string {
  const { errorInformation } = JSON.parse(body) as { errorInformation: { errorCode: string } }
  return `${status} ${errorInformation.errorCode}`
}

test('A payment is made when each message has the token of its sender', async () => {
  const phone = newPhoneNumber()
  const mine = `/participants/MSISDN/${phone}`
  await payee.send('POST', mine, { fspId: payee.name }, withTokenOf(payee))
  await payee.await(({ method, path }) => method === 'PUT' && path === mine)

  const path = `/parties/MSISDN/${phone}`
  expect((await payer.send('GET', path, undefined, withTokenOf(payer))).status).toBe(202)
  const asked = await payee.await(({ method, path: at }) => method === 'GET' && at === path)
  expect(asked.headers).not.toHaveProperty('authorization')
  const party = partyOf(payee, phone, 'Ada Example')
  await payee.send('PUT', path, { party }, from(payee, payer))
  await payer.await(({ method, path: at }) => method === 'PUT' && at === path)

  const quote = newQuote(payer, payee, { payee: party })
  await payer.send('POST', '/quotes', quote, from(payer, payee))
  await payee.await(({ method, path: at }) => method === 'POST' && at === '/quotes')
  const { response, transfer } = termsOf(quote, payer, payee)
  const at = `/quotes/${quote.quoteId}`
  await payee.send('PUT', at, response, from(payee, payer))
  await payer.await(({ method, path: target }) => method === 'PUT' && target === at)

  await payer.send('POST', '/transfers', transfer.request, from(payer, payee))
  await payee.await(about(transfer.transferId, 'POST'))
  const fulfilled = `/transfers/${transfer.transferId}`
  await payee.send('PUT', fulfilled, committed(transfer), from(payee, payer))
  const callback = await payer.await(about(transfer.transferId, 'PUT'))
  expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
})

test.each([
  ['no token', () => ({ authorization: undefined }), '401 3000'],
  ['a token that was not issued', () => ({ authorization: 'Bearer a.b.c' }), '401 3000'],
  ['the token of another FSP', () => withTokenOf(payee), '403 3100'],
  ['a password', () => ({ authorization: 'Basic Z3JlZW5iYW5rOnNlY3JldA==' }), '401 3000'],
])('A message with %s is refused', async (_title, headers, code) => {
  const { transfer } = termsOf(newQuote(payer, payee), payer, payee)
  const answer = await payer.send('POST', '/transfers', transfer.request, headers())
  expect(codeOf(answer)).toBe(code)
})

test('A wrong secret gets no token', async () => {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'greenbank',
    client_secret: 'wrong',
  })
  const { status, body } = await askForToken(payer, form)
  expect([status, JSON.parse(body)]).toEqual([401, { error: 'invalid_client' }])
})

test('Readiness names the missing secret of an FSP, not a certificate', async () => {
  const { operator } = scheme
  await answered(operator.call('POST', '/participants', { name: 'newbank', currency: 'USD' }))
  const readiness = () =>
    answered<{ items: readonly { item: string; ok: boolean; text: string }[] }>(
      operator.call('GET', '/participants/newbank/readiness'),
    )
  const identity = (await readiness()).items.find(({ item }) => item === 'identity')
  expect(identity).toMatchObject({ ok: false, text: expect.stringContaining('client-secrets') })
  await answered(operator.call('POST', '/participants/newbank/client-secrets'))
  const after = (await readiness()).items.find(({ item }) => item === 'identity')
  expect(after).toMatchObject({ ok: true })
})
