/** Mojaloop compatibility: where the hub deviates from the specification. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { bulkTransferRequest } from './testing/bulk-messages.ts'
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

describe('A source that is not a participant', () => {
  const path = '/participants/PERSONAL_ID/A12345/PASSPORT'
  const unknownSource = { 'fspiop-source': 'nobody' }

  test.each([message('POST', path, { fspId: 'nobody' }), message('DELETE', path)])(
    'A message of an unknown source is acknowledged and discarded on a path with a sub id ($method)',
    async (sent) => {
      const named = withHeaders(sent, unknownSource)
      expect(await edge.outcomeOf(named)).toBe('202')
      expect(edge.published).toEqual([])
      expect(await strict.outcomeOf(named)).toBe('400 3200 header fspiop-source: not a participant')
    },
  )

  test('A message of an unknown source is acknowledged without verification of its signature', async () => {
    const checkSignature = () => {
      throw new Error('nothing is asked of a source that is no participant')
    }
    const verifying = openEdge({ COMPATIBILITY: 'mojaloop', checkSignature })
    expect(await verifying.outcomeOf(withHeaders(message('DELETE', path), unknownSource))).toBe(
      '202',
    )
  })

  test('A malformed message of an unknown source is refused', async () => {
    const sent = withHeaders(message('POST', path, {}), unknownSource)
    expect(await edge.outcomeOf(sent)).toBe('400 3102 /fspId')
  })

  test('An unknown source is refused without a sub id, and with any other request', async () => {
    const code = '400 3100 header fspiop-source: not a participant'
    for (const sent of [
      message('POST', '/participants/MSISDN/1', { fspId: 'nobody' }),
      message('DELETE', '/participants/MSISDN/1'),
      message('GET', path),
      prepare,
    ]) {
      expect(await edge.outcomeOf(withHeaders(sent, unknownSource))).toBe(code)
    }
  })
})

describe('POST /transfers with another destination than payeeFsp', () => {
  const astray = withHeaders(prepare, { 'fspiop-destination': 'greenbank' })

  test('The transfer goes to payeeFsp, which the delivered message names, while the specification refuses it', async () => {
    expect(await edge.outcomeOf(astray)).toBe('202')
    const event = edge.onlyMessage()
    expect(event).toMatchObject({
      name: 'TransferPrepareRequested',
      payload: { payeeFsp: 'bluewallet' },
    })
    expect(event.headers?.['fspiop-destination']).toBe('bluewallet')
    expect(await strict.outcomeOf(astray)).toBe(
      '400 3100 header fspiop-destination is not payeeFsp',
    )
  })

  test('A signed message keeps the destination that its signature may cover', async () => {
    const signature = { 'fspiop-signature': '{"signature":"a","protectedHeader":"b"}' }
    expect(await edge.outcomeOf(withHeaders(astray, signature))).toBe('202')
    expect(edge.onlyMessage().headers?.['fspiop-destination']).toBe('greenbank')
  })
})

describe('The FSPs of POST /bulkTransfers', () => {
  const bulk = message('POST', '/bulkTransfers', bulkTransferRequest(2))
  const sourceUnequal = 'Generic validation error - FSPIOP-Source header should match Payer FSP'
  const unequal = 'Generic validation error - header fspiop-destination is not payeeFsp'

  test.each([
    [{ payeeFsp: 'nobody' }, {}, '3203', 'Payee FSP ID not found - Participant nobody not found'],
    [
      {},
      { 'fspiop-destination': 'nobody' },
      '3203',
      'Payee FSP ID not found - Participant nobody not found',
    ],
    [{ payerFsp: 'nobody' }, {}, '3100', sourceUnequal],
    [{ payeeFsp: 'sleeper' }, {}, '3100', unequal],
  ])(
    'A bulk whose FSPs do not fit together (%j %j) is acknowledged and refused by the error callback',
    async (members, headers, errorCode, errorDescription) => {
      const sent = withHeaders(withMembers(bulk, members), headers)
      expect(await edge.outcomeOf(sent)).toBe('202')
      const callback = edge.onlyMessage()
      expect(deliveries([callback])).toEqual([
        `greenbank: PUT http://greenbank.example/bulkTransfers/${id}/error`,
      ])
      expect(JSON.parse(callback.body ?? '')).toEqual({
        errorInformation: { errorCode, errorDescription },
      })
      expect(await strict.outcomeOf(sent)).toMatch(/^400 3100 /)
    },
  )

  test('A bulk of an inactive payer FSP is left to transfers, which refuses it', async () => {
    const sent = withHeaders(withMembers(bulk, { payerFsp: 'sleeper' }), {
      'fspiop-source': 'sleeper',
    })
    expect(await edge.outcomeOf(sent)).toBe('202')
    expect(edge.onlyMessage().name).toBe('BulkTransferPrepareRequested')
    expect(await strict.outcomeOf(sent)).toMatch(/^400 3100 header fspiop-source/)
  })

  test('A bulk with other faults is refused at once', async () => {
    const sent = withMembers(bulk, { individualTransfers: [] })
    expect(await edge.outcomeOf(sent)).toMatch(/^400 3100 /)
  })
})

describe('RESERVED in version 1.0', () => {
  const reserved = withHeaders(withMembers(fulfil, { transferState: 'RESERVED' }), {
    'content-type': mediaType('1.0'),
  })

  test('RESERVED in version 1.0 is acknowledged and discarded, while the specification refuses it', async () => {
    expect(await edge.outcomeOf(reserved)).toBe('200')
    expect(edge.published).toEqual([])
    expect(await strict.outcomeOf(reserved)).toBe(
      '400 3101 /transferState: RESERVED needs version 1.1',
    )
  })

  test('RESERVED from version 1.1 on is a regular fulfil', async () => {
    const current = withHeaders(reserved, { 'content-type': mediaType('1.1') })
    expect(await edge.outcomeOf(current)).toBe('200')
    expect(edge.onlyMessage().payload).toMatchObject({ transferState: 'RESERVED' })
  })
})

test('A malformed FSPIOP-Encryption header is relayed as received, and encrypts nothing', async () => {
  const sent = withHeaders(prepare, { 'fspiop-encryption': 'not an encryption header' })
  expect(await edge.outcomeOf(sent)).toBe('202')
  expect(edge.onlyMessage().headers).toMatchObject({
    'fspiop-encryption': 'not an encryption header',
  })
  const wrong = withMembers(sent, { payeeFsp: '' })
  expect(await edge.outcomeOf(wrong)).toMatch(/^400 3100 \/payeeFsp/)
  expect(await strict.outcomeOf(sent)).toMatch(/^400 3101 header fspiop-encryption/)
})

describe('A transfer from an FSP to itself', () => {
  const onUs = withHeaders(withMembers(prepare, { payeeFsp: 'greenbank' }), {
    'fspiop-destination': 'greenbank',
  })

  test('A transfer from an FSP to itself is acknowledged, and refused by a callback of the hub', async () => {
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

  test('A transfer from an FSP to itself is prepared with ON_US_TRANSFERS=on, and refused at once by the specification', async () => {
    const open = openEdge({ COMPATIBILITY: 'mojaloop', ON_US_TRANSFERS: 'on' })
    expect(await open.outcomeOf(onUs)).toBe('202')
    expect(open.onlyMessage().name).toBe('TransferPrepareRequested')
    expect(await strict.outcomeOf(onUs)).toBe('400 3100 payerFsp and payeeFsp are the same')
  })
})

test('A quote from an FSP to itself is relayed by every hub', async () => {
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

test('A request to pay is relayed to the FSP of its header, whatever FSPs its body names', async () => {
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

describe('Any text as the id', () => {
  const query = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'

  test.each([
    ['bluewallet', 'greenbank', '/transactionRequests/an%20id%2Fof%20theirs'],
    ['greenbank', 'bluewallet', `/authorizations/an%20id%3Fof%20theirs?${query}`],
  ])(
    'A message of %s with any text as the id is relayed to %s on the path as received',
    async (_source, to, path) => {
      expect(await edge.outcomeOf(message('GET', path))).toBe('202')
      const event = edge.onlyMessage()
      expect(deliveries([event])).toEqual([`${to}: GET http://${to}.example${path}`])
      const [resource, encoded] = path.slice(1).split(/[/?]/)
      expect(event.payload['onFailure']).toMatchObject({ path: `/${resource}/${encoded}/error` })
    },
  )

  test('An answer with any text as the id is relayed too', async () => {
    const answer = message('PUT', '/transactionRequests/12345', {
      transactionRequestState: 'RECEIVED',
    })
    expect(await edge.outcomeOf(answer)).toBe('200')
    expect(await strict.outcomeOf(answer)).toMatch(/^400 3101 path parameter ID/)
  })
})
