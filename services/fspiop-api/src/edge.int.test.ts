import { newEvent } from '@causeway/events'
import { openMetrics, StartError } from '@causeway/runtime'
import { eventually } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { start } from './service.ts'
import {
  headersOf,
  mediaType,
  openStand,
  participant,
  send,
  testSettings,
  transferBody,
  type Sent,
  type Stand,
} from './testing.ts'

const transferId = '7d7ff5c4-8b1c-4b0f-9c7f-2f0de1f0b8a1'

function post(
  body: string | Buffer = transferBody(),
  changed: Readonly<Record<string, string | undefined>> = {},
): Sent {
  return {
    method: 'POST',
    path: '/transfers',
    headers: headersOf('POST', 'greenbank', changed),
    body,
  }
}

function put(body: object, changed: Readonly<Record<string, string | undefined>> = {}): Sent {
  return {
    method: 'PUT',
    path: `/transfers/${transferId}`,
    headers: headersOf('PUT', 'bluewallet', changed),
    body: JSON.stringify(body),
  }
}

function get(changed: Readonly<Record<string, string | undefined>> = {}): Sent {
  return {
    method: 'GET',
    path: `/transfers/${transferId}`,
    headers: headersOf('GET', 'greenbank', changed),
  }
}

const committed = {
  fulfilment: 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA',
  completedTimestamp: '2026-11-21T10:00:00.000Z',
  transferState: 'COMMITTED',
}
const error = { errorInformation: { errorCode: '5104', errorDescription: 'no' } }

function proto(member: string): string {
  return transferBody().replace('{', `{"${member}":{"isAdmin":true},`)
}

function without(member: string): string {
  return transferBody({ [member]: undefined })
}

function amount(text: unknown): string {
  return transferBody({ amount: { currency: 'USD', amount: text } })
}

/** Title, request, status, code, and a part of the description. */
type Row = readonly [string, Sent, number, string, string?]

const paths: readonly Row[] = [
  ['an unknown path', { ...get(), path: '/transfer' }, 404, '3002'],
  ['a slash at the end', { ...put(committed), path: '/transfers/' }, 404, '3002'],
  ['a path in other case', { ...get(), path: '/Transfers/1' }, 404, '3002'],
  ['DELETE of a transfer', { ...get(), method: 'DELETE' }, 405, '3000'],
  ['GET of all transfers', { ...get(), path: '/transfers' }, 405, '3000'],
  ['PATCH by an FSP', { ...put(committed), method: 'PATCH' }, 501, '2002'],
  ['a resource that is not served', { ...post(), path: '/quotes' }, 501, '2002'],
  ['an id that is none', { ...get(), path: '/transfers/1' }, 400, '3101', 'ID'],
  [
    'an id in upper case',
    { ...get(), path: `/transfers/${transferId.toUpperCase()}` },
    400,
    '3101',
  ],
]

const heads: readonly Row[] = [
  ['no Accept on POST', post(undefined, { accept: undefined }), 400, '3102', 'header accept'],
  ['no Accept on GET', get({ accept: undefined }), 400, '3102', 'header accept'],
  ['no Date', post(undefined, { date: undefined }), 400, '3102', 'header date'],
  ['a Date that is none', post(undefined, { date: 'yesterday' }), 400, '3101', 'header date'],
  ['no Content-Type', post(undefined, { 'content-type': undefined }), 400, '3102', 'content-type'],
  ['no source', post(undefined, { 'fspiop-source': undefined }), 400, '3102', 'fspiop-source'],
  ['an empty source', post(undefined, { 'fspiop-source': '' }), 400, '3102', 'fspiop-source'],
  [
    'a source of 33 characters',
    post(undefined, { 'fspiop-source': 'x'.repeat(33) }),
    400,
    '3101',
    'fspiop-source',
  ],
  ['plain JSON as Accept', post(undefined, { accept: 'application/json' }), 400, '3101'],
  ['any Accept', post(undefined, { accept: '*/*' }), 400, '3101'],
  [
    'an Accept of quotes',
    post(undefined, { accept: mediaType().replace('transfers', 'quotes') }),
    400,
    '3101',
  ],
  ['an Accept of version x', post(undefined, { accept: mediaType('x') }), 400, '3101'],
  ['plain JSON as type', post(undefined, { 'content-type': 'application/json' }), 400, '3101'],
  [
    'a type without version',
    post(undefined, { 'content-type': mediaType().split(';')[0] }),
    400,
    '3101',
  ],
  ['a type of a major version', post(undefined, { 'content-type': mediaType('1') }), 400, '3101'],
  [
    'an Accept of version 9.9',
    post(undefined, { accept: mediaType('9.9') }),
    406,
    '3001',
    'accept',
  ],
  [
    'a type of version 9.9',
    post(undefined, { 'content-type': mediaType('9.9') }),
    406,
    '3001',
    'content-type',
  ],
]

const sources: readonly Row[] = [
  ['an unknown source', post(undefined, { 'fspiop-source': 'nobody' }), 400, '3200'],
  ['the hub as source', post(undefined, { 'fspiop-source': 'Hub' }), 400, '3200'],
  ['a POST of an inactive one', post(undefined, { 'fspiop-source': 'sleeper' }), 400, '3100'],
  ['a GET of an inactive one', get({ 'fspiop-source': 'sleeper' }), 400, '3100'],
  [
    'a source that is not the payer',
    post(undefined, { 'fspiop-source': 'bluewallet' }),
    400,
    '3100',
    'payerFsp',
  ],
  [
    'a destination that is not the payee',
    post(undefined, { 'fspiop-destination': 'greenbank' }),
    400,
    '3100',
    'payeeFsp',
  ],
  ['a payment to itself', post(transferBody({ payeeFsp: 'greenbank' })), 400, '3100', 'the same'],
]

const bodies: readonly Row[] = [
  ['no body', post(''), 400, '3101', 'not JSON'],
  ['broken JSON', post('{"transferId":'), 400, '3101', 'not JSON'],
  ['JSON that is no object', post('[]'), 400, '3101', 'not a JSON object'],
  ['bytes that are no UTF-8', post(Buffer.from([0x7b, 0xff, 0x7d])), 400, '3101', 'UTF-8'],
  ['a member __proto__', post(proto('__proto__')), 400, '3101', '__proto__'],
  ['a member constructor', post(proto('constructor')), 400, '3101', 'constructor'],
  ['a member prototype', post(proto('prototype')), 400, '3101', 'prototype'],
  ['no amount', post(without('amount')), 400, '3102', '/amount'],
  ['no condition', post(without('condition')), 400, '3102', '/condition'],
  ['no transferId', post(without('transferId')), 400, '3102', '/transferId'],
  ['an amount of 0', post(amount('0')), 400, '3100', '/amount/amount'],
  ['an amount with a zero at its end', post(amount('5.50')), 400, '3101', '/amount/amount'],
  ['an amount of five decimals', post(amount('5.55555')), 400, '3101'],
  ['an amount of 19 digits', post(amount('1'.repeat(19))), 400, '3101'],
  ['an amount as a number', post(amount(5)), 400, '3101'],
  ['a negative amount', post(amount('-5')), 400, '3101'],
  ['an amount null', post(amount(null)), 400, '3101'],
  [
    'an unknown currency',
    post(transferBody({ amount: { currency: 'ZZZ', amount: '5' } })),
    400,
    '3101',
  ],
  [
    'a transferId that is none',
    post(transferBody({ transferId: 'x' })),
    400,
    '3101',
    '/transferId',
  ],
  [
    'an expiration without milliseconds',
    post(transferBody({ expiration: '2030-01-01T00:00:00Z' })),
    400,
    '3101',
  ],
  [
    'an expiration on 29 February 2027',
    post(transferBody({ expiration: '2027-02-29T00:00:00.000Z' })),
    400,
    '3101',
  ],
  [
    'a condition of 31 bytes',
    post(transferBody({ condition: 'x'.repeat(42) })),
    400,
    '3101',
    '/condition',
  ],
  [
    '17 extensions',
    post(
      transferBody({
        extensionList: { extension: Array.from({ length: 17 }, () => ({ key: 'k', value: 'v' })) },
      }),
    ),
    400,
    '3103',
  ],
  ['one byte too many', post(padded(5_242_881)), 400, '3104', '5242880'],
  ['a fulfilment of 42 characters', put({ ...committed, fulfilment: 'x'.repeat(42) }), 400, '3101'],
  ['ABORTED in a PUT', put({ transferState: 'ABORTED' }), 400, '3101', '/transferState'],
  ['RECEIVED in a PUT', put({ transferState: 'RECEIVED' }), 400, '3101', '/transferState'],
  [
    'RESERVED in version 1.0',
    put({ ...committed, transferState: 'RESERVED' }, { 'content-type': mediaType('1.0') }),
    400,
    '3101',
    'RESERVED',
  ],
  [
    'an error without a code',
    {
      ...put({ errorInformation: { errorDescription: 'x' } }),
      path: `/transfers/${transferId}/error`,
    },
    400,
    '3102',
    'errorCode',
  ],
]

/** A legal transfer whose body has this many bytes, in members that nobody knows. */
function padded(bytes: number): string {
  const body = transferBody({ padding: '' })
  return body.replace('"padding":""', `"padding":"${'x'.repeat(bytes - body.length)}"`)
}

describe('a bad message', () => {
  let stand: Stand
  beforeAll(async () => {
    stand = await openStand()
  })
  afterAll(() => stand.stop())

  test.each([...paths, ...heads, ...sources, ...bodies])(
    '%s is refused with its status and code',
    async (_title, sent, status, code, part = '') => {
      const answer = await send(stand.edge.url, sent)
      expect([answer.status, answer.error?.errorCode]).toEqual([status, code])
      expect(answer.error?.errorDescription).toContain(part)
      expect(answer.error?.errorDescription.length).toBeLessThanOrEqual(128)
      const type = answer.headers['content-type']
      if (code === '3002') expect(type).toMatch(/^application\/json/)
      else expect(type).toMatch(/^application\/vnd\.interoperability\.\w+\+json;version=1\.\d$/)
    },
  )

  test('405 names what is allowed', async () => {
    const answer = await send(stand.edge.url, { ...get(), method: 'DELETE' })
    expect(answer.headers.allow).toBe('GET, PUT, PATCH')
  })

  test('406 lists the versions', async () => {
    const answer = await send(stand.edge.url, post(undefined, { accept: mediaType('2') }))
    expect(answer.error?.extensionList).toEqual({
      extension: [
        { key: '1', value: '0' },
        { key: '1', value: '1' },
      ],
    })
  })

  test('a head of more than 65,536 bytes is 400 and 3104', async () => {
    const sent = post(undefined, { 'x-long': 'x'.repeat(66_000) })
    const answer = await send(stand.edge.url, sent)
    expect([answer.status, answer.error?.errorCode]).toEqual([400, '3104'])
  })

  test('a body that is cut is as if it had never come', async () => {
    const { headers } = post()
    const { port } = new URL(stand.edge.url)
    const socket = connect(Number(port), '127.0.0.1')
    const lines = Object.entries({ ...headers, host: 'hub', 'content-length': '2000' })
    const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')
    socket.write(`POST /transfers HTTP/1.1\r\n${head}\r\n\r\n${transferBody().slice(0, 100)}`)
    await eventually(async () => {
      const metrics = await stand.parts.metrics.metrics()
      return metrics.includes('fspiop_api_requests_in_flight 1') ? true : undefined
    }, 'the request at work')
    socket.destroy()
    await eventually(async () => {
      const metrics = await stand.parts.metrics.metrics()
      return metrics.includes('fspiop_api_cut_requests_total 1') ? true : undefined
    }, 'the cut')
  })

  test('what is no HTTP is 400 and 3101', async () => {
    const { port } = new URL(stand.edge.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.end('nonsense\r\n\r\n')
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 [^]*"errorCode":"3101"/)
  })

  test('leaves nothing behind: only the good one after all of them was published', async () => {
    const body = padded(5_242_880)
    const answer = await send(stand.edge.url, post(body))
    expect([answer.status, answer.text]).toEqual([202, ''])
    await eventually(() => (stand.heard.length > 0 ? true : undefined), 'the good one')
    expect(stand.heard.map(({ key }) => key)).toEqual([
      (JSON.parse(body) as { transferId: string }).transferId,
    ])
  })
})

describe('a good message', () => {
  let stand: Stand
  beforeAll(async () => {
    stand = await openStand()
  })
  afterAll(() => stand.stop())

  async function said(sent: Sent, status: number) {
    const before = stand.heard.length
    const answer = await send(stand.edge.url, sent)
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([
      status,
      '',
      '0',
    ])
    const message = await eventually(() => stand.heard[before], 'the event')
    return { answer, message, payload: message.payload as Record<string, unknown> }
  }

  test('POST becomes TransferPrepareRequested with the bytes and headers as they came', async () => {
    const id = randomUUID()
    const body = transferBody({
      transferId: id,
      expiration: '2030-01-01T02:00:00.000+02:00',
      extensionList: { extension: [{ key: 'k', value: 'v' }] },
      unknown: { deep: [1, { more: 'x' }] },
    }).replace(',', ' ,\n')
    const sent = post(body, {
      accept: mediaType('1.0'),
      'fspiop-destination': 'bluewallet',
      'fspiop-signature': '{"signature":"junk","protectedHeader":"junk"}',
      'fspiop-uri': '/transfers',
      'fspiop-http-method': 'POST',
      'x-forwarded-for': '10.1.1.1, 10.1.1.2',
      'x-custom': 'kept',
      authorization: 'Bearer not-for-others',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    })
    const { answer, message, payload } = await said(sent, 202)
    expect(answer.headers['content-type']).toBe(mediaType('1.0'))
    expect(payload).toEqual({
      transferId: id,
      payerFsp: 'greenbank',
      payeeFsp: 'bluewallet',
      amount: { currency: 'USD', amount: '99' },
      expiration: '2030-01-01T00:00:00.000Z',
      condition: expect.any(String),
      payloadHash: expect.stringMatching(/^[\w-]{43}$/),
      extensionList: { extension: [{ key: 'k', value: 'v' }] },
      receivedAt: expect.stringMatching(/Z$/),
      version: '1.0',
    })
    expect(message.key).toBe(id)
    expect(sha256(message.headers['relay-body'])).toBe(sha256(body))
    expect(message.headers['traceparent']).toBe(sent.headers['traceparent'])
    const { authorization, ...relayed } = sent.headers
    expect(authorization).toBeDefined()
    expect(JSON.parse(String(message.headers['relay-headers']))).toEqual(relayed)
  })

  test('a destination that was left open or names the hub is filled in', async () => {
    for (const destination of [undefined, '', 'Hub']) {
      const { message } = await said(post(undefined, { 'fspiop-destination': destination }), 202)
      const headers = JSON.parse(String(message.headers['relay-headers'])) as Record<string, string>
      expect(headers['fspiop-destination']).toBe('bluewallet')
    }
  })

  test('PUT without Accept becomes TransferFulfilCommittedRequested', async () => {
    const { message, payload } = await said(
      put(committed, { 'fspiop-destination': 'greenbank' }),
      200,
    )
    expect(message.type).toBe('TransferFulfilCommittedRequested')
    expect(payload).toEqual({
      ...committed,
      transferId,
      requesterFspId: 'bluewallet',
      destinationFspId: 'greenbank',
      notifyPayee: false,
      payloadHash: expect.any(String),
      receivedAt: expect.any(String),
      version: '1.1',
    })
    expect(message.headers['relay-body']?.toString()).toBe(JSON.stringify(committed))
  })

  test('RESERVED asks for a PATCH, in any case of letters', async () => {
    const { payload } = await said(put({ ...committed, transferState: 'reserved' }), 200)
    expect(payload).toMatchObject({ transferState: 'RESERVED', notifyPayee: true })
  })

  test('a PUT without fulfilment is taken: it aborts the transfer', async () => {
    const { payload } = await said(put({ transferState: 'COMMITTED' }), 200)
    expect(payload).not.toHaveProperty('fulfilment')
  })

  test('PUT error becomes TransferRejectRequested', async () => {
    const sent = { ...put(error), path: `/transfers/${transferId}/error` }
    const { message, payload } = await said(sent, 200)
    expect(message.type).toBe('TransferRejectRequested')
    expect(payload).toMatchObject({ ...error, transferId, requesterFspId: 'bluewallet' })
  })

  test('an inactive FSP may still finish what is reserved', async () => {
    await said(put(committed, { 'fspiop-source': 'sleeper' }), 200)
  })

  test('GET becomes TransferQueryReceived in the version that was asked for', async () => {
    const { message, payload } = await said(get({ accept: mediaType('1.0') }), 202)
    expect(message.type).toBe('TransferQueryReceived')
    expect(payload).toEqual({ transferId, requesterFspId: 'greenbank', version: '1.0' })
  })

  test('a ULID names a transfer too', async () => {
    const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const { payload } = await said(post(transferBody({ transferId: id })), 202)
    expect(payload).toMatchObject({ transferId: id })
  })
})

describe('what is known of participants', () => {
  test('is asked afresh before somebody is refused, and not for each message', async () => {
    const stand = await openStand()
    try {
      const { edge, register } = stand
      for (let at = 0; at < 5; at++) expect((await send(edge.url, post())).status).toBe(202)
      expect(register.asked).toBe(1)
      register.participants.set('sleeper', participant('sleeper'))
      const body = transferBody({ payerFsp: 'sleeper' })
      const ofSleeper = post(body, { 'fspiop-source': 'sleeper' })
      expect((await send(edge.url, ofSleeper)).status).toBe(202)
      register.participants.set('newcomer', participant('newcomer'))
      const ofNewcomer = post(transferBody({ payerFsp: 'newcomer' }), {
        'fspiop-source': 'newcomer',
      })
      expect((await send(edge.url, ofNewcomer)).status).toBe(202)
    } finally {
      await stand.stop()
    }
  })

  test('holds no longer than until a change is heard, for requests side by side too', async () => {
    const stand = await openStand()
    try {
      const { edge, register, parts } = stand
      expect((await send(edge.url, post())).status).toBe(202)
      register.participants.set('greenbank', participant('greenbank', { isActive: false }))
      const changedAt = new Date().toISOString()
      await parts.bus.publish([
        newEvent('participant-lifecycle', 'ParticipantStateUpdated', {
          participantId: 'greenbank',
          oldState: 'ACTIVE',
          newState: 'INACTIVE',
          isActive: false,
          version: 2,
          changedAt,
        }),
      ])
      const refusedAt = await eventually(async () => {
        const answers = await Promise.all([send(edge.url, post()), send(edge.url, post())])
        const statuses = answers.map(({ status }) => status)
        return statuses.every((status) => status === 400) ? answers : undefined
      }, 'both refused')
      for (const { error: refusal } of refusedAt) expect(refusal?.errorCode).toBe('3100')
      const asked = register.asked
      await Promise.all([send(edge.url, post()), send(edge.url, post())])
      expect(register.asked - asked).toBeLessThanOrEqual(2)
      expect((await send(edge.url, put(committed, { 'fspiop-source': 'greenbank' }))).status).toBe(
        200,
      )
    } finally {
      await stand.stop()
    }
  })
})

describe('under COMPATIBILITY=mojaloop', () => {
  let stand: Stand
  beforeAll(async () => {
    stand = await openStand({ COMPATIBILITY: 'mojaloop' })
  })
  afterAll(() => stand.stop())

  test('ABORTED is taken and ignored, an unknown source is 3100', async () => {
    const aborted = await send(stand.edge.url, put({ transferState: 'ABORTED' }))
    expect(aborted.status).toBe(200)
    const unknown = await send(stand.edge.url, post(undefined, { 'fspiop-source': 'nobody' }))
    expect([unknown.status, unknown.error?.errorCode]).toEqual([400, '3100'])
    expect((await send(stand.edge.url, get())).status).toBe(202)
    await eventually(() => (stand.heard.length > 0 ? true : undefined), 'the query')
    expect(stand.heard.map(({ type }) => type)).toEqual(['TransferQueryReceived'])
  })

  test('completedTimestamp must lie near the time of the hub', async () => {
    const at = (offset_ms: number) => new Date(Date.now() + offset_ms).toISOString()
    const statusOf = async (completedTimestamp: string) => {
      const answer = await send(stand.edge.url, put({ ...committed, completedTimestamp }))
      return [answer.status, answer.error?.errorCode]
    }
    expect(await statusOf(at(60_000))).toEqual([400, '3100'])
    expect(await statusOf(at(-310_000))).toEqual([400, '3100'])
    expect(await statusOf(at(-200_000))).toEqual([200, undefined])
  })
})

describe('under load', () => {
  test('POST and GET are turned away with 503 and 2005, a PUT never is', async () => {
    const stand = await openStand({ FSPIOP_API_IN_FLIGHT_MAX: 1 })
    try {
      const { port } = new URL(stand.edge.url)
      const socket = connect(Number(port), '127.0.0.1')
      const lines = Object.entries({ ...post().headers, host: 'hub', 'content-length': '2000' })
      const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')
      socket.write(`POST /transfers HTTP/1.1\r\n${head}\r\n\r\n{`)
      await eventually(async () => {
        const answer = await send(stand.edge.url, get())
        return answer.status === 503 ? true : undefined
      }, 'the bound')
      const refused = await send(stand.edge.url, post())
      expect([refused.status, refused.error?.errorCode]).toEqual([503, '2005'])
      expect((await send(stand.edge.url, put(committed))).status).toBe(200)
      socket.destroy()
      await eventually(async () => {
        const answer = await send(stand.edge.url, post())
        return answer.status === 202 ? true : undefined
      }, 'room again')
    } finally {
      await stand.stop()
    }
  })

  test('what cannot be stored is not acknowledged: 503 and 2003', async () => {
    const stand = await openStand()
    const edge = await start(testSettings, {
      ...stand.parts,
      metrics: openMetrics({ ofProcess: false }),
      bus: {
        ...stand.parts.bus,
        subscribe: () => Promise.resolve({ stop: () => Promise.resolve() }),
        publish: () => Promise.reject(new Error('Connection terminated')),
      },
    })
    try {
      const answer = await send(edge.url, post())
      expect([answer.status, answer.error?.errorCode]).toEqual([503, '2003'])
    } finally {
      await edge.stop()
      await stand.stop()
    }
  })
})

describe('the start', () => {
  test.each(['0.0.0.0', '192.168.1.2', 'hub.example', '::'])(
    'on %s is refused, because anybody could come in',
    async (host) => {
      const stand = await openStand()
      try {
        const started = start({ ...testSettings, FSP_HOST: host }, stand.parts)
        await expect(started).rejects.toThrow(StartError)
        await expect(started).rejects.toThrow(/FSP_HOST=.*loopback/)
      } finally {
        await stand.stop()
      }
    },
  )
})

describe('the pages beside the API', () => {
  let stand: Stand
  beforeAll(async () => {
    stand = await openStand()
  })
  afterAll(() => stand.stop())

  test('health says what answers', async () => {
    const answer = await send(stand.edge.url, { method: 'GET', path: '/health', headers: {} })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({
      status: 'OK',
      services: [
        { name: 'participant-lifecycle', status: 'OK' },
        { name: 'events', status: 'OK' },
      ],
    })
  })

  test('the errors page lists each reason with its code', async () => {
    const answer = await send(stand.edge.url, { method: 'GET', path: '/errors', headers: {} })
    expect(answer.text).toContain('<td>SOURCE_UNKNOWN</td><td>400</td><td>3200</td>')
    expect(answer.text).toContain('<td>BUSY</td><td>503</td><td>2005</td>')
  })
})

function sha256(bytes: string | Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')
}
