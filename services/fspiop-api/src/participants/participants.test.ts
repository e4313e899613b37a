import { afterEach, describe, expect, test } from '@jest/globals'
import { deliveries, openEdge, callbacksFor } from '../testing/edge.ts'
import {
  errorInformation,
  id,
  mediaType,
  message,
  participantsRequest,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

const path = '/participants/PERSONAL_ID/A12345/PASSPORT'
const party = {
  partyKey: 'PERSONAL_ID/A12345/PASSPORT',
  partyIdType: 'PERSONAL_ID',
  partyIdentifier: 'A12345',
  partySubIdOrType: 'PASSPORT',
}
const requester = { requesterFspId: 'greenbank', version: '1.1' }

describe('Requests about one party', () => {
  const associate = message('POST', path, { fspId: 'greenbank' })

  test('A participant query becomes its event', async () => {
    expect(await edge.outcomeOf(message('GET', `${path}?currency=USD`))).toBe('202')
    expect(edge.onlyMessage()).toMatchObject({
      name: 'ParticipantQueryReceived',
      payload: { ...party, ...requester, currency: 'USD' },
    })
  })

  test('An association becomes its event, with its extensions', async () => {
    const extensionList = { extension: [{ key: 'kéy', value: '名' }] }
    const sent = withMembers(associate, { currency: 'USD', extensionList })
    expect(await edge.outcomeOf(sent)).toBe('202')
    expect(edge.onlyMessage().payload).toEqual({
      ...party,
      ...requester,
      fspId: 'greenbank',
      currency: 'USD',
      extensionList,
    })
  })

  test('The end of an association becomes its event, without a body', async () => {
    expect(await edge.outcomeOf(message('DELETE', path))).toBe('202')
    expect(edge.onlyMessage().payload).toEqual({ ...party, ...requester })
  })

  test.each(['GET', 'DELETE'] as const)(
    '%s with an invalid currency is refused',
    async (method) => {
      const outcome = (query: string) => edge.outcomeOf(message(method, `${path}?${query}`))
      expect(await outcome('currency=ZZZ')).toMatch(/^400 3101 query parameter currency/)
      expect(await outcome('currency=USD&currency=EUR')).toMatch(/^400 3101 query .* given twice/)
      expect(await outcome('unknown=1')).toBe('202')
    },
  )

  test.each([
    [{ fspId: undefined }, '400 3102 /fspId'],
    [{ fspId: 5 }, '400 3101 /fspId'],
    [{ currency: 'ZZZ' }, '400 3101 /currency'],
  ])('An association with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(associate, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
  })

  test('An association with an invalid body is refused', async () => {
    expect(await edge.outcomeOf({ ...associate, body: '' })).toBe('400 3101 the body is not JSON')
    expect(await edge.outcomeOf({ ...associate, body: '[]' })).toBe(
      '400 3101 the body is not a JSON object',
    )
  })
})

describe('Requests about many parties', () => {
  const batch = message('POST', '/participants', participantsRequest)

  test('A request for many parties becomes its event; an entry of an unknown type fails alone', async () => {
    expect(await edge.outcomeOf(batch)).toBe('202')
    expect(edge.onlyMessage()).toMatchObject({
      name: 'ParticipantBatchAssociationRequestReceived',
      key: id,
      payload: { ...requester, ...participantsRequest },
    })
  })

  test('A request for many parties is answered with 200 with Mojaloop compatibility', async () => {
    expect(await openEdge({ COMPATIBILITY: 'mojaloop' }).outcomeOf(batch)).toBe('200')
  })

  const entry = { partyIdType: 'MSISDN', partyIdentifier: '1' }
  test.each([
    [{ requestId: 'x' }, '400 3101 /requestId'],
    [{ partyList: undefined }, '400 3102 /partyList'],
    [{ partyList: [] }, '400 3100 /partyList'],
    [{ partyList: [{ partyIdType: 'MSISDN' }] }, '400 3102 /partyList/0/partyIdentifier'],
    [{ currency: 'usd' }, '400 3101 /currency'],
  ])('A request for many parties with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(batch, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
  })

  test('A request of 10,000 entries is accepted, one more is refused', async () => {
    const entries = (count: number) =>
      withMembers(batch, { partyList: Array.from({ length: count }, () => entry) })
    expect(await edge.outcomeOf(entries(10_000))).toBe('202')
    expect(await edge.outcomeOf(entries(10_001))).toMatch(/^400 3103 \/partyList/)
  })
})

describe('Answers of one FSP to another', () => {
  const variables = { partyIdType: 'PERSONAL_ID', partyIdentifier: 'A12345' }

  test.each([
    ['of a party', path, { fspId: 'bluewallet' }, '{Type}/{ID}/{SubId}', variables],
    ['that a party has no FSP', path, {}, '{Type}/{ID}/{SubId}', variables],
  ])('An answer %s is relayed as received', async (_what, at, body, template, filled) => {
    const sent = message('PUT', at, body)
    expect(await edge.outcomeOf(sent)).toBe('200')
    const event = edge.onlyMessage()
    expect(deliveries([event])).toEqual([`greenbank: PUT http://greenbank.example${at}`])
    expect([event.body, event.headers]).toEqual([sent.body, sent.headers])
    expect(event.payload).toMatchObject({
      cause: { msgName: `PUT /participants/${template}` },
      onFailure: {
        requesterFspId: 'bluewallet',
        operation: `PUT /participants/${template}/error`,
        path: `${at}/error`,
        variables: filled,
      },
    })
  })

  test('An error answer is relayed too, and its failure is not reported to its sender', async () => {
    expect(await edge.outcomeOf(message('PUT', `${path}/error`, { errorInformation }))).toBe('200')
    const event = edge.onlyMessage()
    expect(deliveries([event])).toEqual([`greenbank: PUT http://greenbank.example${path}/error`])
    expect(event.payload).not.toHaveProperty('onFailure')
  })

  test.each([
    [{ fspId: '' }, undefined, '400 3100 /fspId'],
    [{ fspId: 'bluewallet' }, 'Hub', '400 3102 header fspiop-destination'],
  ])('An answer with %j to %s is refused', async (body, destination, outcome) => {
    const sent = message('PUT', path, body)
    const addressed =
      destination === undefined ? sent : withHeaders(sent, { 'fspiop-destination': destination })
    expect((await edge.outcomeOf(addressed)).slice(0, outcome.length)).toBe(outcome)
  })
})

describe('Callbacks about participants', () => {
  const asked = { ...party, requesterFspId: 'greenbank', version: '1.0' }
  const url = `http://greenbank.example${path}`

  test('Callbacks report the FSP of a party, a new association, and its end', async () => {
    const owner = await callbacksFor(edge, 'ParticipantQueryResponse', {
      ...asked,
      result: { ownerFspId: 'bluewallet' },
    })
    const created = await callbacksFor(edge, 'ParticipantAssociationCreated', {
      ...asked,
      fspId: 'greenbank',
    })
    const gone = await callbacksFor(edge, 'ParticipantAssociationRemoved', asked)
    const all = [...owner, ...created, ...gone]
    expect(deliveries(all)).toEqual(Array.from({ length: 3 }, () => `greenbank: PUT ${url}`))
    expect(all.map(({ body }) => body)).toEqual([
      '{"fspId":"bluewallet"}',
      '{"fspId":"greenbank"}',
      '{}',
    ])
    expect(owner[0]?.payload['headers']).toMatchObject({
      'content-type': mediaType('1.0', 'participants'),
      'fspiop-uri': path,
    })
  })

  test('Callbacks report the error of a request about a party', async () => {
    const none = await callbacksFor(edge, 'ParticipantQueryResponse', {
      ...asked,
      result: { errorInformation },
    })
    const refused = await callbacksFor(edge, 'ParticipantAssociationRequestRefused', {
      ...asked,
      errorInformation,
    })
    expect(deliveries([...none, ...refused])).toEqual([
      `greenbank: PUT ${url}/error`,
      `greenbank: PUT ${url}/error`,
    ])
  })

  test('Callbacks report the result of each party of a list, or the error of the whole list', async () => {
    const request = { requestId: id, requesterFspId: 'greenbank', version: '1.1' }
    const partyId = { partyIdType: 'MSISDN', partyIdentifier: '1' }
    const result = { currency: 'USD', partyList: [{ partyId, errorInformation }] }
    const name = 'ParticipantBatchAssociationProcessed'
    const done = await callbacksFor(edge, name, { ...request, result })
    const none = await callbacksFor(edge, name, { ...request, result: { errorInformation } })
    expect(deliveries([...done, ...none])).toEqual([
      `greenbank: PUT http://greenbank.example/participants/${id}`,
      `greenbank: PUT http://greenbank.example/participants/${id}/error`,
    ])
    expect([...done, ...none].map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
      result,
      { errorInformation },
    ])
  })

  test('Callbacks about participants use their registered addresses, with the party filled in', async () => {
    const own = openEdge()
    const template = 'https://own.example/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}'
    const endpoints = new Map([['FSPIOP_CALLBACK_URL_PARTICIPANT_SUB_ID_PUT', template]])
    own.participants.set('greenbank', {
      name: 'greenbank',
      isActive: true,
      isClosed: false,
      endpoints,
      accounts: [],
    })
    const messages = await callbacksFor(own, 'ParticipantAssociationRemoved', asked)
    expect(deliveries(messages)).toEqual([
      'greenbank: PUT https://own.example/PERSONAL_ID/A12345/PASSPORT',
    ])
  })
})

test('A trace is continued; a malformed one is ignored', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await edge.outcomeOf(withHeaders(message('GET', path), { traceparent }))
  expect(edge.onlyMessage().traceparent).toBe(traceparent)
  expect(await edge.outcomeOf(withHeaders(message('GET', path), { traceparent: 'junk' }))).toBe(
    '202',
  )
  expect(edge.onlyMessage().traceparent).toBeUndefined()
  const asked = { ...party, requesterFspId: 'greenbank', version: '1.0' }
  const [event] = await callbacksFor(edge, 'ParticipantAssociationRemoved', asked, { traceparent })
  expect(event?.payload['headers']).toMatchObject({ traceparent })
})
