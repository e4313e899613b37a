import { describe, expect, test } from '@jest/globals'
import {
  callbackUrl,
  endpointTypeOf,
  endpointTypes,
  fillTemplate,
  isBaseUrlType,
  isEndpointType,
  isEndpointValue,
} from './endpoints.ts'
import { type Operation, routes } from './routes.ts'

describe('a template', () => {
  test('is filled in, percent-encoded', () => {
    const template = 'http://fsp.test/parties/{{partyIdType}}/{{ partyIdentifier }}'
    expect(fillTemplate(template, { partyIdType: 'MSISDN', partyIdentifier: '+1 2/3' })).toBe(
      'http://fsp.test/parties/MSISDN/%2B1%202%2F3',
    )
  })

  test('without variables is left as it is', () => {
    expect(fillTemplate('http://fsp.test/transfers', {})).toBe('http://fsp.test/transfers')
  })

  test('takes a value literally, whatever replacement signs are in it', () => {
    expect(fillTemplate('http://fsp.test/{{id}}', { id: "$&$'" })).toBe(
      "http://fsp.test/%24%26%24'",
    )
  })

  test.each([
    ['that is not given', {}],
    ['that is undefined', { transferId: undefined }],
    ['that only the language knows', { id: 'x' }],
  ])('with a variable %s gives no address', (_, variables) => {
    expect(fillTemplate('http://fsp.test/{{transferId}}/{{toString}}', variables)).toBeUndefined()
  })
})

describe('the address of a callback', () => {
  test.each(['http://fsp.test/base', 'http://fsp.test/base/'])(
    'of a base address, %s, is the base and the path',
    (value) => {
      expect(callbackUrl('FSPIOP_CALLBACK_URL_QUOTES', value, '/quotes/1?x=1', {})).toBe(
        'http://fsp.test/base/quotes/1?x=1',
      )
    },
  )

  test('of every other type is the template, whatever the path', () => {
    const value = 'http://fsp.test/in/{{transferId}}/error'
    expect(
      callbackUrl('FSPIOP_CALLBACK_URL_TRANSFER_ERROR', value, '/transfers/1/error', {
        transferId: '1',
      }),
    ).toBe('http://fsp.test/in/1/error')
  })

  test('of a base that holds variables is a template', () => {
    expect(
      callbackUrl('TP_CB_URL_ACCOUNTS_GET', 'http://fsp.test/accounts/{{ID}}', '/accounts/a', {
        ID: 'a',
      }),
    ).toBe('http://fsp.test/accounts/a')
  })
})

describe('endpoint types', () => {
  test('are a closed list without doubles', () => {
    expect(new Set(endpointTypes).size).toBe(endpointTypes.length)
    expect(isEndpointType('FSPIOP_CALLBACK_URL_TRANSFER_POST')).toBe(true)
    expect(isEndpointType('TP_CB_URL_CONSENT_PATCH')).toBe(true)
    expect(isEndpointType('FSPIOP_CALLBACK_URL_NOTHING')).toBe(false)
    expect(isEndpointType('constructor')).toBe(false)
  })

  test('serve every operation that an FSP is sent, and no other', () => {
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
    ])
  })

  test('of transfers: PATCH goes where PUT goes', () => {
    expect(endpointTypeOf('POST /transfers')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_POST')
    expect(endpointTypeOf('PUT /transfers/{ID}')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_PUT')
    expect(endpointTypeOf('PATCH /transfers/{ID}')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_PUT')
    expect(endpointTypeOf('PUT /transfers/{ID}/error')).toBe('FSPIOP_CALLBACK_URL_TRANSFER_ERROR')
  })

  test('tell base addresses from templates', () => {
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
    [url, 'http://{{fsp}}.test/transfers'],
    [email, 'ops@fsp.test'],
    ['ALARM_NOTIFICATION_TOPIC', 'alarms.fsp'],
  ] as const)('for %s may be %s', (type, value) => {
    expect(isEndpointValue(type, value)).toBe(true)
  })

  test.each([
    [url, ''],
    [url, 'fsp.test/transfers'],
    [url, '/transfers'],
    [url, 'ftp://fsp.test'],
    [url, 'http://'],
    [url, 'http:///transfers'],
    [url, 'http://fsp.test:99999/'],
    [url, 'http://fsp.test/{{transferId'],
    [url, 'http://fsp.test/a b'],
    [url, `http://fsp.test/${'x'.repeat(1_024)}`],
    [email, 'http://fsp.test'],
    [email, 'ops@'],
    ['ALARM_NOTIFICATION_TOPIC', 'a b'],
  ] as const)('for %s may not be %s', (type, value) => {
    expect(isEndpointValue(type, value)).toBe(false)
  })
})
