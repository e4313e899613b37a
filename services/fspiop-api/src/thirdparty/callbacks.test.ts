import type { Payload } from '@causeway/events'
import { expect, test } from '@jest/globals'
import { deliveries, openEdge, reachable, tell, type Said } from '../testing/edge.ts'
import { id } from '../testing/messages.ts'
import { credential, dfsp, pisp, scopes } from '../testing/thirdparty.ts'

const edge = openEdge()
const asker = { requesterFspId: dfsp, version: '1.0' }
const errorInformation = { errorCode: '6200', errorDescription: 'Invalid Consent Credential' }

function headersOf(said: Said | undefined): unknown {
  return (said?.payload as Payload<'NotifyRequested'> | undefined)?.headers
}

/** In the name of the auth service, on this path, to this FSP. */
function spoken(method: string, path: string, destination: string) {
  return {
    'content-type': `application/vnd.interoperability.${path.split('/')[1]}+json;version=1.0`,
    date: 'Sat, 21 Nov 2026 10:00:00 GMT',
    'fspiop-source': 'centralAuth',
    'fspiop-destination': destination,
    'fspiop-http-method': method,
    'fspiop-uri': path,
  }
}

test('a registered consent is told its DFSP with the body that was stored', async () => {
  const body = { scopes, credential: { ...credential, status: 'VERIFIED' }, status: 'ISSUED' }
  const said = await tell(edge, 'ConsentRegistered', { ...asker, consentId: id, body })
  const path = `/consents/${id}`
  expect(deliveries(said)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}`])
  expect(said[0]?.body).toBe(JSON.stringify(body))
  expect(headersOf(said[0])).toEqual(spoken('PUT', path, dfsp))
  expect(said[0]?.key).toBe(id)
})

test('a refused consent is told who asked', async () => {
  const payload = { ...asker, requesterFspId: pisp, consentId: id, errorInformation }
  const said = await tell(edge, 'ConsentRefused', payload)
  const path = `/consents/${id}/error`
  expect(deliveries(said)).toEqual([`${pisp}: PUT http://${pisp}.example${path}`])
  expect(JSON.parse(said[0]?.body ?? '')).toEqual({ errorInformation })
  expect(headersOf(said[0])).toEqual(spoken('PUT', path, pisp))
})

test('a revoked consent is told each recipient by itself, whatever becomes of the other', async () => {
  const revokedAt = '2027-03-02T08:15:30.123Z'
  const recipients = [pisp, dfsp, 'nobody'].map((fspId) => ({ fspId, version: '1.0' }))
  const said = await tell(edge, 'ConsentRevoked', { consentId: id, revokedAt, recipients })
  const path = `/consents/${id}`
  expect(deliveries(said)).toEqual([
    `${pisp}: PATCH http://${pisp}.example${path}`,
    `${dfsp}: PATCH http://${dfsp}.example${path}`,
  ])
  for (const one of said) {
    expect(JSON.parse(one.body ?? '')).toEqual({ status: 'REVOKED', revokedAt })
  }
  expect(said.map(headersOf)).toEqual([spoken('PATCH', path, pisp), spoken('PATCH', path, dfsp)])
  const ids = said.map(({ payload }) => payload['notificationId'])
  expect(new Set(ids).size).toBe(2)
})

test('a verification is answered by its own id, in either way', async () => {
  const answered = { ...asker, verificationRequestId: id, consentId: 'another' }
  const path = `/thirdpartyRequests/verifications/${id}`
  const good = await tell(edge, 'VerificationAnswered', {
    ...answered,
    result: { authenticationResponse: 'VERIFIED' },
  })
  expect(deliveries(good)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}`])
  expect(good[0]?.body).toBe('{"authenticationResponse":"VERIFIED"}')
  expect(headersOf(good[0])).toEqual(spoken('PUT', path, dfsp))
  const bad = await tell(edge, 'VerificationAnswered', {
    ...answered,
    result: { errorInformation },
  })
  expect(deliveries(bad)).toEqual([`${dfsp}: PUT http://${dfsp}.example${path}/error`])
  expect(JSON.parse(bad[0]?.body ?? '')).toEqual({ errorInformation })
})

test('what the auth service says goes to an inactive FSP too', async () => {
  const payload = { ...asker, requesterFspId: 'sleeper', consentId: id, errorInformation }
  expect(deliveries(await tell(edge, 'ConsentRefused', payload))).toHaveLength(1)
})

test('the auth service is told nothing by a callback: it hears of it by the event', async () => {
  edge.participants.set('centralAuth', reachable('centralAuth'))
  const association = {
    partyKey: `CONSENTS/${id}`,
    partyIdType: 'CONSENTS',
    partyIdentifier: id,
    requesterFspId: 'centralAuth',
    version: '1.1',
  }
  const fspId = 'centralAuth'
  expect(await tell(edge, 'ParticipantAssociationCreated', { ...association, fspId })).toEqual([])
  const refused = { ...association, errorInformation }
  expect(await tell(edge, 'ParticipantAssociationRequestRefused', refused)).toEqual([])
})
