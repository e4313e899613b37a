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

describe('Messages to the hosted auth service', () => {
  test('A registration becomes an event with its bytes', async () => {
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
  ])('A registration with %j is refused: %s', async (changed, outcome) => {
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

  test('A verification becomes an event with its bytes', async () => {
    expect(await edge.outcomeOf(verify)).toBe('202')
    const sentOn = edge.onlyMessage()
    expect(sentOn).toMatchObject({ name: 'VerificationReceived', key: id, body: verify.body })
    expect(sentOn.payload).toMatchObject({ ...requester, verificationRequestId: id, consentId: id })
  })

  test('A query for a verification becomes an event', async () => {
    const operation = 'GET /thirdpartyRequests/verifications/{ID}'
    const sent = thirdPartyMessage(operation, { source: dfsp, changed: toAuth })
    expect(await edge.outcomeOf(sent)).toBe('202')
    const sentOn = edge.onlyMessage()
    expect(sentOn.name).toBe('VerificationQueryReceived')
    expect(sentOn.payload).toEqual({ ...requester, verificationRequestId: id })
  })

  test('A message to the auth service with encrypted members is refused', async () => {
    for (const sent of [registration, verify]) {
      expect(await edge.outcomeOf(withHeaders(sent, encrypting('extensionList')))).toMatch(
        /^400 3100 .*does not decrypt$/,
      )
    }
    expect(await edge.outcomeOf(withHeaders(registration, encrypting('credential')))).toBe(
      '400 3100 header fspiop-encryption: the auth service of the hub does not decrypt',
    )
    expect(edge.published).toEqual([])
  })

  test('A message to an auth service is relayed when the hub hosts none', async () => {
    const apart = openEdge({ AUTH_SERVICE_PARTICIPANT: '' })
    expect(await apart.outcomeOf(registration)).toBe('202')
    // No participant has this name, and the sender receives an error.
    const sentOn = apart.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${dfsp}: PUT http://${dfsp}.example/consents/${id}/error`,
    ])
  })
})

describe.each(['GET', 'DELETE'])('%s /consents/{ID}', (method) => {
  const sent = thirdPartyMessage(`${method} /consents/{ID}`, { source: pisp })

  test('A query or revocation is for the auth service when it is the registered owner, with any header', async () => {
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

  test('A query or revocation is for the auth service when the header names it and the consent has no owner', async () => {
    await edge.outcomeOf(withHeaders(sent, toAuth))
    expect(edge.onlyMessage().name).toMatch(/^Consent(Query|Revocation)Received$/)
  })

  test('A query or revocation of a consent without an owner is sent to the FSP of the header', async () => {
    await edge.outcomeOf(sent)
    expect(deliveries([edge.onlyMessage()])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
  })

  test('A query or revocation is sent to another owner with the headers that its sender signed', async () => {
    edge.consentOwners.set(id, { type: 'FOUND', fspId: dfsp })
    await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': 'sleeper' }))
    const sentOn = edge.onlyMessage()
    expect(deliveries([sentOn])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
    expect(sentOn.headers).toMatchObject({ 'fspiop-destination': 'sleeper' })
    expect(sentOn.payload['headers']).toEqual({ 'fspiop-destination': 'sleeper' })
  })

  test('A query or revocation by the owner itself is sent to the FSP that it names', async () => {
    edge.consentOwners.set(id, { type: 'FOUND', fspId: pisp })
    await edge.outcomeOf(sent)
    expect(deliveries([edge.onlyMessage()])).toEqual([
      `${dfsp}: ${method} http://${dfsp}.example/consents/${id}`,
    ])
  })

  test('A query or revocation is refused while the owner cannot be read', async () => {
    edge.consentOwners.set(id, { type: 'UNAVAILABLE' })
    expect(await edge.outcomeOf(sent)).toMatch(/^503 2003 the owner cannot be read/)
    expect(edge.published).toEqual([])
  })
})

/** The names of the published messages, and the payload of the event. */
function publishedNow() {
  const sentOn = edge.published.splice(0).map(publishedMessage)
  const event = sentOn.find(({ name }) => name !== 'NotifyRequested')
  return { names: sentOn.map(({ name }) => name).toSorted(), payload: event?.payload }
}

describe('The parties of a consent', () => {
  test('The parties of a consent are recorded when a DFSP grants it', async () => {
    await edge.outcomeOf(thirdPartyMessage('POST /consents', { source: dfsp, body: grant }))
    expect(publishedNow()).toEqual({
      names: ['ConsentPartiesObserved', 'NotifyRequested'],
      payload: { consentId: id, dfspId: dfsp, pispId: pisp, consentRequestId: id },
    })
  })

  test('The parties of a consent are recorded when a PISP sends its credential', async () => {
    const body = { scopes, credential }
    await edge.outcomeOf(thirdPartyMessage('PUT /consents/{ID}', { source: pisp, body }))
    expect(publishedNow()).toEqual({
      names: ['ConsentPartiesObserved', 'NotifyRequested'],
      payload: { consentId: id, dfspId: dfsp, pispId: pisp },
    })
  })

  test('The parties of a consent are not recorded from messages to and from an external auth service', async () => {
    const body = { ...grant, credential }
    await edge.outcomeOf(thirdPartyMessage('POST /consents', { source: dfsp, body }))
    const verified = { scopes, credential: { ...credential, status: 'VERIFIED' } }
    await edge.outcomeOf(thirdPartyMessage('PUT /consents/{ID}', { source: dfsp, body: verified }))
    expect(publishedNow().names).toEqual(['NotifyRequested', 'NotifyRequested'])
  })

  test('The parties of a consent are not recorded from an encrypted credential for an external auth service', async () => {
    const body = { ...grant, credential: 'BN7x2SpBZSFMDQQ' }
    const sent = thirdPartyMessage('POST /consents', { source: dfsp, body })
    expect(await edge.outcomeOf(withHeaders(sent, encrypting('credential')))).toBe('202')
    expect(publishedNow().names).toEqual(['NotifyRequested'])
  })
})

describe('Consents that a DFSP revokes', () => {
  const revoked = { status: 'REVOKED', revokedAt: '2027-03-02T09:15:30.123+01:00' }
  const patch = (body: object, changed = {}) =>
    thirdPartyMessage('PATCH /consents/{ID}', { source: dfsp, body, changed })

  test('A consent that a DFSP revokes is revoked for the auth service too, as of the same moment', async () => {
    expect(await edge.outcomeOf(patch(revoked))).toBe('200')
    expect(publishedNow()).toEqual({
      names: ['ConsentRevocationReceived', 'NotifyRequested'],
      payload: {
        ...requester,
        consentId: id,
        destinationFspId: pisp,
        revokedAt: '2027-03-02T08:15:30.123Z',
      },
    })
  })

  test('A revocation without a time takes effect when it was received', async () => {
    await edge.outcomeOf(patch({ status: 'REVOKED' }))
    expect(publishedNow().payload).toMatchObject({ revokedAt: '2026-11-21T10:00:00.000Z' })
  })

  test('A revocation to the auth service alone is not relayed', async () => {
    await edge.outcomeOf(patch(revoked, toAuth))
    expect(publishedNow().names).toEqual(['ConsentRevocationReceived'])
  })

  test('A patch that changes only the credential is sent to the PISP alone', async () => {
    await edge.outcomeOf(patch({ credential: { status: 'VERIFIED' } }))
    expect(publishedNow().names).toEqual(['NotifyRequested'])
  })
})
