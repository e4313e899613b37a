import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  checkHeaders,
  furtherHeadersFault,
  hubHeaders,
  isSchemeHeader,
  relayHeaders,
  responseContentType,
} from './headers.ts'
import { type Method, type Resource, resourceRules } from './resources.ts'

const type = 'application/vnd.interoperability.transfers+json;version=1.1'
const complete = {
  accept: 'application/vnd.interoperability.transfers+json;version=1.0',
  'content-type': type,
  date: 'Tue, 15 Nov 2022 10:14:02 GMT',
  'fspiop-source': 'payerfsp',
  'fspiop-destination': 'payeefsp',
}

function without(...names: readonly (keyof typeof complete)[]) {
  return Object.fromEntries(
    Object.entries(complete).filter(([name]) => !names.some((each) => each === name)),
  )
}

function outcome(
  method: Method,
  headers: Record<string, string>,
  resource: Resource = 'transfers',
) {
  const check = checkHeaders(method, resource, headers)
  if (check.accepted) return 'accepted'
  return `${check.refusal.status}/${check.refusal.code} ${check.refusal.detail}`
}

/** The same headers for another resource. */
function of(resource: Resource, headers: Record<string, string>) {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replace('.transfers+', `.${resource}+`)]),
  )
}

describe('the headers of a request', () => {
  test.each(['GET', 'POST', 'DELETE'] as const)('The headers of %s name two versions', (method) => {
    expect(checkHeaders(method, 'transfers', complete)).toEqual({
      accepted: true,
      acceptVersion: '1.0',
      contentVersion: '1.1',
      source: 'payerfsp',
      destination: 'payeefsp',
    })
  })

  test.each(['PUT', 'PATCH'] as const)(
    'The headers of %s do not need Accept, and one that is sent is ignored',
    (method) => {
      const expected = {
        accepted: true,
        acceptVersion: undefined,
        contentVersion: '1.1',
        source: 'payerfsp',
        destination: 'payeefsp',
      }
      expect(checkHeaders(method, 'transfers', without('accept'))).toEqual(expected)
      expect(checkHeaders(method, 'transfers', { ...complete, accept: '*/*' })).toEqual(expected)
    },
  )

  test.each([
    ['POST', 'accept', '400/3102 Accept is required: header accept'],
    ['GET', 'accept', '400/3102 Accept is required: header accept'],
    ['DELETE', 'accept', '400/3102 Accept is required: header accept'],
    ['POST', 'date', '400/3102 header date'],
    ['PUT', 'date', '400/3102 header date'],
    ['POST', 'content-type', '400/3102 Content-type is required: header content-type'],
    ['GET', 'content-type', '400/3102 Content-type is required: header content-type'],
    ['PUT', 'content-type', '400/3102 Content-type is required: header content-type'],
    ['POST', 'fspiop-source', '400/3102 header fspiop-source'],
    ['PUT', 'fspiop-source', '400/3102 header fspiop-source'],
    ['POST', 'fspiop-destination', 'accepted'],
    ['PUT', 'fspiop-destination', 'accepted'],
  ] as const)('A request %s without %s has the result: %s', (method, name, expected) => {
    expect(outcome(method, without(name))).toBe(expected)
  })

  test.each([
    ['accept', '*/*', /^400\/3101 header accept: not application/],
    ['accept', '', /^400\/3101 header accept/],
    [
      'accept',
      type.replace('1.1', '9.9'),
      /^406\/3001 The Client requested an unsupported version, see extension list/,
    ],
    ['date', '', /^400\/3101 header date: not an HTTP date$/],
    ['date', '2022-11-15', /^400\/3101 header date/],
    ['content-type', 'application/json', /^400\/3101 header content-type/],
    ['content-type', type.replace('+json', '+xml'), /^400\/3101 Unsupported Media Type$/],
    ['content-type', 'text/plain', /^400\/3101 Unsupported Media Type$/],
    [
      'content-type',
      type.replace('1.1', '1000.0'),
      /^406\/3001 Client supplied a protocol version/,
    ],
    ['fspiop-source', '', /^400\/3102 header fspiop-source$/],
    ['fspiop-source', 'x'.repeat(33), /^400\/3101 header fspiop-source/],
    ['fspiop-source', 'a\tb', /^400\/3101 header fspiop-source/],
    ['fspiop-destination', 'x'.repeat(33), /^400\/3101 header fspiop-destination/],
    ['fspiop-destination', '', /^accepted$/],
    ['fspiop-destination', 'Hub', /^accepted$/],
    ['fspiop-source', 'x'.repeat(32), /^accepted$/],
    ['date', 'Sunday, 06-Nov-94 08:49:37 GMT', /^accepted$/],
  ] as const)(
    'A request with %s %j is judged by the rules of that header',
    (name, value, expected) => {
      expect(outcome('POST', { ...complete, [name]: value })).toMatch(expected)
    },
  )

  test('The headers of a request are judged in their order: Accept, Date, Content-Type, source, destination', () => {
    const names = ['accept', 'date', 'content-type', 'fspiop-source'] as const
    for (const [index, name] of names.entries()) {
      const rest = without(...names.slice(index))
      const answer = outcome('POST', { ...rest, 'fspiop-destination': 'x'.repeat(33) })
      expect(answer).toMatch(/^400\/3102 /)
      expect(answer.endsWith(`header ${name}`)).toBe(true)
    }
  })

  test('An empty destination counts as none', () => {
    expect(
      checkHeaders('POST', 'transfers', { ...complete, 'fspiop-destination': '' }),
    ).toMatchObject({ accepted: true, destination: undefined })
  })

  test.each([
    ['PUT', 'parties'],
    ['PUT', 'transactionRequests'],
    ['GET', 'authorizations'],
    ['PUT', 'authorizations'],
    ['GET', 'transactions'],
    ['GET', 'accounts'],
    ['POST', 'consentRequests'],
    ['PATCH', 'consents'],
    ['DELETE', 'consents'],
    ['PUT', 'services'],
    ['POST', 'thirdpartyRequests'],
  ] as const)(
    'A request %s %s needs a destination: nothing else names the recipient',
    (method, resource) => {
      const headers = of(resource, { ...complete, 'content-type': complete.accept })
      expect(outcome(method, headers, resource)).toBe('accepted')
      expect(outcome(method, { ...headers, 'fspiop-destination': '' }, resource)).toBe(
        '400/3102 header fspiop-destination',
      )
    },
  )

  test.each([
    ['GET', 'parties'],
    ['POST', 'quotes'],
    ['PUT', 'quotes'],
    ['GET', 'quotes'],
    ['GET', 'participants'],
    ['GET', 'transfers'],
    ['PUT', 'bulkQuotes'],
    ['GET', 'bulkQuotes'],
    ['PUT', 'bulkTransfers'],
    ['GET', 'services'],
  ] as const)('A request %s %s needs no destination', (method, resource) => {
    const { 'fspiop-destination': _none, ...rest } = {
      ...complete,
      'content-type': complete.accept,
    }
    const headers = of(resource, rest)
    expect(outcome(method, headers, resource)).toBe('accepted')
  })

  test('Headers of any values are accepted or refused', () => {
    const names = Object.keys(complete)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), (name, value) => {
        const check = checkHeaders('POST', 'transfers', { ...complete, [name]: value })
        expect(check.accepted || /^3(001|101|102)$/.test(check.refusal.code)).toBe(true)
      }),
    )
  })
})

const resources = Object.keys(resourceRules) as Resource[]

/** The Third-Party API has one version. */
const thirdParty: readonly string[] = [
  'accounts',
  'consentRequests',
  'consents',
  'services',
  'thirdpartyRequests',
]

describe.each(resources)('the versions of %s', (resource) => {
  const base = `application/vnd.interoperability.${resource}+json`
  const known = thirdParty.includes(resource) ? ['1.0'] : ['1.0', '1.1']
  const listed = [
    { key: '1', value: '0' },
    { key: '1', value: '1' },
  ].slice(0, known.length)
  const complete10 = { ...of(resource, complete), 'content-type': `${base};version=1.0` }

  test.each(['GET', 'POST', 'DELETE'] as const)(
    `The versions are ${known.join(' and ')} on %s`,
    (method) => {
      for (const version of known) {
        const headers = {
          ...of(resource, complete),
          accept: `${base};version=${version}`,
          'content-type': `${base};version=${version}`,
        }
        expect(checkHeaders(method, resource, headers)).toMatchObject({
          accepted: true,
          acceptVersion: version,
          contentVersion: version,
        })
      }
    },
  )

  test.each(['9.9', '1000', '2.0', '1.2'])(
    'The versions are listed to an FSP that accepts %s alone',
    (version) => {
      const headers = { ...complete10, accept: `${base};version=${version}` }
      expect(checkHeaders('GET', resource, headers)).toMatchObject({
        accepted: false,
        refusal: { status: 406, code: '3001', extensionList: { extension: listed } },
      })
    },
  )

  test('The versions are listed to an FSP that sends another, with PUT too', () => {
    const headers = { ...complete10, 'content-type': `${base};version=9.9` }
    for (const method of ['GET', 'PUT', 'PATCH'] as const) {
      expect(checkHeaders(method, resource, headers)).toMatchObject({
        accepted: false,
        refusal: { status: 406, code: '3001', extensionList: { extension: listed } },
      })
    }
  })

  test('The hub chooses the version where an alternative permits it', () => {
    const { currentVersion } = resourceRules[resource]
    for (const accept of [
      `${base};version=9.9, ${base};version=1`,
      `${base};version=9.9 ,${base}`,
    ]) {
      const headers = { ...complete10, accept }
      expect(checkHeaders('GET', resource, headers)).toMatchObject({
        acceptVersion: currentVersion,
      })
    }
  })

  test('The versions are not those of another resource', () => {
    const other = resource === 'quotes' ? 'transfers' : 'quotes'
    const headers = complete10
    const wrong = `application/vnd.interoperability.${other}+json;version=1.0`
    expect(outcome('GET', { ...headers, accept: wrong }, resource)).toMatch(
      /^400\/3101 header accept/,
    )
    expect(outcome('GET', { ...headers, 'content-type': wrong }, resource)).toMatch(
      /^400\/3101 header content-type/,
    )
  })
})

describe('the Date of a request', () => {
  test.each([
    'Tue, 15 Nov 2022 10:14:02 GMT',
    'Tuesday, 15-Nov-22 10:14:02 GMT',
    'Tue Nov 15 10:14:02 2022',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Fri, 31 Dec 2100 23:59:60 GMT',
  ])('%s is taken, however old or young', (date) => {
    expect(outcome('PUT', { ...complete, date })).toBe('accepted')
  })

  test.each(['2022-11-15T10:14:02.000Z', '1668507242', 'Tue, 15 Nov 2022 10:14:02 +0100', 'now'])(
    '%s is malformed',
    (date) => {
      expect(outcome('PUT', { ...complete, date })).toBe('400/3101 header date: not an HTTP date')
    },
  )
})

describe('the Content-Type of an answer', () => {
  test('The Content-Type of an answer names the version that was asked for, else that of the message', () => {
    const post = checkHeaders('POST', 'transfers', complete)
    const put = checkHeaders('PUT', 'transfers', complete)
    expect(responseContentType('transfers', post)).toMatch(/transfers\+json;version=1\.0$/)
    expect(responseContentType('transfers', put)).toMatch(/transfers\+json;version=1\.1$/)
  })

  test('The Content-Type of an answer names the current version while none is agreed on', () => {
    const refused = checkHeaders('POST', 'authorizations', {})
    expect(responseContentType('authorizations', refused)).toMatch(/version=1\.0$/)
    expect(responseContentType('transfers')).toMatch(/version=1\.1$/)
  })
})

describe('relayed headers', () => {
  const received = {
    ...complete,
    host: 'hub.test',
    connection: 'keep-alive, X-Hop',
    'x-hop': '1',
    'content-length': '5',
    'transfer-encoding': 'chunked',
    'keep-alive': 'timeout=5',
    authorization: 'Bearer secret',
    cookie: 'a=b',
    'user-agent': 'x',
    'x-forwarded-client-cert': 'Subject="CN=a"',
    'fspiop-signature': '{"signature":"x","protectedHeader":"y"}',
    'fspiop-uri': '/junk',
    'fspiop-http-method': 'POST',
    'fspiop-encryption': '{}',
    'fspiop-new': 'n',
    'x-forwarded-for': '192.0.2.1',
    'x-scheme': 'a',
    traceparent: '00-x',
    tracestate: 'a=b',
  }
  const retained = {
    ...complete,
    'fspiop-signature': received['fspiop-signature'],
    'fspiop-uri': '/junk',
    'fspiop-http-method': 'POST',
    'fspiop-encryption': '{}',
    'x-forwarded-for': '192.0.2.1',
    traceparent: '00-x',
    tracestate: 'a=b',
  }

  test('Relayed headers are the headers of the API, unchanged', () => {
    expect(relayHeaders('POST', received)).toEqual(retained)
  })

  test('Relayed headers of PUT carry no Accept', () => {
    const relayed = relayHeaders('PUT', received)
    expect(relayed['accept']).toBeUndefined()
    expect({ accept: complete.accept, ...relayed }).toEqual(retained)
  })

  test('Relayed headers of PATCH carry the Accept that was sent, otherwise the media type of the body', () => {
    expect(relayHeaders('PATCH', received)).toEqual(retained)
    const { accept: _accept, ...others } = received
    expect(relayHeaders('PATCH', others)).toEqual({ ...retained, accept: type })
  })

  test('Relayed headers get the destination that was looked up', () => {
    const headers = { ...received, 'fspiop-destination': '' }
    const relayed = relayHeaders('GET', headers, { destination: 'bluewallet' })
    expect(relayed['fspiop-destination']).toBe('bluewallet')
  })

  test('Relayed headers are also those that the scheme defined', () => {
    const scheme = new Set(['x-scheme', 'fspiop-new', 'x-hop'])
    expect(relayHeaders('POST', received, { scheme })).toEqual({
      ...retained,
      'x-scheme': 'a',
      'fspiop-new': 'n',
    })
  })

  test.each([
    'x-ssl-client-s-dn',
    'x-http-method-override',
    'x-method-override',
    'x-original-url',
    'x-rewrite-url',
    'x-real-ip',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-client-cert',
    'x-client-cert',
    'x-host',
    'x-envoy-original-path',
    'x-amzn-mtls-clientcert',
    'authorization',
    'cookie',
    'host',
    'connection',
    'proxy-authorization',
    'x-bad name',
    'X-Upper',
  ])('%s is not relayed, and no scheme can define it', (name) => {
    expect(relayHeaders('POST', { ...received, [name]: 'CN=other' })).toEqual(retained)
    expect(isSchemeHeader(name)).toBe(false)
  })

  test('The headers beside those of the API have at most 4,096 characters together', () => {
    const scheme = new Set(['x-scheme'])
    const headers = {
      ...complete,
      'x-forwarded-for': 'a'.repeat(2_000),
      tracestate: 'b'.repeat(96),
    }
    const outcomeOf = (length: number) =>
      furtherHeadersFault({ ...headers, 'x-scheme': 'c'.repeat(length) }, scheme)?.code
    expect(outcomeOf(2_000)).toBeUndefined()
    expect(outcomeOf(2_001)).toBe('3101')
  })
})

test('The headers of a message of the hub are complete, and carry no Accept', () => {
  expect(
    hubHeaders({
      method: 'PUT',
      resource: 'transfers',
      path: '/transfers/1/error',
      version: '1.0',
      source: 'Hub',
      destination: 'payerfsp',
      date: new Date('2022-11-15T10:14:02.500Z'),
    }),
  ).toEqual({
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.0',
    date: 'Tue, 15 Nov 2022 10:14:02 GMT',
    'fspiop-source': 'Hub',
    'fspiop-destination': 'payerfsp',
    'fspiop-http-method': 'PUT',
    'fspiop-uri': '/transfers/1/error',
  })
})

test.each([
  ['PATCH', 'consents', 'application/vnd.interoperability.consents+json;version=1.0'],
  ['PATCH', 'transfers', undefined],
  ['PUT', 'consents', undefined],
] as const)('A %s of the hub about %s has the Accept %s', (method, resource, accept) => {
  const about = { path: `/${resource}/1`, source: 'Hub', destination: 'payerfsp' }
  const headers = hubHeaders({ method, resource, version: '1.0', date: new Date(0), ...about })
  expect(headers['accept']).toBe(accept)
})
