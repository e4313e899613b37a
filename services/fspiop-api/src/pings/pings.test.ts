import { expect, test } from '@jest/globals'
import { refuse } from '../refusals.ts'
import { deliveries, openEdge, receivedAt, callbacksFor } from '../testing/edge.ts'
import { id, mediaType, message, withHeaders } from '../testing/messages.ts'

const ping = message('POST', '/pings', { pingId: id })

test('A ping becomes an event with the identity of its FSP and the key that signed it', async () => {
  const edge = openEdge({ EDGE_IDENTITY: 'mtls', checkSignature: () => ({ kid: 'key-1' }) })
  expect(await edge.outcomeOf(ping)).toBe('202')
  expect(edge.onlyMessage()).toMatchObject({
    name: 'PingReceived',
    key: id,
    payload: {
      pingId: id,
      requesterFspId: 'greenbank',
      version: '1.0',
      identity: 'mtls',
      kid: 'key-1',
      receivedAt,
    },
  })
})

test('An FSP that is not active yet may ping, an unknown one may not', async () => {
  const edge = openEdge()
  expect(await edge.outcomeOf(withHeaders(ping, { 'fspiop-source': 'sleeper' }))).toBe('202')
  expect(await edge.outcomeOf(withHeaders(ping, { 'fspiop-source': 'nobody' }))).toMatch(
    /^400 3200/,
  )
})

test('A ping without a signature or without an id is refused', async () => {
  const edge = openEdge({ checkSignature: () => refuse('SIGNATURE_MISSING') })
  expect(await edge.outcomeOf(ping)).toBe('400 3105 header fspiop-signature is missing')
  const unsigned = openEdge()
  expect(await unsigned.outcomeOf({ ...ping, body: '{}' })).toBe('400 3102 /pingId')
  expect(await unsigned.outcomeOf({ ...ping, body: '{"pingId":"x"}' })).toBe(
    '400 3101 /pingId: not a legal CorrelationId',
  )
})

test('The hub pings in return, and the delivery is reported', async () => {
  const published = await callbacksFor(openEdge(), 'PingAccepted', {
    pingId: id,
    requesterFspId: 'greenbank',
    version: '1.0',
    receivedAt,
  })
  expect(deliveries(published)).toEqual([`greenbank: PUT http://greenbank.example/pings/${id}`])
  expect(published[0]?.payload).toMatchObject({
    reportRequired: true,
    headers: { 'content-type': mediaType('1.0', 'pings'), 'fspiop-source': 'Hub' },
  })
  expect(published[0]?.body).toBe(JSON.stringify({ receivedAt }))
})
