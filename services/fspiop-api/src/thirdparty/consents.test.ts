import { afterEach, describe, expect, test } from '@jest/globals'
import { deliveries, openEdge, publishedMessage } from '../testing/edge.ts'
import { id, withHeaders, withMembers } from '../testing/messages.ts'
import {
  credential,
  dfsp,
  grant,
  pisp,
  scopes,
  thirdPartyMessage,
  verification,
} from '../testing/thirdparty.ts'

const authService = 'centralAuth'
const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
  edge.consentOwners.clear()
})

const toAuth = { 'fspiop-destination': authService }
const registration = thirdPartyMessage('POST /consents', {
  source: dfsp,
  body: { ...grant, credential },
  changed: toAuth,
})
const requester = { requesterFspId: dfsp, version: '1.0' }

function encrypting(fieldName: string) {
  const field = {
    fieldName,
    encryptedKey: 'a2V5',
    protectedHeader: 'e30',
    initializationVector: 'aXY',
    authenticationTag: 'dGFn',
  }
  return { 'fspiop-encryption': JSON.stringify({ encryptedFields: [field] }) }
}

describe('what is meant for the auth service of the hub', () => {
  test('a registration becomes an event with its bytes', async () => {
    expect(await edge.outcomeOf(registration)).toBe('202')
    const sentOn = edge.onlyMessage()
    expect(sentOn).toMatchObject({ name: 'ConsentRegistrationReceived', key: id })
    expect(sentOn.payload).toEqual({
      ...requester,
      consentId: id,
      receivedAt: '2026-11-21T10:00:00.000Z',
    })
    expect(sentOn.body).toBe(registration.body)
  })

  test.each([
    [{ credential: undefined }, '400 3102 /credential'],
    [{ scopes: [] }, '400 3100 /scopes'],
    [{ consentId: '1' }, '400 3101 /consentId'],
    [{ status: 'GIVEN' }, '400 3101 /status'],
  ])('a registration with %j is refused: %s', async (changed, outcome) => {
    expect(
      (await edge.outcomeOf(withMembers(registration, changed))).slice(0, outcome.length),
    ).toBe(outcome)
    expect(edge.published).toEqual([])
  })

  const verify = thirdPartyMessage('POST /thirdpartyRequests/verifications', {
    source: dfsp,
    body: verification,
    changed: toAuth,
  })

  test('a verification becomes an event with its bytes', async () => {
    expect(await edge.outcomeOf(verify)).toBe('202')
    const sentOn = edge.onlyMessage()
    expect(sentOn).toMatchObject({ name: 'VerificationReceived', key: id, body: verify.body })
    expect(sentOn.payload).toMatchObject({ ...requester, verificationRequestId: id, consentId: id })
  })

  test('a question for a verification becomes an event', async () => {
    const operation = 'GET /thirdpartyRequests/verifications/{ID}'
    const sent = thirdPartyMessage(operation, { source: dfsp, changed: toAuth })
    expect(await edge.outcomeOf(sent)).toBe('202')
    const sentOn = edge.onlyMessage()
    expect(sentOn.name).toBe('VerificationQueryReceived')
    expect(sentOn.payload).toEqual({ ...requester, verificationRequestId: id })
  })

  test('may hold nothing encrypted', async () => {
    for (const sent of [registration, verify]) {
      expect(await edge.outcomeOf(withHeaders(sent, encrypting('extensionList')))).toMatch(
        /^400 3100 .*decrypts nothing$/,
      )
    }
    expect(await edge.outcomeOf(withHeaders(registration, encrypting('credential')))).toBe(
      '400 3100 header fspiop-encryption: the auth service of the hub decrypts nothing',
    )
    expect(edge.published).toEqual([])
  })

  test('is passed on where the hub hosts none', async () => {
    const apart = openEdge({ AUTH_SERVICE_PARTICIPANT: '' })
    expect(await apart.outcomeOf(registration)).toBe('202')
    // Nobody has this name, and its sender is told so.
    const sentOn = apart.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${dfsp}: PUT http://${dfsp}.example/consents/${id}/error`,
    ])
  })
})

describe.each(['GET', 'DELETE'])('%s /consents/{ID}', (method) => {
  const sent = thirdPartyMessage(`${method} /consents/{ID}`, { source: pisp })

  test('is for the auth service when the look-up names it, whatever the header says', async () => {
    edge.consentOwners.set(id, { type: 'FOUND', fspId: authService })
    expect(await edge.outcomeOf(sent)).toBe('202')
    const sentOn = edge.onlyMessage()
    const asked = { consentId: id, requesterFspId: pisp, version: '1.0' }
    if (method === 'GET') {
      expect(sentOn.name).toBe('ConsentQueryReceived')
      expect(sentOn.payload).toEqual(asked)
    } else {
      expect(sentOn.name).toBe('ConsentRevocationReceived')
      expect(sentOn.payload).toEqual({ ...asked, destinationFspId: dfsp })
    }
  })

  test('is for the auth service when the header names it and nobody owns the consent', async () => {
    await edge.outcomeOf(withHeaders(sent, toAuth))
    expect(edge.onlyMessage().name).toMatch(/^Consent(Query|Revocation)Received$/)
  })

  test('goes to the FSP of the header when nobody owns the consent', async () => {
    await edge.outcomeOf(sent)
    expect(deliveries([edge.onlyMessage()])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
  })

  test('goes to another owner with the headers that its sender signed', async () => {
    edge.consentOwners.set(id, { type: 'FOUND', fspId: dfsp })
    await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': 'sleeper' }))
    const sentOn = edge.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
    expect(sentOn.headers).toMatchObject({ 'fspiop-destination': 'sleeper' })
    expect(sentOn.payload['headers']).toEqual({ 'fspiop-destination': 'sleeper' })
  })

  test('of the owner itself goes to the FSP that it names', async () => {
    edge.consentOwners.set(id, { type: 'FOUND', fspId: pisp })
    await edge.outcomeOf(sent)
    expect(deliveries([edge.onlyMessage()])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
  })

  test('is not taken while the owner cannot be known', async () => {
    edge.consentOwners.set(id, { type: 'AWAY' })
    expect(await edge.outcomeOf(sent)).toMatch(/^503 2003 the owner of the consent/)
    expect(edge.published).toEqual([])
  })
})

/** The names of what is published, and the payload of the event. */
function besides() {
  const sentOn = edge.published.splice(0).map(publishedMessage)
  const event = sentOn.find(({ name }) => name !== 'NotifyRequested')
  return { names: sentOn.map(({ name }) => name).toSorted(), payload: event?.payload }
}

describe('between whom a consent is', () => {
  test('is seen when a DFSP grants it', async () => {
    await edge.outcomeOf(thirdPartyMessage('POST /consents', { source: dfsp, body: grant }))
    expect(besides()).toEqual({
      names: ['ConsentPartiesObserved', 'NotifyRequested'],
      payload: { consentId: id, dfspId: dfsp, pispId: pisp, consentRequestId: id },
    })
  })

  test('is seen when a PISP sends its credential', async () => {
    const body = { scopes, credential }
    await edge.outcomeOf(thirdPartyMessage('PUT /consents/{ID}', { source: pisp, body }))
    expect(besides()).toEqual({
      names: ['ConsentPartiesObserved', 'NotifyRequested'],
      payload: { consentId: id, dfspId: dfsp, pispId: pisp },
    })
  })

  test('is not seen in what an auth service outside the hub is sent, or has verified', async () => {
    const body = { ...grant, credential }
    await edge.outcomeOf(thirdPartyMessage('POST /consents', { source: dfsp, body }))
    const verified = { scopes, credential: { ...credential, status: 'VERIFIED' } }
    await edge.outcomeOf(thirdPartyMessage('PUT /consents/{ID}', { source: dfsp, body: verified }))
    expect(besides().names).toEqual(['NotifyRequested', 'NotifyRequested'])
  })

  test('is not seen where the credential for such an auth service is encrypted', async () => {
    const body = { ...grant, credential: 'BN7x2SpBZSFMDQQ' }
    const sent = thirdPartyMessage('POST /consents', { source: dfsp, body })
    expect(await edge.outcomeOf(withHeaders(sent, encrypting('credential')))).toBe('202')
    expect(besides().names).toEqual(['NotifyRequested'])
  })
})

describe('a consent that a DFSP revokes', () => {
  const revoked = { status: 'REVOKED', revokedAt: '2027-03-02T09:15:30.123+01:00' }
  const patch = (body: object, changed = {}) =>
    thirdPartyMessage('PATCH /consents/{ID}', { source: dfsp, body, changed })

  test('is revoked for the auth service too, as of the same moment', async () => {
    expect(await edge.outcomeOf(patch(revoked))).toBe('200')
    expect(besides()).toEqual({
      names: ['ConsentRevocationReceived', 'NotifyRequested'],
      payload: {
        ...requester,
        consentId: id,
        destinationFspId: pisp,
        revokedAt: '2027-03-02T08:15:30.123Z',
      },
    })
  })

  test('without a time is revoked when the message came', async () => {
    await edge.outcomeOf(patch({ status: 'REVOKED' }))
    expect(besides().payload).toMatchObject({ revokedAt: '2026-11-21T10:00:00.000Z' })
  })

  test('at the auth service alone is passed on to nobody', async () => {
    await edge.outcomeOf(patch(revoked, toAuth))
    expect(besides().names).toEqual(['ConsentRevocationReceived'])
  })

  test('is told the PISP alone where its credential is what has changed', async () => {
    await edge.outcomeOf(patch({ credential: { status: 'VERIFIED' } }))
    expect(besides().names).toEqual(['NotifyRequested'])
  })
})
