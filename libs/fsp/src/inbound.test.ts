import type { Headers } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { readInbound } from './inbound.ts'
import { callbackHeaders } from './testing/hub-stand-in.ts'

const id = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
const transfers = 'application/vnd.interoperability.transfers+json;version=1.1'
const accept = { accept: transfers }
const prepare = {
  transferId: id,
  payerFsp: 'payerfsp',
  payeeFsp: 'payeefsp',
  amount: { currency: 'USD', amount: '99' },
  ilpPacket: 'AYIB',
  condition: 'NHJAB_mTVcKIz3zBe2BvNR7B-rEtpt3oL14UmdqI43E',
  expiration: '2030-01-01T00:00:00.000Z',
}
const completedTimestamp = '2030-01-01T00:00:00.000Z'
const error = { errorInformation: { errorCode: '3303', errorDescription: 'Transfer expired' } }

function read(method: string, path: string, body: unknown, headers: Headers = {}) {
  const sent: Headers = { ...callbackHeaders('payeefsp'), ...headers }
  return readInbound('payeefsp', method, path, sent, Buffer.from(JSON.stringify(body)))
}

test('reads the four kinds of messages, unknown members and all', () => {
  const extra = { unheardOf: { deep: [1, null] } }
  expect(read('POST', '/transfers', { ...prepare, ...extra }, accept)).toMatchObject({
    kind: 'TRANSFER',
    id,
    source: 'Hub',
  })
  expect(read('PUT', `/transfers/${id}`, { transferState: 'RESERVED', ...extra })).toMatchObject({
    kind: 'STATE',
    id,
    body: { transferState: 'RESERVED' },
  })
  expect(read('PUT', `/transfers/${id}/error`, error)).toEqual({
    kind: 'ERROR',
    id,
    source: 'Hub',
    error: error.errorInformation,
  })
  const patch = { transferState: 'COMMITTED', completedTimestamp }
  expect(read('PATCH', `/transfers/${id}`, patch)).toMatchObject({ kind: 'NOTICE', id })
})

test.each([
  ['a path that is unknown', 404, read('PUT', '/transfer/x', {})],
  ['an empty id', 404, read('PUT', '/transfers/', {})],
  ['a method that is unknown', 405, read('DELETE', `/transfers/${id}`, {})],
  ['another resource', 501, read('POST', '/quotes', {})],
  ['a question of the hub', 501, read('GET', `/transfers/${id}`, {}, accept)],
  ['an id that is none', 400, read('PUT', '/transfers/x', {})],
  [
    'no date',
    400,
    read('PUT', `/transfers/${id}`, { transferState: 'RESERVED' }, { date: undefined }),
  ],
  [
    'no source',
    400,
    read('PUT', `/transfers/${id}`, { transferState: 'RESERVED' }, { 'fspiop-source': undefined }),
  ],
  [
    'a content type without version',
    400,
    read(
      'PUT',
      `/transfers/${id}`,
      { transferState: 'RESERVED' },
      { 'content-type': 'application/vnd.interoperability.transfers+json' },
    ),
  ],
  [
    'another destination',
    400,
    read(
      'PUT',
      `/transfers/${id}`,
      { transferState: 'RESERVED' },
      { 'fspiop-destination': 'other' },
    ),
  ],
  ['a state in lower case', 400, read('PUT', `/transfers/${id}`, { transferState: 'reserved' })],
  ['a state that is none', 400, read('PUT', `/transfers/${id}`, { transferState: 'DONE' })],
  [
    'a PATCH with an inexact state',
    400,
    read('PATCH', `/transfers/${id}`, { transferState: 'Committed', completedTimestamp }),
  ],
  ['a PATCH without time', 400, read('PATCH', `/transfers/${id}`, { transferState: 'COMMITTED' })],
  [
    'an error code that is a number',
    400,
    read('PUT', `/transfers/${id}/error`, {
      errorInformation: { errorCode: 3303, errorDescription: 'x' },
    }),
  ],
  ['a request without accept', 400, read('POST', '/transfers', prepare)],
  ['a body with a fault', 400, read('POST', '/transfers', { ...prepare, condition: 'x' }, accept)],
  ['a body that is none', 400, read('PUT', `/transfers/${id}`, 'x')],
])('drops %s with %i', (_what, status, message) => {
  expect(message).toMatchObject({ kind: 'DROPPED', status })
})
