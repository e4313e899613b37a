/**
 * Messages with one fault each, and the responses of both kinds of hub. The first response is the
 * specification's, the second the one that Mojaloop's clients expect where it differs.
 */
import type { Resource } from '@causeway/fspiop'
import { describe, test } from '@jest/globals'
import { expectAnswers } from './testing/both-modes.ts'
import { every } from './testing/every.ts'
import {
  id,
  mediaType,
  message,
  withHeaders,
  withMembers,
  type HeaderChanges,
  type TestMessage,
} from './testing/messages.ts'

describe('Headers of every message', () => {
  const resourceOf = ({ path }: TestMessage) =>
    path.split(/[/?]/)[1] as Parameters<typeof mediaType>[1] & string
  const client = 'The Client requested an unsupported version'
  const content = 'Client supplied a protocol version which is not supported by the server'
  type Row = readonly [HeaderChanges, string, string?]
  const rows = (sent: TestMessage): readonly Row[] => {
    const resource = resourceOf(sent)
    return [
      [{ date: undefined }, '400 3102 header date'],
      [{ date: '' }, '400 3101 header date'],
      [{ date: '2026-11-21T10:00:00Z' }, '400 3101 header date'],
      [
        { date: 'Sat, 21 Nov 2026 10:00:00 GMT, Sat, 21 Nov 2026 10:00:00 GMT' },
        '400 3101 header date',
      ],
      [{ 'content-type': undefined }, '400 3102 Content-type is required: header content-type'],
      [{ 'content-type': 'application/json' }, '400 3101 header content-type'],
      [{ 'content-type': 'text/plain' }, '400 3101 Unsupported Media Type'],
      [
        { 'content-type': mediaType('1.0', resource).replace('+json', '+xml') },
        '400 3101 Unsupported Media Type',
      ],
      [{ 'content-type': mediaType('1.x', resource) }, '400 3101 header content-type'],
      [
        { 'content-type': `${mediaType('1.0', resource)}, ${mediaType('1.0', resource)}` },
        '400 3101 header content-type',
      ],
      [{ 'content-type': mediaType('9.9', resource) }, `406 3001 ${content}`],
      [{ 'content-type': mediaType('1.2', resource) }, `406 3001 ${content}`],
      [
        { 'content-type': mediaType('1.0', 'fxQuotes' as Resource) },
        '400 3101 header content-type',
      ],
      [{ 'fspiop-source': undefined }, '400 3102 header fspiop-source'],
      [{ 'fspiop-source': '' }, '400 3102 header fspiop-source'],
      [{ 'fspiop-source': 'x'.repeat(33) }, '400 3101 header fspiop-source'],
      [{ 'fspiop-destination': 'x'.repeat(33) }, '400 3101 header fspiop-destination'],
    ]
  }
  const ofAccept = (sent: TestMessage): readonly Row[] => {
    const resource = resourceOf(sent)
    const asks = sent.method !== 'PUT'
    const [ofMissing, ofType, ofVersion] = asks
      ? [
          '400 3102 Accept is required: header accept',
          '400 3101 header accept',
          `406 3001 ${client}`,
        ]
      : ['200', '200', '200']
    return [
      [{ accept: undefined }, ofMissing],
      [{ accept: '*/*' }, ofType, '400 3101 header accept'],
      [{ accept: '' }, ofType, '400 3101 header accept'],
      [{ accept: 'application/json' }, ofType, '400 3101 header accept'],
      [{ accept: 'application/xml' }, ofType, '400 3101 header accept'],
      [{ accept: mediaType('x', resource) }, ofType, '400 3101 header accept'],
      [{ accept: mediaType('1', 'fxQuotes' as Resource) }, ofType, '400 3101 header accept'],
      [{ accept: mediaType('9.9', resource) }, ofVersion, `406 3001 ${client}`],
      [{ accept: mediaType('2', resource) }, ofVersion, `406 3001 ${client}`],
      [{ accept: mediaType('1.0', resource) }, asks ? '20' : '200'],
    ]
  }

  test.each(every.map(({ operation, sent }) => [operation, sent] as const))(
    'The headers of %s are refused one fault at a time',
    async (_operation, sent) => {
      for (const [changed, strict, loose] of [...rows(sent), ...ofAccept(sent)]) {
        await expectAnswers(withHeaders(sent, changed), strict, loose)
      }
    },
  )

  test.each(every.map(({ operation, sent }) => [operation, sent] as const))(
    'The headers that %s does not use may have any value',
    async (_operation, sent) => {
      const junk = {
        'fspiop-signature': 'junk',
        'fspiop-uri': 'junk',
        'fspiop-http-method': 'junk',
        'x-forwarded-for': 'junk',
        traceparent: 'junk',
      }
      await expectAnswers(withHeaders(sent, junk), '20')
      const encryption = { 'fspiop-encryption': 'junk' }
      await expectAnswers(withHeaders(sent, encryption), '400 3101 header fspiop-encryption', '20')
    },
  )
})

describe('Bodies of every message that has one', () => {
  const withBody = every.filter(({ sent }) => sent.body !== undefined)

  test.each(withBody.map(({ operation, sent }) => [operation, sent] as const))(
    'The body of %s is refused when it is not a JSON object',
    async (_operation, sent) => {
      for (const body of ['', '{', 'null', '[]', '"x"', '5', '<a/>', '{} {}', 'x=1']) {
        await expectAnswers({ ...sent, body }, '400 3101 the body is not')
      }
      const notUtf8 = Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff), Buffer.from('"}')])
      await expectAnswers({ ...sent, body: notUtf8 }, '400 3101 the body is not UTF-8')
    },
  )

  test.each(
    withBody
      .filter(({ operation }) => !/^PUT \/participants\/\{Type\}.*[^r]$/.test(operation))
      .map(({ operation, sent }) => [operation, sent] as const),
  )('The empty body of %s is refused for a missing member', async (_operation, sent) => {
    await expectAnswers({ ...sent, body: '{}' }, '400 3102 /')
  })

  test.each(withBody.map(({ operation, sent }) => [operation, sent] as const))(
    'The body of %s may have unknown members, at any depth',
    async (_operation, sent) => {
      await expectAnswers(withMembers(sent, { more: { of: [{ the: 'same' }, 1, null] } }), '20')
    },
  )
})

type PathRow = readonly ['GET' | 'DELETE', string, string, string?]

describe('Paths and queries', () => {
  const query = 'authenticationType=OTP&retriesLeft=2&amount=102&currency=USD'
  test.each([
    ['GET', '/transfers/1', '400 3101 path parameter ID'],
    ['GET', `/transfers/${id.toUpperCase()}`, '400 3101 path parameter ID'],
    ['GET', '/transfers/%20', '400 3101 path parameter ID'],
    ['GET', '/transfers/%ZZ', '400 3101 path parameter ID'],
    ['GET', '/quotes/1', '400 3101 path parameter ID'],
    ['GET', '/transactions/1', '400 3101 path parameter ID'],
    ['GET', '/transactionRequests/1', '400 3101 path parameter ID', '202'],
    ['GET', '/transactionRequests/any%20text%3F', '400 3101 path parameter ID', '202'],
    ['GET', '/transactionRequests/%00', '400 3101 path parameter ID'],
    ['GET', '/transactionRequests/..', '400 3101 path parameter ID'],
    ['GET', '/transactionRequests/%2E%2E', '400 3101 path parameter ID'],
    ['GET', `/transactionRequests/${'x'.repeat(129)}`, '400 3101 path parameter ID'],
    ['GET', `/authorizations/1?${query}`, '400 3101 path parameter ID', '202'],
    ['GET', '/authorizations/1', '400 3101 path parameter ID', '400 3102 query parameter auth'],
    ['GET', `/authorizations/${id}`, '400 3102 query parameter authenticationType'],
    [
      'GET',
      `/authorizations/${id}?${query.replace('=2', '=two')}`,
      '400 3101 query parameter retriesLeft',
    ],
    [
      'GET',
      `/authorizations/${id}?${query.replace('OTP', 'FACE')}`,
      '400 3100 query parameter authenticationType',
    ],
    [
      'GET',
      `/authorizations/${id}?${query.replace('USD', 'usd')}`,
      '400 3101 query parameter currency',
      '400 3100 query parameter currency',
    ],
    [
      'GET',
      `/authorizations/${id}?${query.replace('&amount=102', '')}`,
      '400 3102 query parameter amount',
    ],
    ['GET', '/parties/PHONE/1', '400 3101 path parameter Type'],
    ['GET', '/parties/msisdn/1', '400 3101 path parameter Type'],
    ['GET', '/parties/MSISDN/one', '400 3101 path parameter ID'],
    ['GET', '/parties/CONSENT/1', '400 3101 path parameter Type'],
    ['GET', '/parties/IBAN/DE%2012', '400 3101 path parameter ID'],
    ['GET', '/parties/MSISDN/1?currency=ZZZ', '202'],
    ['GET', '/participants/MSISDN/1?currency=USD', '202'],
    [
      'GET',
      '/participants/MSISDN/1?currency=ZZZ',
      '400 3101 query parameter currency',
      '400 3100 query parameter currency',
    ],
    ['DELETE', '/participants/EMAIL/nobody', '400 3101 path parameter ID'],
    ['GET', '/transfers/', '404 3002'],
    ['GET', '/transfer', '404 3002'],
    ['DELETE', `/quotes/${id}`, '405 3000'],
    ['GET', '/quotes', '405 3000'],
  ] satisfies readonly PathRow[])(
    '%s %s is answered with %s',
    async (...[method, path, strict, loose]: PathRow) => {
      await expectAnswers(message(method, path), strict, loose)
    },
  )
})
