/** What a hub that stands in for Mojaloop does where the specification asks for something else. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { deliveries, openEdge } from './testing/edge.ts'
import {
  id,
  mediaType,
  message,
  quoteRequest,
  transactionRequest,
  transferBody,
  transferFulfilment,
  withHeaders,
  withMembers,
} from './testing/messages.ts'

const strict = openEdge()
const edge = openEdge({ COMPATIBILITY: 'mojaloop' })
afterEach(() => {
  edge.published.splice(0)
  strict.published.splice(0)
})

const prepare = { ...message('POST', '/transfers'), body: transferBody({ transferId: id }) }
const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)

describe('a source that is no participant', () => {
  const path = '/participants/PERSONAL_ID/A12345/PASSPORT'
  const stranger = { 'fspiop-source': 'nobody' }

  test.each([message('POST', path, { fspId: 'nobody' }), message('DELETE', path)])(
    'is acknowledged with a sub id, and nothing becomes of it ($method)',
    async (sent) => {
      const named = withHeaders(sent, stranger)
      expect(await edge.outcomeOf(named)).toBe('202')
      expect(edge.published).toEqual([])
      expect(await strict.outcomeOf(named)).toBe('400 3200 header fspiop-source: not a participant')
    },
  )

  test('is acknowledged without a key that could verify its signature', async () => {
    const checkSignature = () => {
      throw new Error('nothing is asked of a source that is no participant')
    }
    const verifying = openEdge({ COMPATIBILITY: 'mojaloop', checkSignature })
    expect(await verifying.outcomeOf(withHeaders(message('DELETE', path), stranger))).toBe('202')
  })

  test('is refused for a malformed message all the same', async () => {
    const sent = withHeaders(message('POST', path, {}), stranger)
    expect(await edge.outcomeOf(sent)).toBe('400 3102 /fspId')
  })

  test('is refused without a sub id, and with any other request', async () => {
    const code = '400 3100 header fspiop-source: not a participant'
    for (const sent of [
      message('POST', '/participants/MSISDN/1', { fspId: 'nobody' }),
      message('DELETE', '/participants/MSISDN/1'),
      message('GET', path),
      prepare,
    ]) {
      expect(await edge.outcomeOf(withHeaders(sent, stranger))).toBe(code)
    }
  })
})

describe('RESERVED in version 1.0', () => {
  const reserved = withHeaders(withMembers(fulfil, { transferState: 'RESERVED' }), {
    'content-type': mediaType('1.0'),
  })

  test('is acknowledged and dropped, while the specification refuses it', async () => {
    expect(await edge.outcomeOf(reserved)).toBe('200')
    expect(edge.published).toEqual([])
    expect(await strict.outcomeOf(reserved)).toBe(
      '400 3101 /transferState: RESERVED needs version 1.1',
    )
  })

  test('is a fulfil like any other from version 1.1 on', async () => {
    const current = withHeaders(reserved, { 'content-type': mediaType('1.1') })
    expect(await edge.outcomeOf(current)).toBe('200')
    expect(edge.onlyMessage().payload).toMatchObject({ transferState: 'RESERVED' })
  })
})

test('an FSP-encryption header that is none is relayed as it came, and encrypts nothing', async () => {
  const sent = withHeaders(prepare, { 'fspiop-encryption': 'not an encryption header' })
  expect(await edge.outcomeOf(sent)).toBe('202')
  expect(edge.onlyMessage().headers).toMatchObject({
    'fspiop-encryption': 'not an encryption header',
  })
  const wrong = withMembers(sent, { payeeFsp: '' })
  expect(await edge.outcomeOf(wrong)).toMatch(/^400 3100 \/payeeFsp/)
  expect(await strict.outcomeOf(sent)).toMatch(/^400 3101 header fspiop-encryption/)
})

describe('a transfer from an FSP to itself', () => {
  const onUs = withHeaders(withMembers(prepare, { payeeFsp: 'greenbank' }), {
    'fspiop-destination': 'greenbank',
  })

  test('is acknowledged, and refused by a callback of the hub', async () => {
    expect(await edge.outcomeOf(onUs)).toBe('202')
    const event = edge.onlyMessage()
    expect(deliveries([event])).toEqual([
      `greenbank: PUT http://greenbank.example/transfers/${id}/error`,
    ])
    expect(event.payload['headers']).toMatchObject({
      'fspiop-source': 'Hub',
      'fspiop-destination': 'greenbank',
      'fspiop-uri': `/transfers/${id}/error`,
      'fspiop-http-method': 'PUT',
      'content-type': mediaType(),
    })
    expect(JSON.parse(event.body ?? '')).toEqual({
      errorInformation: {
        errorCode: '3100',
        errorDescription: 'Generic validation error - payerFsp and payeeFsp are the same',
      },
    })
  })

  test('is prepared where that is allowed, and refused at once by the specification', async () => {
    const open = openEdge({ COMPATIBILITY: 'mojaloop', ON_US_TRANSFERS: 'on' })
    expect(await open.outcomeOf(onUs)).toBe('202')
    expect(open.onlyMessage().name).toBe('TransferPrepareRequested')
    expect(await strict.outcomeOf(onUs)).toBe('400 3100 payerFsp and payeeFsp are the same')
  })
})

test('a quote from an FSP to itself is relayed by every hub', async () => {
  const partyIdInfo = { ...quoteRequest.payee.partyIdInfo, fspId: 'greenbank' }
  const onUs = withHeaders(
    withMembers(message('POST', '/quotes', quoteRequest), { payee: { partyIdInfo } }),
    { 'fspiop-destination': 'greenbank' },
  )
  for (const each of [edge, strict]) {
    expect(await each.outcomeOf(onUs)).toBe('202')
    expect(each.onlyMessage()).toMatchObject({ name: 'QuoteRequestReceived' })
  }
})

test('a request to pay goes where its header says, whatever FSPs its body names', async () => {
  const { payee, payer } = transactionRequest
  const sent = withMembers(message('POST', '/transactionRequests', transactionRequest), {
    payee: { partyIdInfo: { ...payee.partyIdInfo, fspId: 'otherbank' } },
    payer: { ...payer, fspId: 'thirdbank' },
  })
  expect(await edge.outcomeOf(sent)).toBe('202')
  const event = edge.onlyMessage()
  expect(deliveries([event])).toEqual([
    'greenbank: POST http://greenbank.example/transactionRequests',
  ])
  expect(event.payload).not.toHaveProperty('idempotency')
})

describe('any text as the id', () => {
  const query = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'

  test.each([
    ['bluewallet', 'greenbank', '/transactionRequests/an%20id%2Fof%20theirs'],
    ['greenbank', 'bluewallet', `/authorizations/an%20id%3Fof%20theirs?${query}`],
  ])('from %s is passed on to %s on the path as it came', async (_source, to, path) => {
    expect(await edge.outcomeOf(message('GET', path))).toBe('202')
    const event = edge.onlyMessage()
    expect(deliveries([event])).toEqual([`${to}: GET http://${to}.example${path}`])
    const [resource, encoded] = path.slice(1).split(/[/?]/)
    expect(event.payload['onFailure']).toMatchObject({ path: `/${resource}/${encoded}/error` })
  })

  test('is taken in answers, too', async () => {
    const answer = message('PUT', '/transactionRequests/12345', {
      transactionRequestState: 'RECEIVED',
    })
    expect(await edge.outcomeOf(answer)).toBe('200')
    expect(await strict.outcomeOf(answer)).toMatch(/^400 3101 path parameter ID/)
  })
})
