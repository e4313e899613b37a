import type { Headers } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { type Hear, type InboundParts, takeInbound } from './inbound.ts'
import { openSecrecy } from './secrecy.ts'
import { callbackHeaders } from './testing/hub-stand-in.ts'

const id = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
const transfers = 'application/vnd.interoperability.transfers+json;version=1.1'
const accept = { accept: transfers }

const hear: Hear = ({ source, parameters, query }) => {
  heard.push({ source, parameters, query })
  return source === 'strangerfsp' ? { disbelieved: 'it is a stranger' } : 'HEARD'
}
const heard: object[] = []

function read(
  method: string,
  target: string,
  body: unknown,
  headers: Headers = {},
  changes: Partial<InboundParts> = {},
) {
  const parts: InboundParts = {
    name: 'payeefsp',
    hearers: {
      'POST /transfers': hear,
      'PUT /transfers/{ID}': hear,
      'GET /authorizations/{ID}': hear,
    },
    prove: () => Promise.resolve('PROVEN'),
    secrecy: openSecrecy(),
    ...changes,
  }
  const sent: Headers = { ...callbackHeaders('payeefsp'), ...headers }
  const bytes = Buffer.from(JSON.stringify(body))
  return takeInbound(parts, { method, target, headers: sent, body: bytes })
}

test('hands what is right in form to whoever waits for it, with its path and query', async () => {
  heard.length = 0
  const authorizations = 'application/vnd.interoperability.authorizations+json;version=1.0'
  const asking = { 'content-type': authorizations, accept: authorizations }
  expect(await read('POST', '/transfers', {}, accept)).toEqual({ status: 202 })
  expect(await read('PUT', `/transfers/${id}`, {})).toEqual({ status: 200 })
  expect(await read('GET', `/authorizations/${id}?retriesLeft=2`, {}, asking)).toEqual({
    status: 202,
  })
  expect(heard).toEqual([
    { source: 'Hub', parameters: {}, query: '' },
    { source: 'Hub', parameters: { ID: id }, query: '' },
    { source: 'Hub', parameters: { ID: id }, query: 'retriesLeft=2' },
  ])
})

test.each([
  ['a path that is unknown', 404, '3002', read('PUT', '/transfer/x', {})],
  ['an empty id', 404, '3002', read('PUT', '/transfers/', {})],
  ['a method that is unknown', 405, '3000', read('DELETE', `/transfers/${id}`, {})],
  ['what nobody waits for', 501, '2002', read('POST', '/bulkTransfers', {})],
  ['an id that is none', 400, '3101', read('PUT', '/transfers/x', {})],
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
    'what its hearer does not believe',
    400,
    '3100',
    read('PUT', `/transfers/${id}`, {}, { 'fspiop-source': 'strangerfsp' }),
  ],
  [
    'what is not proven',
    400,
    '3105',
    read(
      'PUT',
      `/transfers/${id}`,
      {},
      {},
      { prove: () => Promise.resolve({ disbelieved: 'it is unsigned' }) },
    ),
  ],
  [
    'what cannot be proven now',
    503,
    '2003',
    read('PUT', `/transfers/${id}`, {}, {}, { prove: () => Promise.resolve('NOT_NOW') }),
  ],
  [
    'what is encrypted for an FSP without a key',
    400,
    '3100',
    read('PUT', `/transfers/${id}`, {}, { 'fspiop-encryption': '{}' }),
  ],
])('refuses %s with %i and %s', async (_what, status, errorCode, judgement) => {
  expect(await judgement).toMatchObject({ status, error: { errorCode } })
})
