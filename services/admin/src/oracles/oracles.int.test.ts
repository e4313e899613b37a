import * as accountLookup from '@causeway/account-lookup'
import { accountLookupService } from '@causeway/protos'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'

let admin: AdminWorld

beforeAll(async () => {
  admin = await openWorld([accountLookup])
})

afterAll(() => admin.stop())

interface OracleRow {
  readonly oracleId: number
}

async function list(running: AdminWorld, query = ''): Promise<readonly OracleRow[]> {
  return (await running.call('GET', `/oracles${query}`)).json as readonly OracleRow[]
}

async function removeAll(running: AdminWorld): Promise<void> {
  for (const { oracleId } of await list(running)) {
    await running.call('DELETE', `/oracles/${oracleId}`)
  }
}

afterEach(() => removeAll(admin))

const endpoint = { value: 'http://oracle.example/v1', endpointType: 'URL' }
const msisdn = { oracleIdType: 'MSISDN', endpoint, currency: 'USD', isDefault: true }

function refusalOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation: { errorCode: string } }
  return `${status} ${errorInformation.errorCode}`
}

describe('oracles', () => {
  test('Oracles are registered, listed by type and currency, changed and removed', async () => {
    expect(await admin.call('POST', '/oracles', msisdn)).toMatchObject({ status: 201, text: '' })
    const plain = { oracleIdType: 'CONSENT', endpoint: { ...endpoint, value: 'builtin:' } }
    expect((await admin.call('POST', '/oracles', plain)).status).toBe(201)
    const [first, second] = await list(admin)
    expect(first).toEqual({ oracleId: expect.any(Number) as unknown, ...msisdn })
    expect(second).toEqual({ oracleId: expect.any(Number) as unknown, ...plain, isDefault: false })
    expect(await list(admin, '?type=CONSENT')).toEqual([second])
    expect(await list(admin, '?currency=USD')).toEqual([first])
    expect(await list(admin, '?type=MSISDN&currency=EUR')).toEqual([])

    const path = `/oracles/${first?.oracleId}`
    const moved = { ...endpoint, value: 'https://elsewhere.example' }
    expect(await admin.call('PUT', path, { endpoint: moved })).toMatchObject({
      status: 204,
      text: '',
    })
    expect((await list(admin))[0]).toEqual({ ...first, endpoint: moved })
    expect((await admin.call('PUT', path, { isDefault: 'false', currency: 'EUR' })).status).toBe(
      204,
    )
    expect((await list(admin))[0]).toEqual({
      ...first,
      endpoint: moved,
      isDefault: false,
      currency: 'EUR',
    })
    expect((await admin.call('PUT', path, {})).status).toBe(204)
    expect(await admin.call('DELETE', path)).toMatchObject({ status: 204, text: '' })
    expect(await list(admin)).toEqual([second])
  })

  test('Oracles are registered under the media type of the lookup service, too', async () => {
    const type = 'application/vnd.interoperability.participants+json;version=1.0'
    const headers = { 'content-type': type, accept: type }
    expect((await admin.call('POST', '/oracles', msisdn, headers)).status).toBe(201)
    const found = await admin.call('GET', '/oracles', undefined, headers)
    expect(found).toMatchObject({ status: 200, json: [{ oracleIdType: 'MSISDN' }] })
    expect(found.headers.get('content-type')).toBe('application/json; charset=utf-8')
    await removeAll(admin)
  })

  test('Oracles are called from their registration until they are removed', async () => {
    const { FindOwners } = admin.parts.grpc.client(accountLookupService, 'account-lookup')
    const party = { partyIdType: 'MSISDN', partyIdentifier: '27713803912' }
    const ask = async () => {
      const { answers } = await FindOwners({
        queries: [{ ...party, currency: 'USD' }],
      })
      return answers.flatMap(({ fspIds }) => fspIds)
    }
    const oracle = createServer((_request, response) => {
      response.end(JSON.stringify({ partyList: [{ fspId: 'greenbank' }] }))
    })
    await once(oracle.listen(0, '127.0.0.1'), 'listening')
    const { port } = oracle.address() as AddressInfo
    expect(await ask()).toEqual([])
    const value = `http://127.0.0.1:${port}`
    await admin.call('POST', '/oracles', { ...msisdn, endpoint: { ...endpoint, value } })
    expect(await ask()).toEqual(['greenbank'])
    await removeAll(admin)
    expect(await ask()).toEqual([])
    oracle.closeAllConnections()
    await once(oracle.close(), 'close')
  })

  test.each<[string, unknown, string]>([
    ['without a body', undefined, '400 3102'],
    ['without a type', { endpoint }, '400 3102'],
    ['without an endpoint', { oracleIdType: 'ALIAS' }, '400 3102'],
    [
      'without an address',
      { oracleIdType: 'ALIAS', endpoint: { endpointType: 'URL' } },
      '400 3102',
    ],
    [
      'without the type of its endpoint',
      { oracleIdType: 'ALIAS', endpoint: { value: 'http://a.example' } },
      '400 3102',
    ],
    ['for an unknown type', { ...msisdn, oracleIdType: 'PHONE' }, '400 3101'],
    ['for an unknown currency', { ...msisdn, currency: 'ZZZ' }, '400 3101'],
    [
      'with another type of endpoint',
      { ...msisdn, endpoint: { ...endpoint, endpointType: 'GRPC' } },
      '400 3101',
    ],
    [
      'with an invalid address',
      { ...msisdn, endpoint: { ...endpoint, value: 'nowhere' } },
      '400 3100',
    ],
    ['with an empty address', { ...msisdn, endpoint: { ...endpoint, value: '' } }, '400 3100'],
    ['with an invalid default', { ...msisdn, isDefault: 'perhaps' }, '400 3100'],
    ['with an unknown member', { ...msisdn, colour: 'red' }, '400 3100'],
  ])('Oracles %s are refused', async (_title, body, expected) => {
    expect(refusalOf(await admin.call('POST', '/oracles', body))).toBe(expected)
    expect(await list(admin)).toEqual([])
  })

  test('Oracles of the same type and currency are refused, also as a change', async () => {
    await admin.call('POST', '/oracles', msisdn)
    const again = { ...msisdn, endpoint: { ...endpoint, value: 'http://second.example' } }
    expect(refusalOf(await admin.call('POST', '/oracles', again))).toBe('400 3100')
    await admin.call('POST', '/oracles', { ...again, currency: 'EUR' })
    const [, other] = await list(admin)
    const path = `/oracles/${other?.oracleId}`
    expect(refusalOf(await admin.call('PUT', path, { currency: 'USD' }))).toBe('400 3100')
    expect(refusalOf(await admin.call('PUT', path, { oracleIdType: 'PHONE' }))).toBe('400 3101')
    expect(refusalOf(await admin.call('PUT', path, { endpoint: { value: 'nowhere' } }))).toBe(
      '400 3100',
    )
  })

  test.each([
    ['GET', '/oracles?type=PHONE', '400 3101'],
    ['GET', '/oracles?currency=ZZZ', '400 3101'],
    ['PUT', '/oracles/2000000000', '404 3200'],
    ['DELETE', '/oracles/2000000000', '404 3200'],
    ['DELETE', '/oracles/first', '400 3101'],
    ['DELETE', '/oracles/2147483648', '400 3100'],
    ['DELETE', '/oracles', '405 3000'],
    ['GET', '/oracles/1', '405 3000'],
  ])('%s %s is refused with %s', async (method, path, expected) => {
    const body = method === 'PUT' ? { currency: 'USD' } : undefined
    expect(refusalOf(await admin.call(method, path, body))).toBe(expected)
  })
})

describe("oracles of Mojaloop's scripts", () => {
  let lenient: AdminWorld

  beforeAll(async () => {
    lenient = await openWorld([accountLookup], { COMPATIBILITY: 'mojaloop' })
  })

  afterAll(() => lenient.stop())

  test("Mojaloop's scripts get the answers about oracles that they expect", async () => {
    expect((await lenient.call('POST', '/oracles', msisdn)).status).toBe(201)
    expect(refusalOf(await lenient.call('POST', '/oracles', msisdn))).toBe('500 2001')
    const unknown = '/oracles/2000000000'
    expect((await lenient.call('DELETE', unknown)).status).toBe(204)
    expect(refusalOf(await lenient.call('PUT', unknown, { currency: 'USD' }))).toBe('400 3003')
  })
})
