import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  callbackAddress,
  callbackUrl,
  endpointTypeOf,
  endpointTypes,
  endpointValueFault,
  fillTemplate,
  isBaseUrlType,
  isEndpointType,
  templateVariables,
} from './endpoints.ts'
import { type Operation, routes } from './routes.ts'

describe('a template', () => {
  test('A template is filled in, percent-encoded', () => {
    const template = 'http://fsp.test/parties/{{partyIdType}}/{{ partyIdentifier }}'
    expect(fillTemplate(template, { partyIdType: 'MSISDN', partyIdentifier: '+1 2/3' })).toBe(
      'http://fsp.test/parties/MSISDN/%2B1%202%2F3',
    )
  })

  test('A template without variables is left as it is', () => {
    expect(fillTemplate('http://fsp.test/transfers', {})).toBe('http://fsp.test/transfers')
  })

  test('A template takes a value literally, regardless of replacement signs in it', () => {
    expect(fillTemplate('http://fsp.test/{{id}}', { id: "$&$'" })).toBe(
      "http://fsp.test/%24%26%24'",
    )
  })

  test.each([
    ['that is not given', {}],
    ['that is undefined', { transferId: undefined }],
    ['that only the language knows', { id: 'x' }],
  ])('A template with a variable %s gives no address', (_, variables) => {
    expect(fillTemplate('http://fsp.test/{{transferId}}/{{toString}}', variables)).toBeUndefined()
  })
})

describe('the address of a callback', () => {
  test.each(['http://fsp.test/base', 'http://fsp.test/base/'])(
    'The address of a callback to a base address, %s, is the base and the path',
    (value) => {
      expect(callbackUrl('FSPIOP_CALLBACK_URL_QUOTES', value, '/quotes/1?x=1', {})).toBe(
        'http://fsp.test/base/quotes/1?x=1',
      )
    },
  )

  test('The address of a callback of every other type is the template, regardless of the path', () => {
    const value = 'http://fsp.test/in/{{transferId}}/error'
    expect(
      callbackUrl('FSPIOP_CALLBACK_URL_TRANSFER_ERROR', value, '/transfers/1/error', {
        transferId: '1',
      }),
    ).toBe('http://fsp.test/in/1/error')
  })

  test.each([
    ['/parties/MSISDN/+27713803912', ''],
    ['/parties/MSISDN/%2B27713803912?currency=USD', ''],
    ['/parties/MSISDN/%2b27713803912', '/fspiop'],
  ])(
    'The address of a callback by a template that mirrors the API holds the path %s as received',
    (path, base) => {
      const value = `http://fsp.test${base}/parties/{{partyIdType}}/{{partyIdentifier}}`
      const variables = { partyIdType: 'MSISDN', partyIdentifier: '+27713803912' }
      expect(callbackUrl('FSPIOP_CALLBACK_URL_PARTIES_PUT', value, path, variables)).toBe(
        `http://fsp.test${base}${path}`,
      )
    },
  )

  test('A base address that holds variables is a template', () => {
    expect(
      callbackUrl('TP_CB_URL_ACCOUNTS_GET', 'http://fsp.test/accounts/{{ID}}', '/accounts/a', {
        ID: 'a',
      }),
    ).toBe('http://fsp.test/accounts/a')
  })
})

describe('endpoint types', () => {
  test('Endpoint types are a closed list without duplicates', () => {
    expect(new Set(endpointTypes).size).toBe(endpointTypes.length)
    expect(isEndpointType('FSPIOP_CALLBACK_URL_TRANSFER_POST')).toBe(true)
    expect(isEndpointType('TP_CB_URL_CONSENT_PATCH')).toBe(true)
    expect(isEndpointType('FSPIOP_CALLBACK_URL_NOTHING')).toBe(false)
    expect(isEndpointType('constructor')).toBe(false)
  })

  test('Endpoint types serve every operation that an FSP is sent, and no other', () => {
    const unsent = routes
      .flatMap(({ methods, template }) =>
        methods.map((method) => `${method} ${template}` as Operation),
      )
      .filter((operation) => endpointTypeOf(operation) === undefined)
    expect(unsent).toEqual([
      'POST /participants',
      'GET /participants/{Type}/{ID}',
      'POST /participants/{Type}/{ID}',
      'DELETE /participants/{Type}/{ID}',
      'GET /participants/{Type}/{ID}/{SubId}',
      'POST /participants/{Type}/{ID}/{SubId}',
      'DELETE /participants/{Type}/{ID}/{SubId}',
      'GET /transfers/{ID}',
      'GET /bulkTransfers/{ID}',
      'GET /services/{ServiceType}',
      'POST /pings',
    ])
  })

  test('The endpoint types of transfers send PATCH where PUT goes', () => {
    expect(endpointTypeOf('POST /transfers')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_POST')
    expect(endpointTypeOf('PUT /transfers/{ID}')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_PUT')
    expect(endpointTypeOf('PATCH /transfers/{ID}')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_PUT')
    expect(endpointTypeOf('PUT /transfers/{ID}/error')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_ERROR')
  })

  test('Endpoint types distinguish base addresses from templates', () => {
    expect(isBaseUrlType('FSPIOP_CALLBACK_URL_QUOTES')).toBe(true)
    expect(isBaseUrlType('TP_CB_URL_CONSENT_POST')).toBe(true)
    expect(isBaseUrlType('FSPIOP_CALLBACK_URL_TRANSFER_PUT')).toBe(false)
  })
})

describe('a value to register', () => {
  const url = 'FSPIOP_CALLBACK_URL_TRANSFER_PUT'
  const email = 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL'

  test.each([
    [url, 'http://fsp.test/transfers/{{transferId}}'],
    [url, 'https://127.0.0.1:4301/callbacks'],
    [url, 'http://fsp.test/put?id={{ ID }}'],
    ['FSPIOP_CALLBACK_URL_QUOTES', 'https://fsp.test/quotes/{{quoteId}}?by=hub'],
    ['FSPIOP_CALLBACK_URL_PARTIES_GET', 'https://fsp.test/{{partyIdType}}/{{partyIdentifier}}'],
    ['FSPIOP_CALLBACK_URL_PARTICIPANT_DELETE', 'https://fsp.test/{{partySubIdOrType}}'],
    ['FSPIOP_CALLBACK_URL', 'https://fsp.test/{{transferId}}/{{ServiceType}}'],
    ['TP_CB_URL_SERVICES_PUT', 'https://fsp.test/{{ServiceType}}'],
    ['TP_CB_URL_CONSENT_POST', 'https://fsp.test/consents'],
    [email, 'ops@fsp.test'],
    ['ALARM_NOTIFICATION_TOPIC', 'alarms.fsp'],
  ] as const)('A value to register for %s may be %s', (type, value) => {
    expect(endpointValueFault(type, value)).toBeUndefined()
  })

  const base = 'FSPIOP_CALLBACK_URL_QUOTES'
  test.each([
    [url, '', 'neither https:// nor http://'],
    [url, 'ftp://fsp.test', 'neither https:// nor http://'],
    [url, `http://fsp.test/${'x'.repeat(1_024)}`, 'more than 1024 characters'],
    [url, 'http://fsp.test/{{transferId', 'a brace'],
    [url, 'http://fsp.test/{id}', 'a brace'],
    [url, 'http://fsp.test/{{id}}#{{id}}', 'a fragment'],
    [url, 'http://{{fsp}}.test/transfers', 'the unknown variable {{fsp}}'],
    [url, 'http://fsp.test/{{quoteId}}', 'the unknown variable {{quoteId}}'],
    [url, 'http://fsp.test/{{toString}}', 'the unknown variable {{toString}}'],
    ['FSPIOP_CALLBACK_URL_PARTIES_GET', 'http://fsp.test/{{partySubIdOrType}}', 'unknown variable'],
    [base, 'https://fsp.test/?tenant=1', 'a query, but paths are appended'],
    [base, 'https://fsp.test/{{transferId}}', 'unknown variable'],
    ['FSPIOP_CALLBACK_URL', 'https://fsp.test/{{nothing}}', 'unknown variable'],
    ['TP_CB_URL_CONSENT_POST', 'https://fsp.test?x', 'a query'],
    [email, 'http://fsp.test', 'e-mail address'],
    ['ALARM_NOTIFICATION_TOPIC', 'a b', 'a topic'],
  ] as const)('A value to register for %s may not be %s', (type, value, fault) => {
    expect(endpointValueFault(type, value)).toContain(fault)
  })

  test('A value that can be registered gives every message that has its variables an address', () => {
    const names = ['id', 'ID', 'transferId', 'quoteId', 'partyIdType', 'partySubIdOrType', 'x']
    const part = fc.oneof(
      fc.constantFrom(...names.map((name) => `{{${name}}}`)),
      fc.constantFrom('/', 'a', '?', '#', '@', '{', ' ', '\\', ':0', 'b=c'),
    )
    const value = fc
      .array(part, { maxLength: 5 })
      .map((parts) => `https://fsp.test/${parts.join('')}`)
    fc.assert(
      fc.property(
        fc.constantFrom(...sent),
        value,
        ({ operation, path, variables }, registering) => {
          const type = endpointTypeOf(operation)
          if (type === undefined || endpointValueFault(type, registering) !== undefined) return
          const address = callbackAddress(
            new Map([[type, registering]]),
            operation,
            path,
            variables,
          )
          // A type that serves messages with and without a variable has an address for those with it.
          const needed = registering.match(/(?<=\{\{)\w+/g) ?? []
          const has = needed.every((name) => Object.hasOwn(variables, name))
          expect(address === undefined).toBe(!has)
          if (address === undefined) return
          const { hash, pathname, search, username } = new URL(address)
          expect([hash, username]).toEqual(['', ''])
          if (needed.length === 0 && isBaseUrlType(type)) {
            expect(`${pathname}${search}`.endsWith(path)).toBe(true)
          }
        },
      ),
    )
  })
})

/** All that an FSP registers, each value naming its own type. */
const registered: ReadonlyMap<string, string> = new Map(
  [
    ['PARTICIPANT_PUT', '/participants/{{partyIdType}}/{{partyIdentifier}}'],
    ['PARTICIPANT_PUT_ERROR', '/participants/{{partyIdType}}/{{partyIdentifier}}/error'],
    [
      'PARTICIPANT_SUB_ID_PUT',
      '/participants/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}',
    ],
    [
      'PARTICIPANT_SUB_ID_PUT_ERROR',
      '/participants/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}/error',
    ],
    ['PARTICIPANT_BATCH_PUT', '/participants/{{requestId}}'],
    ['PARTICIPANT_BATCH_PUT_ERROR', '/participants/{{requestId}}/error'],
    ['PARTIES_GET', '/parties/{{partyIdType}}/{{partyIdentifier}}'],
    ['PARTIES_PUT', '/parties/{{partyIdType}}/{{partyIdentifier}}'],
    ['PARTIES_PUT_ERROR', '/parties/{{partyIdType}}/{{partyIdentifier}}/error'],
    ['PARTIES_SUB_ID_GET', '/parties/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}'],
    ['PARTIES_SUB_ID_PUT', '/parties/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}'],
    [
      'PARTIES_SUB_ID_PUT_ERROR',
      '/parties/{{partyIdType}}/{{partyIdentifier}}/{{partySubIdOrType}}/error',
    ],
    ['QUOTES', ''],
    ['BULK_QUOTES', ''],
    ['TRX_REQ_SERVICE', ''],
    ['AUTHORIZATIONS', ''],
    ['TRANSFER_POST', '/transfers'],
    ['TRANSFER_PUT', '/transfers/{{transferId}}'],
    ['TRANSFER_ERROR', '/transfers/{{transferId}}/error'],
    ['BULK_TRANSFER_POST', '/bulkTransfers'],
    ['BULK_TRANSFER_PUT', '/bulkTransfers/{{id}}'],
    ['BULK_TRANSFER_ERROR', '/bulkTransfers/{{id}}/error'],
  ]
    .map(([name, template]) => [
      `FSPIOP_CALLBACK_URL_${name}`,
      `http://fsp.test/${name}${template}`,
    ])
    .concat(
      endpointTypes
        .filter((type) => type.startsWith('TP_CB_URL_'))
        .map((type) => [type, `http://fsp.test/${type}`]),
    ) as [string, string][],
)

/** Each operation that an FSP is sent, with its path for one set of parameters. */
const sent = routes.flatMap(({ resource, methods, template }) =>
  methods.flatMap((method) => {
    const operation = `${method} ${template}` as Operation
    if (endpointTypeOf(operation) === undefined) return []
    const parameters = {
      ...(template.includes('{Type}') ? { Type: 'ALIAS' } : {}),
      ...(template.includes('{ID}') ? { ID: 'a+b' } : {}),
      ...(template.includes('{SubId}') ? { SubId: 'home' } : {}),
      ...(template.includes('{ServiceType}') ? { ServiceType: 'PISP' } : {}),
    }
    const path = template
      .replace('{Type}', 'ALIAS')
      .replace('{ID}', 'a%2Bb')
      .replace('{SubId}', 'home')
      .replace('{ServiceType}', 'PISP')
    return [{ operation, path, variables: templateVariables(resource, parameters) }]
  }),
)

describe('the address of an operation', () => {
  test.each(sent)('$operation is at its own type', ({ operation, path, variables }) => {
    const type = endpointTypeOf(operation) ?? ''
    const name = type.replace('FSPIOP_CALLBACK_URL_', '')
    expect(callbackAddress(registered, operation, path, variables)).toBe(
      `http://fsp.test/${name}${path}`,
    )
  })

  test.each(sent)(
    '$operation is at the base address of an FSP that has no other',
    ({ operation, path, variables }) => {
      const base = new Map([['FSPIOP_CALLBACK_URL', 'http://fsp.test/in/']])
      expect(callbackAddress(base, operation, path, variables)).toBe(`http://fsp.test/in${path}`)
      expect(callbackAddress(new Map(), operation, path, variables)).toBeUndefined()
    },
  )

  test('The address of an operation keeps the query of what is relayed to a base address', () => {
    const path = '/authorizations/1?authenticationType=OTP&retriesLeft=2'
    expect(callbackAddress(registered, 'GET /authorizations/{ID}', path, {})).toBe(
      `http://fsp.test/AUTHORIZATIONS${path}`,
    )
  })

  test('An operation has no address where its own type is registered but cannot be filled in', () => {
    const both = new Map([
      ['FSPIOP_CALLBACK_URL', 'http://fsp.test'],
      ['FSPIOP_CALLBACK_URL_TRANSFER_PUT', 'http://fsp.test/{{nothing}}'],
    ])
    expect(callbackAddress(both, 'PUT /transfers/{ID}', '/transfers/1', { id: '1' })).toBe(
      undefined,
    )
  })

  test('An operation has no address when no FSP is sent it, or when the value gives none', () => {
    expect(callbackAddress(registered, 'GET /transfers/{ID}', '/transfers/1', {})).toBeUndefined()
    const odd = new Map([['FSPIOP_CALLBACK_URL', 'fsp']])
    expect(callbackAddress(odd, 'POST /quotes', '/quotes', {})).toBeUndefined()
  })
})

describe('the addresses of the Third-Party API', () => {
  const id = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'

  test.each([
    ['DELETE /consents/{ID}', `/consents/${id}`, 'TP_CB_URL_CONSENT_PUT'],
    ['GET /consentRequests/{ID}', `/consentRequests/${id}`, 'TP_CB_URL_CONSENT_REQUEST_POST'],
    [
      'GET /thirdpartyRequests/authorizations/{ID}',
      `/thirdpartyRequests/authorizations/${id}`,
      'TP_CB_URL_TRANSACTION_REQUEST_AUTH_POST',
    ],
    [
      'GET /thirdpartyRequests/verifications/{ID}',
      `/thirdpartyRequests/verifications/${id}`,
      'TP_CB_URL_TRANSACTION_REQUEST_VERIFY_POST',
    ],
  ] as const)(
    '%s, which has no published type, is at the base of a sibling',
    (operation, path, sibling) => {
      const variables = { id, ID: id }
      const endpoints = new Map<string, string>([
        [sibling, 'http://fsp.test/tp'],
        ['FSPIOP_CALLBACK_URL', 'http://fsp.test'],
      ])
      expect(callbackAddress(endpoints, operation, path, variables)).toBe(
        `http://fsp.test/tp${path}`,
      )
      endpoints.set(endpointTypeOf(operation) ?? '', 'http://fsp.test/own')
      expect(callbackAddress(endpoints, operation, path, variables)).toBe(
        `http://fsp.test/own${path}`,
      )
    },
  )

  test('A template of a sibling type is no address of the Third-Party API', () => {
    const endpoints = new Map([
      ['TP_CB_URL_CONSENT_PUT', 'http://fsp.test/put/{{ID}}'],
      ['FSPIOP_CALLBACK_URL', 'http://fsp.test'],
    ])
    const address = callbackAddress(endpoints, 'DELETE /consents/{ID}', `/consents/${id}`, {
      ID: id,
    })
    expect(address).toBe(`http://fsp.test/consents/${id}`)
  })

  test.each([
    ['TP_CB_URL_CONSENT_PUT', 'http://fsp.test/tp/consents/', `/consents/${id}`],
    ['TP_CB_URL_CONSENT_REQUEST_POST', 'http://fsp.test/tp/consentRequests', '/consentRequests'],
    [
      'TP_CB_URL_TRANSACTION_REQUEST_PUT',
      'http://fsp.test/tp/thirdpartyRequests/transactions',
      `/thirdpartyRequests/transactions/${id}`,
    ],
    ['TP_CB_URL_ACCOUNTS_GET', 'http://fsp.test/tp', '/accounts/amina%40bankx'],
  ] as const)(
    'Addresses of the Third-Party API registered as %s %s do not hold the resource twice',
    (type, value, path) => {
      expect(callbackUrl(type, value, path, {})).toBe(`http://fsp.test/tp${path}`)
    },
  )

  test('Addresses of the Third-Party API have ID and ServiceType filled in, percent-encoded', () => {
    const accounts = templateVariables('accounts', { ID: 'a/b"' })
    expect(
      callbackUrl(
        'TP_CB_URL_ACCOUNTS_GET',
        'http://fsp.test/{{ID}}',
        '/accounts/a%2Fb%22',
        accounts,
      ),
    ).toBe('http://fsp.test/a%2Fb%22')
    const services = templateVariables('services', { ServiceType: 'PISP' })
    expect(
      callbackUrl(
        'TP_CB_URL_SERVICES_PUT',
        'http://fsp.test/{{ServiceType}}',
        '/services/PISP',
        services,
      ),
    ).toBe('http://fsp.test/PISP')
  })
})
