import { afterEach, describe, expect, test } from '@jest/globals'
import { openEdge, receivedAt } from '../testing/edge.ts'
import {
  errorInformation,
  id,
  mediaType,
  message,
  transferBody,
  transferFulfilment,
  withHeaders,
  withMembers,
} from '../testing/messages.ts'

const edge = openEdge()
const lenient = openEdge({ COMPATIBILITY: 'mojaloop' })
afterEach(() => {
  edge.published.splice(0)
})

const prepare = { ...message('POST', '/transfers'), body: transferBody({ transferId: id }) }
const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)
const reject = message('PUT', `/transfers/${id}/error`, { errorInformation })
const query = message('GET', `/transfers/${id}`)
const hash = expect.stringMatching(/^[\w-]{43}$/)

describe('POST /transfers', () => {
  const amount = (text: unknown) => ({ amount: { currency: 'USD', amount: text } })
  const extension = (count: number) => ({
    extensionList: { extension: Array.from({ length: count }, () => ({ key: 'k', value: 'v' })) },
  })

  test('A prepare becomes its event, with its bytes and headers as received', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const changed = withMembers(prepare, {
      expiration: '2030-01-01T02:00:00.000+02:00',
      extensionList: { extension: [{ key: 'k', value: '名' }] },
      unknown: { deep: [1, { more: 'x' }] },
    })
    const sent = withHeaders(
      { ...changed, body: String(changed.body).replace(',', ' ,\n') },
      {
        accept: mediaType('1.0'),
        'fspiop-signature': '{"signature":"junk","protectedHeader":"junk"}',
        'fspiop-uri': '/transfers',
        'fspiop-http-method': 'POST',
        'x-forwarded-for': '10.1.1.1, 10.1.1.2',
        'x-custom': 'kept',
        traceparent,
      },
    )
    expect(await edge.send(withHeaders(sent, { authorization: 'Bearer not-for-others' }))).toEqual({
      status: 202,
      contentType: mediaType('1.0'),
    })
    expect(edge.onlyMessage()).toEqual({
      name: 'TransferPrepareRequested',
      key: id,
      payload: {
        transferId: id,
        payerFsp: 'greenbank',
        payeeFsp: 'bluewallet',
        amount: { currency: 'USD', amount: '99' },
        expiration: '2030-01-01T00:00:00.000Z',
        condition: expect.any(String),
        payloadHash: hash,
        extensionList: { extension: [{ key: 'k', value: '名' }] },
        receivedAt,
        version: '1.0',
      },
      body: sent.body,
      headers: sent.headers,
      traceparent,
    })
  })

  test.each([undefined, '', 'Hub'])(
    'A prepare without a destination (%p) is relayed with the payee FSP as its destination',
    async (destination) => {
      expect(
        await edge.outcomeOf(withHeaders(prepare, { 'fspiop-destination': destination })),
      ).toBe('202')
      expect(edge.onlyMessage().headers?.['fspiop-destination']).toBe('bluewallet')
    },
  )

  test('A prepare may have a ULID as its id, and stay within one FSP with ON_US_TRANSFERS=on', async () => {
    const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    expect(await edge.outcomeOf(withMembers(prepare, { transferId: ulid }))).toBe('202')
    expect(edge.onlyMessage().key).toBe(ulid)
    const open = openEdge({ ON_US_TRANSFERS: 'on' })
    const onUs = withMembers(prepare, { payeeFsp: 'greenbank' })
    expect(await open.outcomeOf(withHeaders(onUs, { 'fspiop-destination': 'greenbank' }))).toBe(
      '202',
    )
  })

  test.each([
    [{ transferId: undefined }, '400 3102 /transferId'],
    [{ transferId: 'x' }, '400 3101 /transferId'],
    [{ amount: undefined }, '400 3102 /amount'],
    [{ condition: undefined }, '400 3102 /condition'],
    [{ condition: 'x'.repeat(42) }, '400 3101 /condition'],
    [{ ilpPacket: undefined }, '400 3102 /ilpPacket'],
    [amount('0'), '400 3100 /amount/amount'],
    [amount('5.50'), '400 3101 /amount/amount'],
    [amount('5.55555'), '400 3101 /amount/amount'],
    [amount('1'.repeat(19)), '400 3101 /amount/amount'],
    [amount('-5'), '400 3101 /amount/amount'],
    [amount(5), '400 3101 /amount/amount'],
    [amount(null), '400 3101 /amount/amount'],
    [{ amount: { currency: 'ZZZ', amount: '5' } }, '400 3101 /amount/currency'],
    [{ expiration: '2030-01-01T00:00:00Z' }, '400 3101 /expiration'],
    [{ expiration: '2027-02-29T00:00:00.000Z' }, '400 3101 /expiration'],
    [extension(16), '202'],
    [extension(17), '400 3103 /extensionList/extension'],
    [extension(0), '400 3100 /extensionList/extension'],
    [{ payerFsp: 'bluewallet' }, '400 3100 header fspiop-source is not payerFsp'],
    [{ payeeFsp: 'otherbank' }, '400 3100 header fspiop-destination is not payeeFsp'],
    [{ amount: undefined, transferId: 'x' }, '400 3102 /amount'],
    [{ payerFsp: 5, transferId: 'x' }, '400 3101 /transferId'],
  ])('A prepare with %j is answered with %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(prepare, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
  })

  test('A prepare to its own FSP is refused', async () => {
    const onUs = withMembers(prepare, { payeeFsp: 'greenbank' })
    expect(await edge.outcomeOf(withHeaders(onUs, { 'fspiop-destination': 'greenbank' }))).toBe(
      '400 3100 payerFsp and payeeFsp are the same',
    )
  })

  const member = (name: string) => transferBody().replace('{', `{"${name}":{"isAdmin":true},`)
  test.each([
    ['none', '', '400 3101 the body is not JSON'],
    ['broken JSON', '{"transferId":', '400 3101 the body is not JSON'],
    ['a list', '[]', '400 3101 the body is not a JSON object'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), '400 3101 the body is not UTF-8'],
    ['a member __proto__', member('__proto__'), '400 3101 a member is named __proto__'],
    ['a member constructor', member('constructor'), '400 3101 a member is named constructor'],
    ['a member prototype', member('prototype'), '400 3101 a member is named prototype'],
    ['a text with NUL', transferBody({ note: '\0' }), '400 3101 a text holds NUL'],
    ['endless depth', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, '400 3101 nested deeper than'],
  ])('A prepare whose body is %s is refused', async (_title, body, outcome) => {
    expect((await edge.outcomeOf({ ...prepare, body })).slice(0, outcome.length)).toBe(outcome)
  })
})

describe('PUT /transfers/{ID}', () => {
  const name = 'TransferFulfilCommittedRequested'

  test('A fulfil becomes its event without Accept, with its bytes as received', async () => {
    expect(await edge.outcomeOf(fulfil)).toBe('200')
    expect(edge.onlyMessage()).toEqual({
      name,
      key: id,
      payload: {
        ...transferFulfilment,
        transferId: id,
        requesterFspId: 'bluewallet',
        destinationFspId: 'greenbank',
        notifyPayee: false,
        payloadHash: hash,
        receivedAt,
        version: '1.1',
      },
      body: fulfil.body,
      headers: fulfil.headers,
      traceparent: undefined,
    })
  })

  test.each([undefined, '', 'Hub'])('A fulfil needs no destination (%p)', async (destination) => {
    expect(await edge.outcomeOf(withHeaders(fulfil, { 'fspiop-destination': destination }))).toBe(
      '200',
    )
    expect(edge.onlyMessage().payload).not.toHaveProperty('destinationFspId')
  })

  test('A fulfil with RESERVED, in any case of letters, requests a PATCH', async () => {
    await edge.outcomeOf(withMembers(fulfil, { transferState: 'reserved' }))
    expect(edge.onlyMessage().payload).toMatchObject({
      transferState: 'RESERVED',
      notifyPayee: true,
    })
  })

  test('A fulfil without a fulfilment is accepted: it aborts the transfer', async () => {
    expect(await edge.outcomeOf(withMembers(fulfil, { fulfilment: undefined }))).toBe('200')
    expect(edge.onlyMessage().payload).not.toHaveProperty('fulfilment')
  })

  test.each([
    [{ fulfilment: 'x'.repeat(42) }, '400 3101 /fulfilment'],
    [{ completedTimestamp: 'now' }, '400 3101 /completedTimestamp'],
    [{ transferState: undefined }, '400 3102 /transferState'],
    [{ transferState: 'ABORTED' }, '400 3101 /transferState'],
    [{ transferState: 'RECEIVED' }, '400 3101 /transferState'],
    [{ transferState: 'DONE' }, '400 3101 /transferState'],
  ])('A fulfil with %j is refused: %s', async (changed, outcome) => {
    expect((await edge.outcomeOf(withMembers(fulfil, changed))).slice(0, outcome.length)).toBe(
      outcome,
    )
    expect(edge.published).toEqual([])
  })

  test('A fulfil with RESERVED needs version 1.1', async () => {
    const reserved = withMembers(fulfil, { transferState: 'RESERVED' })
    expect(await edge.outcomeOf(withHeaders(reserved, { 'content-type': mediaType('1.0') }))).toBe(
      '400 3101 /transferState: RESERVED needs version 1.1',
    )
  })

  test('An error answer becomes its event, with its error', async () => {
    const event = { ...errorInformation, extensionList: { extension: [{ key: 'k', value: 'v' }] } }
    const sent = withMembers(reject, { errorInformation: event })
    expect(await edge.outcomeOf(sent)).toBe('200')
    expect(edge.onlyMessage()).toMatchObject({
      name: 'TransferRejectRequested',
      payload: {
        transferId: id,
        requesterFspId: 'bluewallet',
        destinationFspId: 'greenbank',
        errorInformation: event,
        receivedAt,
      },
      body: sent.body,
    })
  })

  test.each([
    [{}, '400 3102 /errorInformation'],
    [{ errorInformation: { errorDescription: 'x' } }, '400 3102 /errorInformation/errorCode'],
    [{ errorInformation: { errorCode: '5104' } }, '400 3102 /errorInformation/errorDescription'],
    [{ errorInformation: { errorCode: 5104, errorDescription: 'x' } }, '400 3101 /errorInformat'],
  ])('An error answer with %j is refused: %s', async (body, outcome) => {
    const answer = await edge.outcomeOf({ ...reject, body: JSON.stringify(body) })
    expect(answer.slice(0, outcome.length)).toBe(outcome)
  })

  test('A fulfil of an inactive FSP is accepted, because reserved transfers must be able to complete', async () => {
    for (const sent of [fulfil, reject]) {
      expect(await edge.outcomeOf(withHeaders(sent, { 'fspiop-source': 'sleeper' }))).toBe('200')
    }
  })
})

test('A query becomes its event in the requested version', async () => {
  expect(await edge.outcomeOf(withHeaders(query, { accept: mediaType('1.0') }))).toBe('202')
  expect(edge.onlyMessage()).toMatchObject({
    name: 'TransferQueryReceived',
    key: id,
    payload: { transferId: id, requesterFspId: 'greenbank', version: '1.0' },
  })
})

describe('Mojaloop compatibility of transfers', () => {
  test('With Mojaloop compatibility ABORTED is ignored, and an unknown source is refused with 3100', async () => {
    expect(await lenient.outcomeOf(withMembers(fulfil, { transferState: 'ABORTED' }))).toBe('200')
    expect(lenient.published).toEqual([])
    expect(await lenient.outcomeOf(withHeaders(query, { 'fspiop-source': 'nobody' }))).toBe(
      '400 3100 header fspiop-source: not a participant',
    )
  })

  test.each([
    [60_000, '400 3100 /completedTimestamp'],
    [201, '400 3100 /completedTimestamp'],
    [200, '200'],
    [-300_000, '200'],
    [-300_001, '400 3100 /completedTimestamp'],
  ])("A completedTimestamp %i ms from the hub's time is answered with %s", async (ms, outcome) => {
    const completedTimestamp = new Date(Date.parse(receivedAt) + ms).toISOString()
    const sent = withMembers(fulfil, { completedTimestamp })
    expect((await lenient.outcomeOf(sent)).slice(0, outcome.length)).toBe(outcome)
    expect(await edge.outcomeOf(sent)).toBe('200')
  })
})

describe('Messages processed for longer than the grace after an expiry', () => {
  const atBound = openEdge({ work_ms: 1_000 })
  const late = openEdge({ work_ms: 1_001 })
  const outcome = '503 2003 the answer could not be stored in time; send it again'

  test('A fulfil that was processed for too long is not acknowledged, because the transfer may have been voided', async () => {
    expect(await atBound.outcomeOf(fulfil)).toBe('200')
    expect(await late.outcomeOf(fulfil)).toBe(outcome)
    expect(late.published).toEqual([])
  })

  test('Other faults of a late message are reported first, and only messages that commit money are refused as late', async () => {
    expect(await late.outcomeOf(withMembers(fulfil, { fulfilment: 'x' }))).toMatch(/^400 3101/)
    expect(await late.outcomeOf(reject)).toBe('200')
    expect(await late.outcomeOf(prepare)).toBe('202')
    expect(await late.outcomeOf(query)).toBe('202')
  })

  test('A late fulfil is accepted without a grace, because nothing could be stored within it', async () => {
    expect(await openEdge({ work_ms: 1, EXPIRY_GRACE_MS: 0 }).outcomeOf(fulfil)).toBe('200')
  })
})
