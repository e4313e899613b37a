import type { Payload } from '@causeway/events'
import { expect, test } from '@jest/globals'
import {
  deliveries,
  openEdge,
  reachable,
  callbacksFor,
  type PublishedMessage,
} from '../testing/edge.ts'
import { id } from '../testing/messages.ts'
import { credential, dfsp, pisp, scopes } from '../testing/thirdparty.ts'

const edge = openEdge()
const requester = { requesterFspId: dfsp, version: '1.0' }
const errorInformation = { errorCode: '6200', errorDescription: 'Invalid Consent Credential' }

function headersOf(published: PublishedMessage | undefined): unknown {
  return (published?.payload as Payload<'NotifyRequested'> | undefined)?.headers
}

/** A callback in the name of the auth service, on this path, to this FSP. */
function versions(method: string, path: string, destination: string) {
  const mediaType = `application/vnd.interoperability.${path.split('/')[1]}+json;version=1.0`
  return {
    'content-type': mediaType,
    ...(method === 'PATCH' ? { accept: mediaType } : {}),
    date: 'Sat, 21 Nov 2026 10:00:00 GMT',
    'fspiop-source': 'centralAuth',
    'fspiop-destination': destination,
    'fspiop-http-method': method,
    'fspiop-uri': path,
  }
}

test('A registered consent is sent to its DFSP with the stored body', async () => {
  const body = { scopes, credential: { ...credential, status: 'VERIFIED' }, status: 'ISSUED' }
  const published = await callbacksFor(edge, 'ConsentRegistered', {
    ...requester,
    consentId: id,
    body,
  })
  const path = `/consents/${id}`
  expect(deliveries(published)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}`])
  expect(JSON.parse(published[0]?.body ?? '')).toEqual(body)
  expect(headersOf(published[0])).toEqual(versions('PUT', path, dfsp))
  expect(published[0]?.key).toBe(id)
})

test('The refusal of a consent is sent to the requester', async () => {
  const payload = { ...requester, requesterFspId: pisp, consentId: id, errorInformation }
  const published = await callbacksFor(edge, 'ConsentRefused', payload)
  const path = `/consents/${id}/error`
  expect(deliveries(published)).toEqual([`${pisp}: PUT http://${pisp}.example${path}`])
  expect(JSON.parse(published[0]?.body ?? '')).toEqual({ errorInformation })
  expect(headersOf(published[0])).toEqual(versions('PUT', path, pisp))
})

test('A revoked consent is sent to each recipient separately, so that the failure of one does not affect the other', async () => {
  const revokedAt = '2027-03-02T08:15:30.123Z'
  const recipients = [pisp, dfsp, 'nobody'].map((fspId) => ({ fspId, version: '1.0' }))
  const published = await callbacksFor(edge, 'ConsentRevoked', {
    consentId: id,
    revokedAt,
    recipients,
  })
  const path = `/consents/${id}`
  expect(deliveries(published)).toEqual([
    `${pisp}: PATCH http://${pisp}.example${path}`,
    `${dfsp}: PATCH http://${dfsp}.example${path}`,
  ])
  for (const one of published) {
    expect(JSON.parse(one.body ?? '')).toEqual({ status: 'REVOKED', revokedAt })
  }
  expect(published.map(headersOf)).toEqual([
    versions('PATCH', path, pisp),
    versions('PATCH', path, dfsp),
  ])
  const ids = published.map(({ payload }) => payload['notificationId'])
  expect(new Set(ids).size).toBe(2)
})

test('A verification, successful or not, is answered under its own id', async () => {
  const answered = { ...requester, verificationRequestId: id, consentId: 'another' }
  const path = `/thirdpartyRequests/verifications/${id}`
  const good = await callbacksFor(edge, 'VerificationAnswered', {
    ...answered,
    result: { authenticationResponse: 'VERIFIED' },
  })
  expect(deliveries(good)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}`])
  expect(good[0]?.body).toBe('{"authenticationResponse":"VERIFIED"}')
  expect(headersOf(good[0])).toEqual(versions('PUT', path, dfsp))
  const bad = await callbacksFor(edge, 'VerificationAnswered', {
    ...answered,
    result: { errorInformation },
  })
  expect(deliveries(bad)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}/error`])
  expect(JSON.parse(bad[0]?.body ?? '')).toEqual({ errorInformation })
})

test('Messages of the auth service are sent to an inactive FSP too', async () => {
  const payload = { ...requester, requesterFspId: 'sleeper', consentId: id, errorInformation }
  expect(deliveries(await callbacksFor(edge, 'ConsentRefused', payload))).toHaveLength(1)
})

test('The auth service receives no callback: it consumes the event', async () => {
  edge.participants.set('centralAuth', reachable('centralAuth'))
  const association = {
    partyKey: `CONSENTS/${id}`,
    partyIdType: 'CONSENTS',
    partyIdentifier: id,
    requesterFspId: 'centralAuth',
    version: '1.1',
  }
  const fspId = 'centralAuth'
  expect(
    await callbacksFor(edge, 'ParticipantAssociationCreated', { ...association, fspId }),
  ).toEqual([])
  const refused = { ...association, errorInformation }
  expect(await callbacksFor(edge, 'ParticipantAssociationRequestRefused', refused)).toEqual([])
})
