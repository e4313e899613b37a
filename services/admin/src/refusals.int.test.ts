import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { openWorld, type ApiResponse, type AdminWorld } from './testing/world.ts'
import { accountOf, deferredNet, deposit, onboard, openScheme } from './testing/scheme.ts'

const services = [participantLifecycle, settlements, transfers] as const

let admin: AdminWorld
/** `known` is an active participant, `sleeper` an inactive one. */
let settlementId: number
let positionId: number
let sleeperId: number

beforeAll(async () => {
  admin = await openWorld(services)
  await openScheme(admin)
  await onboard(admin, 'known')
  await onboard(admin, 'sleeper')
  await admin.call('PUT', '/participants/sleeper', { isActive: false })
  await admin.call('POST', '/participants', { name: 'waiting', currency: 'USD' })
  settlementId = (await accountOf(admin, 'known', 'SETTLEMENT')).id
  positionId = (await accountOf(admin, 'known', 'POSITION')).id
  sleeperId = (await accountOf(admin, 'sleeper', 'SETTLEMENT')).id
})

afterAll(() => admin.stop())

function refusalOf({ status, json }: ApiResponse): string {
  const { errorCode, errorDescription } = (
    json as { errorInformation: { errorCode: string; errorDescription: string } }
  ).errorInformation
  expect(errorDescription.length).toBeGreaterThan(3)
  return `${status} ${errorCode}`
}

const limit = { type: 'NET_DEBIT_CAP', value: 10 }
const usd = { currency: 'USD' }

/** The request, and the status and code of its refusal. */
const table: Readonly<Record<string, readonly [string, string, unknown, string][]>> = {
  'POST /participants': [
    ['without a body', '', undefined, '400 3102'],
    ['with what is no JSON', '', '{"name":', '400 3101'],
    ['with a list', '', [], '400 3100'],
    ['without a name', '', usd, '400 3102'],
    ['without a currency', '', { name: 'abc' }, '400 3102'],
    ['with a name that is a number', '', { name: 7, ...usd }, '400 3100'],
    ['with a name of one letter', '', { name: 'a', ...usd }, '400 3100'],
    ['with a name of 31 letters', '', { name: 'a'.repeat(31), ...usd }, '400 3100'],
    ['with a name that has a blank', '', { name: 'a b', ...usd }, '400 3101'],
    ['with a name that is a path', '', { name: 'limits', ...usd }, '400 3100'],
    ['with an unknown currency', '', { name: 'abc', currency: 'ZZZ' }, '400 3101'],
    ['with an unknown member', '', { name: 'abc', ...usd, colour: 'red' }, '400 3100'],
    ['of a currency without hub accounts', '', { name: 'abc', currency: 'EUR' }, '400 3003'],
    ['of a known name and currency', '', { name: 'known', ...usd }, '400 3000'],
    ["with the hub's name", '', { name: 'Hub', ...usd }, '400 3000'],
  ],
  'GET /participants': [
    ['of an unknown name', '/nobody', undefined, '404 3200'],
    ['of a name of one letter', '/x', undefined, '400 3100'],
    ['of a name with a control character', '/a%00b', undefined, '400 3101'],
    ['of what cannot be decoded', '/%E0%A4', undefined, '400 3101'],
    ['accounts of an unknown name', '/nobody/accounts', undefined, '404 3200'],
    ['positions of an unknown name', '/nobody/positions', undefined, '404 3200'],
    ['limits of an unknown name', '/nobody/limits', undefined, '404 3200'],
    ['endpoints of an unknown name', '/nobody/endpoints', undefined, '404 3200'],
    ['limits in an unknown currency', '/known/limits?currency=ZZZ', undefined, '400 3101'],
    ['with two currencies', '/limits?currency=USD&currency=EUR', undefined, '400 3100'],
    ['of what does not exist', '/known/nothing', undefined, '404 3002'],
  ],
  'PUT /participants': [
    ['without isActive', '/known', {}, '400 3102'],
    ['with an isActive that is neither', '/known', { isActive: 'yes' }, '400 3100'],
    ['with an isActive that is a number', '/known', { isActive: 1 }, '400 3100'],
    ['of the hub', '/Hub', { isActive: false }, '400 3000'],
    ['of an unknown name', '/nobody', { isActive: true }, '404 3200'],
    ['limits without one', '/known/limits', usd, '400 3102'],
    [
      'limits without a value',
      '/known/limits',
      { ...usd, limit: { type: 'NET_DEBIT_CAP' } },
      '400 3102',
    ],
    [
      'limits of another type',
      '/known/limits',
      { ...usd, limit: { ...limit, type: 'X' } },
      '400 3101',
    ],
    ['a limit below 0', '/known/limits', { ...usd, limit: { ...limit, value: -1 } }, '400 3100'],
    [
      'a limit of five decimals',
      '/known/limits',
      '{"currency":"USD","limit":{"type":"NET_DEBIT_CAP","value":1.00001}}',
      '400 3101',
    ],
    [
      'a limit in words',
      '/known/limits',
      { ...usd, limit: { ...limit, value: 'ten' } },
      '400 3101',
    ],
    [
      'an alarm above 100',
      '/known/limits',
      { ...usd, limit: { ...limit, alarmPercentage: 101 } },
      '400 3100',
    ],
    ['an unknown member', '/known/limits', { ...usd, limit: { ...limit, colour: 1 } }, '400 3100'],
    [
      'a limit in a currency without accounts',
      '/known/limits',
      { currency: 'EUR', limit },
      '404 3200',
    ],
    ['a limit that there is not', '/waiting/limits', { ...usd, limit }, '404 3200'],
    ['limits of an unknown name', '/nobody/limits', { ...usd, limit }, '404 3200'],
    ['an account that is none', '/known/accounts/x', { isActive: true }, '400 3101'],
    ['account 0', '/known/accounts/0', { isActive: true }, '400 3101'],
    ['an account beyond all', '/known/accounts/99999999999', { isActive: true }, '400 3100'],
    ['an unknown account', '/known/accounts/999999', { isActive: true }, '404 3200'],
    ["another's account", '/sleeper/accounts/1', { isActive: true }, '404 3200'],
  ],
  'POST /participants/': [
    ['hub accounts of another type', 'Hub/accounts', { ...usd, type: 'POSITION' }, '400 3003'],
    ['hub accounts without a type', 'Hub/accounts', usd, '400 3102'],
    [
      'hub accounts that there are',
      'Hub/accounts',
      { ...usd, type: 'HUB_RECONCILIATION' },
      '400 3003',
    ],
    ['hub accounts that nothing uses', 'Hub/accounts', { ...usd, type: 'HUB_FEE' }, '400 3003'],
    [
      'accounts of others',
      'known/accounts',
      { currency: 'EUR', type: 'HUB_RECONCILIATION' },
      '400 3003',
    ],
    [
      'accounts of an unknown name',
      'nobody/accounts',
      { ...usd, type: 'HUB_RECONCILIATION' },
      '404 3200',
    ],
    ['endpoints without a value', 'known/endpoints', { type: 'FSPIOP_CALLBACK_URL' }, '400 3102'],
    [
      'endpoints of another type',
      'known/endpoints',
      { type: 'X', value: 'http://a.example' },
      '400 3100',
    ],
    [
      'endpoints that are no address',
      'known/endpoints',
      { type: 'FSPIOP_CALLBACK_URL', value: 'a.example' },
      '400 3100',
    ],
    [
      'endpoints with a control character',
      'known/endpoints',
      { type: 'FSPIOP_CALLBACK_URL', value: 'http://a.example/\u0000' },
      '400 3101',
    ],
    [
      'e-mail endpoints that are none',
      'known/endpoints',
      { type: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL', value: 'http://a.example' },
      '400 3100',
    ],
    [
      'endpoints of an unknown name',
      'nobody/endpoints',
      { type: 'FSPIOP_CALLBACK_URL', value: 'http://a.example' },
      '404 3200',
    ],
    ['a beginning without a limit', 'waiting/initialPositionAndLimits', usd, '400 3102'],
    [
      'a beginning below 0',
      'waiting/initialPositionAndLimits',
      { ...usd, limit: { ...limit, value: '-1' } },
      '400 3100',
    ],
    [
      'a beginning with a position in words',
      'waiting/initialPositionAndLimits',
      { ...usd, limit, initialPosition: 'none' },
      '400 3101',
    ],
    [
      'a beginning without accounts',
      'waiting/initialPositionAndLimits',
      { currency: 'EUR', limit },
      '404 3200',
    ],
    ['a second beginning', 'known/initialPositionAndLimits', { ...usd, limit }, '400 3000'],
    [
      'a beginning of an unknown name',
      'nobody/initialPositionAndLimits',
      { ...usd, limit },
      '404 3200',
    ],
  ],
  'POST /settlementModels': [
    ['without a name', '', { ...deferredNet, name: undefined }, '400 3102'],
    ['with a name that has a hyphen', '', { ...deferredNet, name: 'DEFERRED-NET' }, '400 3101'],
    ['with a known name', '', deferredNet, '400 3000'],
    ['without a currency', '', { ...deferredNet, name: 'M1', currency: undefined }, '400 3102'],
    [
      'with another granularity',
      '',
      { ...deferredNet, name: 'M1', settlementGranularity: 'FINE' },
      '400 3101',
    ],
    [
      'net and immediate',
      '',
      { ...deferredNet, name: 'M1', settlementDelay: 'IMMEDIATE' },
      '400 3000',
    ],
    [
      'net and immediate',
      '',
      { ...deferredNet, name: 'M1', settlementDelay: 'IMMEDIATE' },
      '400 3000',
    ],
    [
      'without an account type',
      '',
      { ...deferredNet, name: 'M1', ledgerAccountType: undefined },
      '400 3102',
    ],
    [
      'with another account type',
      '',
      { ...deferredNet, name: 'M1', ledgerAccountType: 'HUB_FEE' },
      '400 3003',
    ],
    [
      'with two account types',
      '',
      { ...deferredNet, name: 'M1', ledgerAccountTypeId: 'SETTLEMENT' },
      '400 3100',
    ],
    [
      'with another settlement account type',
      '',
      { ...deferredNet, name: 'M1', settlementAccountType: 'POSITION' },
      '400 3003',
    ],
    [
      'with a check that is neither',
      '',
      { ...deferredNet, name: 'M1', requireLiquidityCheck: 'perhaps' },
      '400 3100',
    ],
    ['with an unknown member', '', { ...deferredNet, name: 'M1', colour: 'red' }, '400 3100'],
  ],
  'GET /settlementModels': [['of an unknown name', '/NOTHING', undefined, '404 3200']],
}

for (const [operation, rows] of Object.entries(table)) {
  const [method = '', base = ''] = operation.split(' ')
  describe(operation, () => {
    test.each(rows)(`${operation} %s is refused`, async (_what, path, body, expected) => {
      expect(refusalOf(await admin.call(method, base + path, body))).toBe(expected)
    })
  })
}

describe('POST /participants/{name}/accounts/{id}', () => {
  const extension = Array.from({ length: 17 }, (_, index) => ({ key: `k${index}`, value: 'v' }))
  test.each([
    ['without a transferId', { transferId: undefined }, '400 3102'],
    ['with a transferId that is none', { transferId: '7' }, '400 3101'],
    ['without a reference', { externalReference: undefined }, '400 3102'],
    ['without a reason', { reason: undefined }, '400 3102'],
    ['with a control character', { reason: 'a\u0000b' }, '400 3101'],
    ['with an empty reason', { reason: '' }, '400 3100'],
    ['with another action', { action: 'recordFundsAway' }, '400 3101'],
    ['without an amount', { amount: undefined }, '400 3102'],
    ['of nothing', { amount: { amount: '0', ...usd } }, '400 3100'],
    ['of less than nothing', { amount: { amount: '-1', ...usd } }, '400 3101'],
    ['with a zero at its end', { amount: { amount: '1.10', ...usd } }, '400 3101'],
    ['in an unknown currency', { amount: { amount: '1', currency: 'ZZZ' } }, '400 3101'],
    [
      "in a currency that is not the account's",
      { amount: { amount: '1', currency: 'EUR' } },
      '400 3100',
    ],
    ['with an unknown member', { colour: 'red' }, '400 3100'],
    ['with no extension', { extensionList: { extension: [] } }, '400 3100'],
    ['with 17 extensions', { extensionList: { extension } }, '400 3103'],
  ])('A deposit %s is refused', async (_what, changes, expected) => {
    const path = `/participants/known/accounts/${settlementId}`
    expect(refusalOf(await admin.call('POST', path, deposit(changes)))).toBe(expected)
  })

  test.each([
    ['to a position account', () => `known/accounts/${positionId}`, '400 3100'],
    ["to another's account", () => `known/accounts/${sleeperId}`, '404 3200'],
    ['to an unknown account', () => 'known/accounts/999999', '404 3200'],
    ['to an unknown participant', () => `nobody/accounts/${settlementId}`, '404 3200'],
    ['to an inactive participant', () => `sleeper/accounts/${sleeperId}`, '400 3100'],
  ])('A deposit %s is refused', async (_what, path, expected) => {
    expect(refusalOf(await admin.call('POST', `/participants/${path()}`, deposit()))).toBe(expected)
  })
})

describe('the way in', () => {
  test.each([
    ['DELETE', '/participants', 'GET, POST'],
    ['DELETE', '/participants/known', 'GET, PUT'],
    ['PATCH', '/participants/known/endpoints', 'GET, POST'],
    ['POST', '/participants/known/limits', 'GET, PUT'],
    ['DELETE', '/participants/known/accounts/1', 'PUT, POST'],
    ['DELETE', '/participants/known/accounts/1/transfers/x', 'PUT'],
    ['OPTIONS', '/settlementModels', 'GET, POST'],
    ['DELETE', '/settlementModels/X', 'GET, PUT'],
    ['POST', '/transactions/x', 'GET'],
    ['DELETE', '/health', 'GET'],
    ['GET', '/verify', 'POST'],
  ])('%s %s is 405 and names the permitted methods', async (method, path, allow) => {
    const answer = await admin.call(method, path)
    expect(refusalOf(answer)).toBe('405 3000')
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test.each(['/', '/nothing', '/Participants', '/participants/known/accounts/1/2', '/v2/x'])(
    'GET %s is 404',
    async (path) => {
      expect(refusalOf(await admin.call('GET', path))).toBe('404 3002')
    },
  )

  test('An Accept that excludes JSON is 406', async () => {
    const answer = await admin.call('GET', '/participants', undefined, { accept: 'text/html' })
    expect(refusalOf(answer)).toBe('406 3001')
    const list = await admin.call('GET', '/participants', undefined, { accept: 'text/html, */*' })
    expect(list.status).toBe(200)
  })

  test.each(['text/plain', 'application/xml', 'nonsense', '', 'application/+json', 'text/json'])(
    'A body of type %j is 400',
    async (type) => {
      const body = { name: 'abc', ...usd }
      const answer = await admin.call('POST', '/participants', body, { 'content-type': type })
      expect(refusalOf(answer)).toBe('400 3101')
    },
  )

  test('A POST without a type is 400, also without a body', async () => {
    for (const init of [{}, { body: Buffer.from('{"name":"abc"}') }]) {
      for (const path of ['/participants', '/verify']) {
        const answer = await fetch(`${admin.url}${path}`, { method: 'POST', ...init })
        const json = (await answer.json()) as { errorInformation: { errorCode: string } }
        expect([answer.status, json.errorInformation.errorCode]).toEqual([400, '3101'])
      }
    }
  })

  const vendor = 'application/vnd.interoperability.participants+json;version=1.0'

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', vendor])(
    'A body of type %s is read as JSON',
    async (type) => {
      const answer = await admin.call('POST', '/participants', {}, { 'content-type': type })
      expect(refusalOf(answer)).toBe('400 3102')
    },
  )

  test.each([vendor, `${vendor}, application/xml`, 'application/problem+json'])(
    'An Accept of %s is answered with JSON',
    async (accept) => {
      const answer = await admin.call('GET', '/participants', undefined, { accept })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    },
  )

  test('A body that is too large is 3104', async () => {
    const body = { name: 'a'.repeat(1_100_000), ...usd }
    expect(refusalOf(await admin.call('POST', '/participants', body))).toBe('400 3104')
  })

  test('A body that is not UTF-8 is 3101', async () => {
    const { hostname, port } = new URL(admin.url)
    const socket = connect(Number(port), hostname)
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
    socket.write(
      `POST /participants HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.end(body)
    expect(await text(socket)).toContain('Malformed syntax - the body is not UTF-8')
  })
})
