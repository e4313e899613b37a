import type { Headers } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { type InboundHandler, type InboundParts, takeInbound } from './inbound.ts'
import { openFieldEncryption } from './field-encryption.ts'
import { callbackHeaders } from './testing/hub-stand-in.ts'

const id = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
const transfers = 'application/vnd.interoperability.transfers+json;version=1.1'
const accept = { accept: transfers }

const handle: InboundHandler = ({ source, parameters, query }) => {
  handledMessages.push({ source, parameters, query })
  return source === 'strangerfsp' ? { rejected: 'it is from an unknown FSP' } : 'HANDLED'
}
const handledMessages: object[] = []

function read(
  method: string,
  target: string,
  body: unknown,
  headers: Headers = {},
  changes: Partial<InboundParts> = {},
) {
  const parts: InboundParts = {
    name: 'payeefsp',
    handlers: {
      'POST /transfers': handle,
      'PUT /transfers/{ID}': handle,
      'GET /authorizations/{ID}': handle,
    },
    verify: () => Promise.resolve('VERIFIED'),
    fieldEncryption: openFieldEncryption(),
    ...changes,
  }
  const sent: Headers = { ...callbackHeaders('payeefsp'), ...headers }
  const bytes = Buffer.from(JSON.stringify(body))
  return takeInbound(parts, { method, target, headers: sent, body: bytes })
}

test('A well-formed message goes to its handler, with its path and query', async () => {
  handledMessages.length = 0
  const authorizations = 'application/vnd.interoperability.authorizations+json;version=1.0'
  const asking = { 'content-type': authorizations, accept: authorizations }
  expect(await read('POST', '/transfers', {}, accept)).toEqual({ status: 202 })
  expect(await read('PUT', `/transfers/${id}`, {})).toEqual({ status: 200 })
  expect(await read('GET', `/authorizations/${id}?retriesLeft=2`, {}, asking)).toEqual({
    status: 202,
  })
  expect(handledMessages).toEqual([
    { source: 'Hub', parameters: {}, query: '' },
    { source: 'Hub', parameters: { ID: id }, query: '' },
    { source: 'Hub', parameters: { ID: id }, query: 'retriesLeft=2' },
  ])
})

test.each([
  ['a path that is unknown', 404, '3002', read('PUT', '/transfer/x', {})],
  ['an empty id', 404, '3002', read('PUT', '/transfers/', {})],
  ['a method that is unknown', 405, '3000', read('DELETE', `/transfers/${id}`, {})],
  ['a message without handler', 501, '2002', read('POST', '/bulkTransfers', {})],
  ['a malformed id', 400, '3101', read('PUT', '/transfers/x', {})],
  ['no date', 400, '3102', read('PUT', `/transfers/${id}`, {}, { date: undefined })],
  ['no source', 400, '3102', read('PUT', `/transfers/${id}`, {}, { 'fspiop-source': undefined })],
  [
    'a content type without version',
    400,
    '3101',
    read(
      'PUT',
      `/transfers/${id}`,
      {},
      { 'content-type': 'application/vnd.interoperability.transfers+json' },
    ),
  ],
  [
    'another destination',
    400,
    '3100',
    read('PUT', `/transfers/${id}`, {}, { 'fspiop-destination': 'other' }),
  ],
  ['a request without accept', 400, '3102', read('POST', '/transfers', {})],
  [
    'a message that its handler rejects',
    400,
    '3100',
    read('PUT', `/transfers/${id}`, {}, { 'fspiop-source': 'strangerfsp' }),
  ],
  [
    'a message whose signature is wrong',
    400,
    '3105',
    read(
      'PUT',
      `/transfers/${id}`,
      {},
      {},
      { verify: () => Promise.resolve({ rejected: 'it is unsigned' }) },
    ),
  ],
  [
    'a message that cannot be verified now',
    503,
    '2003',
    read('PUT', `/transfers/${id}`, {}, {}, { verify: () => Promise.resolve('KEYS_UNAVAILABLE') }),
  ],
  [
    'an encrypted message for an FSP without a key',
    400,
    '3100',
    read('PUT', `/transfers/${id}`, {}, { 'fspiop-encryption': '{}' }),
  ],
])('A message with %s is refused with %i and %s', async (_what, status, errorCode, result) => {
  expect(await result).toMatchObject({ status, error: { errorCode } })
})

test('A refused version is answered with 406 and the versions that are served', async () => {
  const unsupported = transfers.replace('1.1', '9.9')
  expect(await read('POST', '/transfers', {}, { accept: unsupported })).toMatchObject({
    status: 406,
    error: {
      errorCode: '3001',
      extensionList: {
        extension: [
          { key: '1', value: '0' },
          { key: '1', value: '1' },
        ],
      },
    },
  })
})
