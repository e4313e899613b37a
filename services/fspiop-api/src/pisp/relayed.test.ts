import type { Payload } from '@causeway/events'
import { endpointTypeOf } from '@causeway/fspiop'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  deliveries,
  openEdge,
  reachable,
  publishedMessage,
  type PublishedMessage,
} from '../testing/edge.ts'
import { id, mediaType, withHeaders, withMembers, type TestMessage } from '../testing/messages.ts'
import {
  dfsp,
  everyRelayed,
  pisp,
  thirdPartyMessage,
  user,
  type ThirdPartyCallback,
} from '../testing/thirdparty.ts'

const edge = openEdge()
afterEach(() => {
  edge.published.splice(0)
})

/** The messages to deliver, without the events for the auth service. */
function delivered(): PublishedMessage {
  const messages = edge.published.splice(0).map(publishedMessage)
  const [only, ...others] = messages.filter(({ name }) => name === 'NotifyRequested')
  if (only === undefined || others.length > 0) throw new Error('not one delivery')
  return only
}

function sentOf(operation: string): TestMessage {
  const found = everyRelayed.find((outcome) => outcome.operation === operation)
  if (found === undefined) throw new Error(`no ${operation}`)
  return found.sent
}

const rows = everyRelayed.map((outcome): readonly [string, ThirdPartyCallback] => [
  outcome.operation,
  outcome,
])

describe.each(rows)('%s', (operation, { sent, type, errorPath }) => {
  const source = sent.headers['fspiop-source'] ?? ''
  const destination = sent.headers['fspiop-destination'] ?? ''
  const ack = sent.method === 'PUT' || sent.method === 'PATCH' ? '200' : '202'

  test('A relayed message is acknowledged and sent byte for byte, with its own headers, on the same path', async () => {
    const extra = {
      'fspiop-uri': sent.path,
      'fspiop-http-method': sent.method,
      'fspiop-signature': '{"signature":"junk","protectedHeader":"junk"}',
      'x-custom': 'kept',
    }
    expect(await edge.outcomeOf(withHeaders(sent, { ...extra, cookie: 'a=b' }))).toBe(ack)
    const event = delivered()
    expect(deliveries([event])).toEqual([
      `${destination}: ${sent.method} http://${destination}.example${sent.path}`,
    ])
    expect(event.body).toBe(String(sent.body ?? ''))
    const added = sent.method === 'PATCH' ? { accept: sent.headers['content-type'] } : {}
    expect(event.headers).toEqual({ ...added, ...sent.headers, ...extra })
    expect(event.payload['headers']).toEqual({ 'fspiop-destination': destination })
  })

  test('A relayed message is sent to the address of its own endpoint type', async () => {
    expect(endpointTypeOf(operation as ThirdPartyCallback['operation'])).toBe(type)
    const own = openEdge()
    const endpoints = new Map([
      ['FSPIOP_CALLBACK_URL', 'http://wrong.example'],
      [type, 'http://right.example/tp'],
    ])
    own.participants.set(destination, reachable(destination, { endpoints }))
    await own.outcomeOf(sent)
    const [event] = own.published
      .map(publishedMessage)
      .filter(({ name }) => name === 'NotifyRequested')
    expect(deliveries(event === undefined ? [] : [event])).toEqual([
      `${destination}: ${sent.method} http://right.example/tp${sent.path}`,
    ])
  })

  test.each([
    ['unknown', undefined, '3201'],
    ['inactive', reachable('other', { isActive: false }), '3201'],
    ['without an address for it', reachable('other', { endpoints: new Map() }), '1001'],
  ])(
    'A relayed message to an FSP that is %s is reported to its sender',
    async (_why, participant, code) => {
      const own = openEdge()
      if (participant !== undefined) own.participants.set('other', participant)
      expect(await own.outcomeOf(withHeaders(sent, { 'fspiop-destination': 'other' }))).toBe(ack)
      const event = own.published
        .map(publishedMessage)
        .filter(({ name }) => name === 'NotifyRequested')
      if (errorPath === undefined) {
        expect(event).toEqual([])
        return
      }
      expect(deliveries(event)).toEqual([`${source}: PUT http://${source}.example${errorPath}`])
      const [outcome] = event
      expect(JSON.parse(outcome?.body ?? '')).toMatchObject({
        errorInformation: { errorCode: code },
      })
      expect(outcome?.payload['headers']).toMatchObject({
        'fspiop-source': 'Hub',
        'fspiop-destination': source,
        'content-type': mediaType('1.0', sent.path.split('/')[1] as 'consents'),
      })
    },
  )

  test('A relayed message that fails is reported to its sender by its own error callback', async () => {
    await edge.outcomeOf(sent)
    const { onFailure } = delivered().payload as Payload<'NotifyRequested'>
    if (errorPath === undefined) {
      expect(onFailure).toBeUndefined()
      return
    }
    expect(onFailure).toMatchObject({
      requesterFspId: source,
      operation: `PUT ${errorPath.replace(id, '{ID}').replace(user, '{ID}')}`,
      path: errorPath,
      version: '1.0',
    })
  })

  test('A relayed message without a destination is refused', async () => {
    expect(await edge.outcomeOf(withHeaders(sent, { 'fspiop-destination': undefined }))).toBe(
      '400 3102 header fspiop-destination',
    )
  })

  test('A relayed message may name the API in its media type, or be plain JSON', async () => {
    const resource = 'thirdparty' as 'consents'
    for (const type of [mediaType('1.0', resource), 'application/json']) {
      const accept = ack === '202' ? type : undefined
      expect(await edge.outcomeOf(withHeaders(sent, { 'content-type': type, accept }))).toBe(ack)
    }
    const other = mediaType('1.0', 'transfers')
    expect(await edge.outcomeOf(withHeaders(sent, { 'content-type': other }))).toMatch(/^400 3101 /)
    const later = mediaType('1.1', sent.path.split('/')[1] as 'consents')
    expect(await edge.outcomeOf(withHeaders(sent, { 'content-type': later }))).toMatch(/^406 3001 /)
  })

  test('A message of an inactive FSP, or in the name of the auth service or the hub, is refused', async () => {
    const outcome = (name: string) => edge.outcomeOf(withHeaders(sent, { 'fspiop-source': name }))
    expect(await outcome('sleeper')).toMatch(/^400 3100 /)
    edge.participants.set('centralAuth', reachable('centralAuth'))
    expect(await outcome('centralAuth')).toBe('400 3200 header fspiop-source: not a participant')
    expect(await outcome('Hub')).toBe('400 3200 header fspiop-source: not a participant')
    expect(edge.published).toEqual([])
  })

  test('A relayed message whose body is not a JSON object is refused', async () => {
    if (sent.body === undefined) return
    expect(await edge.outcomeOf({ ...sent, body: '<a/>' })).toMatch(
      /^400 3101 the body is not JSON/,
    )
    expect(await edge.outcomeOf({ ...sent, body: '{}' })).toMatch(/^400 3102 /)
    expect(edge.published).toEqual([])
  })
})

test('A list of accounts may be the whole body', async () => {
  const list = '[ {"address":"bankx.acc.1","currency":"USD"} ]'
  expect(await edge.outcomeOf({ ...sentOf('PUT /accounts/{ID}'), body: list })).toBe('200')
  expect(delivered().body).toBe(list)
})

test('A consent may be patched as a merge patch', async () => {
  const sent = withHeaders(sentOf('PATCH /consents/{ID}'), {
    'content-type': 'application/merge-patch+json',
  })
  expect(await edge.outcomeOf(sent)).toBe('200')
})

test('/consent/{ID} means /consents/{ID}, and is relayed on the path as received', async () => {
  const { path, ...sent } = sentOf('PUT /consents/{ID}')
  expect(await edge.outcomeOf({ ...sent, path: path.replace('/consents/', '/consent/') })).toBe(
    '200',
  )
  const event = delivered()
  expect(deliveries([event])).toEqual([`${dfsp}: PUT http://${dfsp}.example/consent/${id}`])
  expect(event.payload['onFailure']).toMatchObject({ path: `/consents/${id}/error` })
})

test('The id of a user is percent-encoded wherever a template contains it', async () => {
  const own = openEdge()
  const endpoints = new Map([['TP_CB_URL_ACCOUNTS_GET', 'http://right.example/users/{{ID}}']])
  own.participants.set(dfsp, reachable(dfsp, { endpoints }))
  await own.outcomeOf(sentOf('GET /accounts/{ID}'))
  expect(deliveries([own.onlyMessage()])).toEqual([
    `${dfsp}: GET http://right.example/users/${user}`,
  ])
})

test.each([
  ['transactions', '3301'],
  ['authorizations', '3300'],
])(
  'A request of %s is tried until it expires, but no longer than a user waits',
  async (of, code) => {
    const asked = async (expiration: string) => {
      await edge.outcomeOf(withMembers(sentOf(`POST /thirdpartyRequests/${of}`), { expiration }))
      return delivered().payload as Payload<'NotifyRequested'>
    }
    const soon = await asked('2026-11-21T11:00:05.000+01:00')
    const at = '2026-11-21T10:00:05.000Z'
    const error = expect.objectContaining({ errorCode: code })
    expect(soon).toMatchObject({
      deadline: at,
      onFailure: { expiry: { at, errorInformation: error } },
    })
    const later = await asked('2026-11-21T12:00:00.000+01:00')
    expect(later.deadline).toBe('2026-11-21T10:00:07.000Z')
  },
)

test.each([
  ['GET /accounts/{ID}', 7],
  ['POST /consentRequests', 7],
  ['PATCH /consentRequests/{ID}', 7],
  ['GET /consentRequests/{ID}', 7],
  ['POST /thirdpartyRequests/verifications', 7],
  ['PUT /accounts/{ID}', 60],
  ['POST /consents', 60],
  ['PATCH /consents/{ID}', 60],
  ['PATCH /thirdpartyRequests/transactions/{ID}', 60],
])('%s is tried for %i seconds', async (operation, seconds) => {
  await edge.outcomeOf(sentOf(operation))
  const until = new Date(Date.parse('2026-11-21T10:00:00.000Z') + seconds * 1_000).toISOString()
  expect(delivered().payload['deadline']).toBe(until)
})

test.each([
  'consentRequests',
  'thirdpartyRequests/transactions',
  'thirdpartyRequests/authorizations',
])('An id of %s cannot be used for other content', async (collection) => {
  const sent = sentOf(`POST /${collection}`)
  const keyOf = async (asked: TestMessage) => {
    await edge.outcomeOf(asked)
    return (delivered().payload as Payload<'NotifyRequested'>).idempotency
  }
  const first = await keyOf(sent)
  expect(first).toMatchObject({ key: `${collection}/${id}`, refusal: { errorCode: '3106' } })
  expect(await keyOf({ ...sent, body: JSON.stringify(JSON.parse(String(sent.body))) })).toEqual(
    first,
  )
  expect((await keyOf(withMembers(sent, { more: 1 })))?.content).not.toBe(first?.content)
})

test('A consent may be granted and registered under one id', async () => {
  await edge.outcomeOf(sentOf('POST /consents'))
  expect(delivered().payload).not.toHaveProperty('idempotency')
})

test('The challenge of a PISP may be encrypted, members that the hub uses may not', async () => {
  const field = (fieldName: string) => ({
    'fspiop-encryption': JSON.stringify({
      encryptedFields: {
        encryptedField: [
          {
            fieldName,
            encryptedKey: 'a2V5',
            protectedHeader: 'e30',
            initializationVector: 'aXY',
            authenticationTag: 'dGFn',
          },
        ],
      },
    }),
  })
  const accounts = sentOf('PUT /accounts/{ID}')
  const hidden = JSON.stringify({ accounts: ['BN7x2SpBZSFMDQQ'] })
  const sent = { ...withHeaders(accounts, field('accounts.0')), body: hidden }
  expect(await edge.outcomeOf(sent)).toBe('200')
  expect(delivered().body).toBe(hidden)
  const token = withHeaders(sentOf('PATCH /consentRequests/{ID}'), field('authToken'))
  expect(await edge.outcomeOf(token)).toBe('200')
  const patch = withHeaders(sentOf('PATCH /consents/{ID}'), field('credential.status'))
  expect(await edge.outcomeOf(patch)).toMatch(/^400 3100 header fspiop-encryption/)
})

test('Unsolicited answers above the quota are refused', async () => {
  const own = openEdge({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 1 })
  const accounts = sentOf('PUT /accounts/{ID}')
  expect(await own.outcomeOf(accounts)).toBe('200')
  expect(await own.outcomeOf(accounts)).toMatch(/^503 2005 more answers/)
  expect(await own.outcomeOf(sentOf('GET /accounts/{ID}'))).toBe('202')
  expect(await own.outcomeOf(accounts)).toBe('200')
})

test('Revocations have no quota, because they answer no request', async () => {
  const own = openEdge({ FSPIOP_API_UNSOLICITED_ANSWERS_MAX: 0 })
  const patch = { ...sentOf('PATCH /consents/{ID}'), body: JSON.stringify({ status: 'REVOKED' }) }
  for (let sent = 0; sent < 20; sent++) expect(await own.outcomeOf(patch)).toBe('200')
  expect(await own.outcomeOf(sentOf('PUT /accounts/{ID}'))).toMatch(/^503 2005 more answers/)
  // They are bounded by the rate of the FSP's requests.
  expect(own.priorityOf('PATCH /consents/{ID}')).toBe('LOOKUP')
})

test('Unknown methods and paths are refused as in the FSPIOP API', async () => {
  const ask = (operation: string, path: string) =>
    edge.outcomeOf(thirdPartyMessage(operation, { source: pisp, path }))
  expect(await ask('DELETE', `/consentRequests/${id}`)).toMatch(/^405 3000 /)
  expect(await ask('GET', `/thirdpartyRequests/quotes/${id}`)).toMatch(/^404 3002 /)
  expect(await ask('PUT', '/services/PISP')).toMatch(/^501 2002 /)
  expect(await ask('GET', '/consents/1')).toMatch(/^400 3101 path parameter ID/)
})
