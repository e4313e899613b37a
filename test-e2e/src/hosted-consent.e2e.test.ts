/** A DFSP has the auth service of the hub keep a consent: registered, asked for, used by nobody else, revoked. */
import { createGenericKey } from '@causeway/fsp'
import { consentChallenge } from '@causeway/fspiop'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './hub/fsp.ts'
import { answered } from './hub/operator.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'

const authService = 'centralAuth'
let scheme: Scheme
let dfsp: Fsp
let pisp: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  dfsp = await scheme.join('greenbank-consent')
  pisp = await scheme.join('bluewallet-consent')
}, 120_000)

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

function to(fspId: string, resource: string, method = 'POST') {
  const type = `application/vnd.interoperability.${resource}+json;version=1.0`
  const accept = method === 'PUT' || method === 'PATCH' ? undefined : type
  return { 'fspiop-destination': fspId, 'content-type': type, accept }
}

test('a consent lives at the auth service until it is revoked for both', async () => {
  const consentId = randomUUID()
  const path = `/consents/${consentId}`
  const scopes = [{ address: 'greenbank-consent.1', actions: ['ACCOUNTS_TRANSFER'] }]
  const grant = { consentId, consentRequestId: randomUUID(), scopes, status: 'ISSUED' }
  const toPisp = to(pisp.name, 'consents')
  expect((await dfsp.send('POST', '/consents', grant, toPisp)).status).toBe(202)
  await pisp.await((sent) => sent.method === 'POST' && sent.path === '/consents')

  const key = createGenericKey()
  const signature = key.sign(consentChallenge({ consentId, scopes }).toString('base64url'))
  const genericPayload = { publicKey: key.publicKey, signature }
  const credential = { credentialType: 'GENERIC', status: 'PENDING', genericPayload }
  const registration = { ...grant, credential }
  const toAuth = to(authService, 'consents')
  expect((await dfsp.send('POST', '/consents', registration, toAuth)).status).toBe(202)
  const verified = await dfsp.await((sent) => sent.method === 'PUT' && sent.path === path)
  expect(verified.headers['fspiop-source']).toBe(authService)
  expect(verified.json()).toMatchObject({
    scopes,
    credential: { status: 'VERIFIED', genericPayload },
  })

  const asked = await pisp.send('DELETE', path, undefined, to(dfsp.name, 'consents', 'DELETE'))
  expect(asked.status).toBe(202)
  for (const fsp of [dfsp, pisp]) {
    const told = await fsp.await((sent) => sent.method === 'PATCH' && sent.path === path)
    expect(told.headers['fspiop-source']).toBe(authService)
    expect(told.json()).toMatchObject({ status: 'REVOKED' })
  }
  expect(dfsp.received.some(({ method }) => method === 'DELETE')).toBe(false)

  const query = await dfsp.send('GET', path, undefined, to(authService, 'consents', 'GET'))
  expect(query.status).toBe(202)
  const refused = await dfsp.await((sent) => sent.path === `${path}/error`)
  expect(refused.json()).toMatchObject({ errorInformation: { errorCode: '6103' } })
})

test('the hub tells who serves accounts, and is joined by PISPs without a currency', async () => {
  const { operator } = scheme
  await answered(operator.call('POST', '/participants', { name: 'pisp-consent', type: 'PISP' }))
  const endpoint = { type: 'TP_CB_URL_CONSENT_REQUEST_POST', value: dfsp.url }
  await answered(operator.call('POST', `/participants/${dfsp.name}/endpoints`, endpoint))
  const headers = { ...to('', 'services', 'GET'), 'fspiop-destination': undefined }
  await pisp.send('GET', '/services/THIRD_PARTY_DFSP', undefined, headers)
  const told = await pisp.await((sent) => sent.path === '/services/THIRD_PARTY_DFSP')
  const { providers } = told.json() as { readonly providers: readonly string[] }
  expect(providers.filter((name) => name.endsWith('-consent'))).toEqual([dfsp.name])
})
