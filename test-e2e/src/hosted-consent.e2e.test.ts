/**
 * A consent that the auth service of the hub hosts for a DFSP: registered, queried, protected from
 * other DFSPs, revoked.
 */
import { createGenericKey } from '@causeway/fsp'
import { consentChallenge } from '@causeway/fspiop'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp, Received } from './fsp/fsp.ts'
import { answered } from './operator/operator.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'

const authService = 'centralAuth'
let scheme: Scheme
let dfsp: Fsp
let pisp: Fsp
let otherDfsp: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  dfsp = await scheme.join('greenbank-consent')
  pisp = await scheme.join('bluewallet-consent')
  otherDfsp = await scheme.join('redmoney-consent')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

function to(fspId: string, resource: string, method = 'POST') {
  const type = `application/vnd.interoperability.${resource}+json;version=1.0`
  const accept = method === 'PUT' || method === 'PATCH' ? undefined : type
  return { 'fspiop-destination': fspId, 'content-type': type, accept }
}

interface Consent {
  readonly consentId: string
  readonly path: string
  readonly grant: object
  /** With a key of its own. */
  readonly registration: object
  readonly publicKey: string
}

function newConsent(consentId: string = randomUUID()): Consent {
  const scopes = [{ address: 'greenbank-consent.1', actions: ['ACCOUNTS_TRANSFER'] }]
  const grant = { consentId, consentRequestId: randomUUID(), scopes, status: 'ISSUED' }
  const key = createGenericKey()
  const { publicKey } = key
  const signature = key.sign(consentChallenge({ consentId, scopes }).toString('base64url'))
  const genericPayload = { publicKey, signature }
  const credential = { credentialType: 'GENERIC', status: 'PENDING', genericPayload }
  const registration = { ...grant, credential }
  return { consentId, path: `/consents/${consentId}`, grant, registration, publicKey }
}

async function grant(by: Fsp, { grant: body, consentId }: Consent): Promise<void> {
  const { status } = await by.send('POST', '/consents', body, to(pisp.name, 'consents'))
  expect(status).toBe(202)
  await pisp.await(
    ({ method, path, headers, json }) =>
      method === 'POST' &&
      path === '/consents' &&
      headers['fspiop-source'] === by.name &&
      (json() as { readonly consentId: string }).consentId === consentId,
  )
}

/** The callback to the registration: the registered consent, or the error. */
async function registered(by: Fsp, { registration, path }: Consent): Promise<Received> {
  const after = by.received.length
  const { status } = await by.send('POST', '/consents', registration, to(authService, 'consents'))
  expect(status).toBe(202)
  return by.await((sent) => sent.method === 'PUT' && sent.path.startsWith(path), { after })
}

/** The credential that GET shows to the PISP. */
async function keyShownTo(fsp: Fsp, { path }: Consent): Promise<unknown> {
  const after = fsp.received.length
  await fsp.send('GET', path, undefined, to(authService, 'consents', 'GET'))
  const shown = await fsp.await((sent) => sent.path.startsWith(path), { after })
  const { credential } = shown.json() as {
    readonly credential?: { readonly genericPayload: { readonly publicKey: string } }
  }
  return credential?.genericPayload.publicKey
}

test('A consent is at the auth service until it is revoked for both', async () => {
  const consent = newConsent()
  const { path, publicKey } = consent
  await grant(dfsp, consent)
  const verified = await registered(dfsp, consent)
  expect(verified.path).toBe(path)
  expect(verified.headers['fspiop-source']).toBe(authService)
  expect(verified.json()).toMatchObject({
    scopes: [{ address: 'greenbank-consent.1' }],
    credential: { status: 'VERIFIED', genericPayload: { publicKey } },
  })

  const asked = await pisp.send('DELETE', path, undefined, to(dfsp.name, 'consents', 'DELETE'))
  expect(asked.status).toBe(202)
  for (const fsp of [dfsp, pisp]) {
    const callback = await fsp.await((sent) => sent.method === 'PATCH' && sent.path === path)
    expect(callback.headers['fspiop-source']).toBe(authService)
    expect(callback.json()).toMatchObject({ status: 'REVOKED' })
  }
  expect(dfsp.received.some(({ method }) => method === 'DELETE')).toBe(false)

  const query = await dfsp.send('GET', path, undefined, to(authService, 'consents', 'GET'))
  expect(query.status).toBe(202)
  const refused = await dfsp.await((sent) => sent.path === `${path}/error`)
  expect(refused.json()).toMatchObject({ errorInformation: { errorCode: '6103' } })
})

describe('The id of a registered consent', () => {
  test.each([
    ['another DFSP', () => otherDfsp],
    ['its own DFSP with other content', () => dfsp],
  ])(
    'The id of a registered consent is refused with 3106 to %s, and the consent is not changed',
    async (_who, sender) => {
      const consent = newConsent()
      await grant(dfsp, consent)
      await registered(dfsp, consent)
      const again = newConsent(consent.consentId)
      const answer = await registered(sender(), again)
      expect(answer.path).toBe(`${consent.path}/error`)
      expect(answer.json()).toMatchObject({ errorInformation: { errorCode: '3106' } })
      expect(await keyShownTo(pisp, consent)).toBe(consent.publicKey)
      expect((await registered(dfsp, consent)).path).toBe(consent.path)
    },
  )

  test('A consent id belongs to the DFSP that registered it first, also if another one grants it later', async () => {
    const first = newConsent()
    expect((await registered(otherDfsp, first)).path).toBe(first.path)
    const granted = newConsent(first.consentId)
    await grant(dfsp, granted)
    const answer = await registered(dfsp, granted)
    expect(answer.json()).toMatchObject({ errorInformation: { errorCode: '3106' } })
    expect(await keyShownTo(otherDfsp, first)).toBe(first.publicKey)
    expect(await keyShownTo(pisp, first)).toBeUndefined()
  })

  test('A consent whose id another DFSP grants to a PISP stays with its own DFSP and PISP', async () => {
    const consent = newConsent()
    await grant(dfsp, consent)
    await registered(dfsp, consent)
    await grant(otherDfsp, newConsent(consent.consentId))
    const { path } = consent
    await pisp.send('DELETE', path, undefined, to(dfsp.name, 'consents', 'DELETE'))
    for (const fsp of [dfsp, pisp]) {
      const callback = await fsp.await((sent) => sent.method === 'PATCH' && sent.path === path)
      expect(callback.json()).toMatchObject({ status: 'REVOKED' })
    }
    expect(otherDfsp.received.some((sent) => sent.path.startsWith(path))).toBe(false)
  })
})

test('The hub lists the DFSPs that serve accounts, and PISPs join it without a currency', async () => {
  const { operator } = scheme
  await answered(operator.call('POST', '/participants', { name: 'pisp-consent', type: 'PISP' }))
  const endpoint = { type: 'TP_CB_URL_CONSENT_REQUEST_POST', value: dfsp.url }
  await answered(operator.call('POST', `/participants/${dfsp.name}/endpoints`, endpoint))
  const headers = { ...to('', 'services', 'GET'), 'fspiop-destination': undefined }
  await pisp.send('GET', '/services/THIRD_PARTY_DFSP', undefined, headers)
  const callback = await pisp.await((sent) => sent.path === '/services/THIRD_PARTY_DFSP')
  const { providers } = callback.json() as { readonly providers: readonly string[] }
  expect(providers.filter((name) => name.endsWith('-consent'))).toEqual([dfsp.name])
})
