import { afterEach, describe, expect, test } from '@jest/globals'
import { deliveries, openEdge, reachable, callbacksFor } from '../testing/edge.ts'
import {
  errorInformation,
  mediaType,
  message,
  partyAnswer,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

const path = '/parties/MSISDN/123456789'
const query = message('GET', path)
const answer = message('PUT', path, partyAnswer)
const refusal = message('PUT', `${path}/error`, { errorInformation })
const party = {
  partyKey: 'MSISDN/123456789',
  partyIdType: 'MSISDN',
  partyIdentifier: '123456789',
}

describe('Lookups of parties', () => {
  test('A lookup becomes its event, with its target and headers as received', async () => {
    const target = `${path}?currency=USD&more=1`
    expect(await edge.outcomeOf({ ...query, path: target })).toBe('202')
    expect(edge.onlyMessage()).toEqual({
      name: 'PartyQueryReceived',
      key: party.partyKey,
      payload: {
        ...party,
        requesterFspId: 'greenbank',
        destinationFspId: 'bluewallet',
        version: '1.1',
        path: target,
      },
      body: '',
      headers: query.headers,
      traceparent: undefined,
    })
  })

  test.each([undefined, '', 'Hub'])('A lookup needs no destination (%p)', async (destination) => {
    await edge.outcomeOf(withHeaders(query, { 'fspiop-destination': destination }))
    expect(edge.onlyMessage().payload).not.toHaveProperty('destinationFspId')
  })

  test('A lookup can name parties in any script, percent-encoded once', async () => {
    const alias = 'Zoë 名'.replace(' ', '+')
    const sent = message('GET', `/parties/ALIAS/${encodeURIComponent(alias)}/b%C3%A9`)
    expect(await edge.outcomeOf(sent)).toBe('202')
    expect(edge.onlyMessage()).toMatchObject({
      key: `ALIAS/${encodeURIComponent(alias)}/b%C3%A9`,
      payload: { partyIdentifier: alias, partySubIdOrType: 'bé', path: sent.path },
    })
  })

  test('A lookup selects the FSP by currency with Mojaloop compatibility', async () => {
    const lenient = openEdge({ COMPATIBILITY: 'mojaloop' })
    expect(await lenient.outcomeOf({ ...query, path: `${path}?currency=USD` })).toBe('202')
    expect(lenient.onlyMessage().payload).toMatchObject({ currency: 'USD' })
  })

  test.each(['currency=ZZZ', 'currency=USD&currency=EUR', 'currency=', 'what=ever'])(
    'A lookup with a query that names no currency (%s) is processed without one by every hub',
    async (wrong) => {
      for (const each of [edge, openEdge({ COMPATIBILITY: 'mojaloop' })]) {
        expect(await each.outcomeOf({ ...query, path: `${path}?${wrong}` })).toBe('202')
        expect(each.onlyMessage().payload).not.toHaveProperty('currency')
      }
    },
  )

  test.each(['CONSENT', 'THIRD_PARTY_LINK'])(
    'A lookup of type %s is refused: it names no party',
    async (type) => {
      const outcome = await edge.outcomeOf(message('GET', `/parties/${type}/1`))
      expect(outcome).toMatch(/^400 3101 path parameter Type/)
    },
  )
})

describe('Answers to lookups of parties', () => {
  test('An answer is relayed to the requester at once, with its bytes', async () => {
    expect(await edge.outcomeOf(withHeaders(answer, { accept: 'x', 'x-own': 'y' }))).toBe('200')
    const event = edge.onlyMessage()
    expect(event.payload).toMatchObject({
      entityId: event.payload['notificationId'],
      cause: { msgName: 'PUT /parties/{Type}/{ID}', entityId: party.partyKey },
      legRole: 'REQUESTER',
      destinationFspId: 'greenbank',
      transport: { type: 'HTTP', method: 'PUT', url: `http://greenbank.example${path}` },
      headers: { 'fspiop-destination': 'greenbank' },
      deadline: '2026-11-21T10:01:00.000Z',
      reportRequired: false,
      onFailure: {
        requesterFspId: 'bluewallet',
        operation: 'PUT /parties/{Type}/{ID}/error',
        path: `${path}/error`,
        version: '1.1',
      },
    })
    expect(event.body).toBe(answer.body)
    expect(event.headers).toEqual({ ...answer.headers, 'x-own': 'y' })
  })

  test('An error answer is relayed too, and its failure is not reported to its sender', async () => {
    expect(await edge.outcomeOf(refusal)).toBe('200')
    const { payload, body } = edge.onlyMessage()
    expect(payload).toMatchObject({
      transport: { url: `http://greenbank.example${path}/error` },
    })
    expect(payload).not.toHaveProperty('onFailure')
    expect(body).toBe(refusal.body)
  })

  test.each([
    [{ party: undefined }, '400 3102 /party'],
    [{ party: {} }, '400 3102 /party/partyIdInfo'],
    [{ party: { ...partyAnswer.party, name: 5 } }, '400 3101 /party/name'],
    [
      { party: { partyIdInfo: { ...partyAnswer.party.partyIdInfo, fspId: 'greenbank' } } },
      '400 3100 header fspiop-source is not the FSP of the party',
    ],
  ])('An answer with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(answer, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
    expect(edge.published).toEqual([])
  })

  test('An answer may name another FSP with Mojaloop compatibility', async () => {
    const lenient = openEdge({ COMPATIBILITY: 'mojaloop' })
    const partyIdInfo = { ...partyAnswer.party.partyIdInfo, fspId: 'greenbank' }
    expect(await lenient.outcomeOf(withMembers(answer, { party: { partyIdInfo } }))).toBe('200')
  })

  test.each(['nobody', 'silent'])(
    'An answer to %s, which cannot be reached, is reported to its sender as 3201',
    async (destination) => {
      const other = openEdge()
      other.participants.set('silent', reachable('silent', { endpoints: new Map() }))
      expect(
        await other.outcomeOf(withHeaders(answer, { 'fspiop-destination': destination })),
      ).toBe('200')
      const event = other.onlyMessage()
      expect(event.payload).toMatchObject({
        destinationFspId: 'bluewallet',
        transport: { method: 'PUT', url: `http://bluewallet.example${path}/error` },
        headers: { 'fspiop-source': 'Hub', 'content-type': mediaType('1.1', 'parties') },
      })
      expect(JSON.parse(event.body ?? '')).toMatchObject({
        errorInformation: { errorCode: '3201' },
      })
    },
  )

  test('An answer with encrypted fields is relayed unread, but members that the hub uses must be in clear', async () => {
    const cipher = (fieldName: string) => ({
      fieldName,
      encryptedKey: 'a2V5',
      protectedHeader: 'eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMjU2R0NNIn0',
      initializationVector: 'ICEiIyQlJicoKSor',
      authenticationTag: 'pnkn4x_dsbY03gpzDZIIHw',
    })
    const header = (field: string) =>
      JSON.stringify({ encryptedFields: { encryptedField: [cipher(field)] } })
    const hidden = withMembers(answer, {
      party: { ...partyAnswer.party, personalInfo: 'BN7x2SpBZSFMDQQ' },
    })
    const encrypted = header('party.personalInfo')
    expect(await edge.outcomeOf(withHeaders(hidden, { 'fspiop-encryption': encrypted }))).toBe(
      '200',
    )
    const event = edge.onlyMessage()
    expect([event.body, event.headers?.['fspiop-encryption']]).toEqual([hidden.body, encrypted])
    expect(await edge.outcomeOf(hidden)).toMatch(/^400 3101 \/party\/personalInfo/)
    const blind = header('party.partyIdInfo.fspId')
    expect(await edge.outcomeOf(withHeaders(answer, { 'fspiop-encryption': blind }))).toMatch(
      /^400 3100 header fspiop-encryption/,
    )
  })
})

test('The hub sends the error of a lookup that no FSP can answer, without a report', async () => {
  const asked = { ...party, requesterFspId: 'greenbank', version: '1.0' }
  const plain = await callbacksFor(edge, 'PartyQueryResponse', { ...asked, errorInformation })
  const withSubId = await callbacksFor(edge, 'PartyQueryResponse', {
    ...asked,
    partyKey: `${party.partyKey}/b%C3%A9`,
    partySubIdOrType: 'bé',
    errorInformation,
  })
  expect(deliveries([...plain, ...withSubId])).toEqual([
    `greenbank: PUT http://greenbank.example${path}/error`,
    `greenbank: PUT http://greenbank.example${path}/b%C3%A9/error`,
  ])
  expect(plain[0]?.payload).toMatchObject({
    reportRequired: false,
    headers: { 'content-type': mediaType('1.0', 'parties'), 'fspiop-uri': `${path}/error` },
  })
})

test('An error of a lookup to a requester without an address is discarded', async () => {
  const asked = { ...party, requesterFspId: 'nobody', version: '1.0' }
  expect(await callbacksFor(edge, 'PartyQueryResponse', { ...asked, errorInformation })).toEqual([])
})
