/**
 * Answers that FSP clients and operators' scripts written for other hubs rely on, by the
 * specification.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { HubResponse, Fsp } from './fsp/fsp.ts'
import { account } from './operator/operator.ts'
import { at, move, newPhoneNumber, newQuote } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-clients')
  payee = await scheme.join('bluewallet-clients')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

interface Information {
  readonly errorCode: string
  readonly errorDescription: string
}

/**
 * Status, code and description of a refusal; an acknowledgement has neither code nor description.
 */
function refusalOf({ status, body }: HubResponse): string {
  if (body === '') return String(status)
  const { errorInformation } = JSON.parse(body) as { readonly errorInformation: Information }
  return `${status} ${errorInformation.errorCode} ${errorInformation.errorDescription}`
}

const media = (resource: string, version: string) =>
  `application/vnd.interoperability.${resource}+json;version=${version}`

describe('The head of a message', () => {
  test.each([
    ['without Accept', { accept: undefined }, /^400 3102 .*Accept is required.*accept/],
    [
      'without Content-Type',
      { 'content-type': undefined },
      /^400 3102 .*Content-type is required.*content-type/,
    ],
    ['without Date', { date: undefined }, /^400 3102 .*date/],
    ['without FSPIOP-Source', { 'fspiop-source': undefined }, /^400 3102 .*fspiop-source/],
    ['with an empty FSPIOP-Source', { 'fspiop-source': '' }, /^400 3\d{3} /],
    ['of an unknown source', { 'fspiop-source': 'nobody' }, /^400 3200 /],
    [
      'with an unsupported version in Accept',
      { accept: media('quotes', '2.0') },
      /^406 3001 Unacceptable version requested - The Client requested an unsupported version, see extension list for supported version\(s\)\.$/,
    ],
    [
      'with an unsupported version in Content-Type',
      { 'content-type': media('quotes', '2.0') },
      /^406 3001 Unacceptable version requested - Client supplied a protocol version which is not supported by the server$/,
    ],
    ['of another resource', { 'content-type': media('transfers', '1.1') }, /^400 3101 /],
    [
      'that is not JSON',
      { 'content-type': 'application/vnd.interoperability.quotes+xml;version=1.1' },
      /^400 3101 Malformed syntax - Unsupported Media Type$/,
    ],
  ])(
    'A message %s is refused with the code and text that clients expect',
    async (_title, headers, refusal) => {
      const quote = newQuote(payer, payee)
      const answer = await payer.send('POST', '/quotes', quote, { ...to(payee), ...headers })
      expect(refusalOf(answer)).toMatch(refusal)
    },
  )

  test('A message of version 1.0 is accepted and relayed with that version', async () => {
    const quote = newQuote(payer, payee)
    const old = { accept: media('quotes', '1.0'), 'content-type': media('quotes', '1.0') }
    expect((await payer.send('POST', '/quotes', quote, { ...to(payee), ...old })).status).toBe(202)
    const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
    expect(asked.headers).toMatchObject(old)
  })

  test('A PUT needs no Accept, and an empty id in a path is answered with 404', async () => {
    const put = await payee.send('PUT', '/transfers/', {}, to(payer))
    expect(refusalOf(put)).toMatch(/^404 3002 /)
    const path = `/parties/MSISDN/${newPhoneNumber()}/error`
    const errorInformation = { errorCode: '3204', errorDescription: 'Party not found' }
    expect((await payee.send('PUT', path, { errorInformation }, to(payer))).status).toBe(200)
  })
})

describe('The body of a message', () => {
  test('A malformed name or date of birth is refused with 3100 and the name of the field', async () => {
    const faults = [
      [{ personalInfo: { complexName: { lastName: '   ' } } }, 'lastName'],
      [{ personalInfo: { dateOfBirth: '1999-13-01' } }, 'dateOfBirth'],
      [{ personalInfo: { complexName: { firstName: '' } } }, 'firstName'],
    ] as const
    for (const [changed, field] of faults) {
      const quote = newQuote(payer, payee)
      const faulty = { ...quote, payer: { ...quote.payer, ...changed } }
      const answer = await payer.send('POST', '/quotes', faulty, to(payee))
      expect(refusalOf(answer)).toMatch(new RegExp(`^400 3100 .*${field}`))
    }
  })

  test('An unknown currency is refused with 3100 or 3101', async () => {
    const quote = { ...newQuote(payer, payee), amount: { currency: 'XXZ', amount: '1' } }
    expect(refusalOf(await payer.send('POST', '/quotes', quote, to(payee)))).toMatch(
      /^400 310[01] /,
    )
  })

  test('A body may contain unknown members at any depth', async () => {
    const quote = newQuote(payer, payee)
    const more = { ...quote, more: { a: [1] }, payer: { ...quote.payer, tier: 'gold' } }
    expect((await payer.send('POST', '/quotes', more, to(payee))).status).toBe(202)
    const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
    expect(asked.body.toString()).toBe(JSON.stringify(more))
  })

  test('A body and headers that only signatures would cover may contain any value', async () => {
    const quote = newQuote(payer, payee)
    const junk = {
      'fspiop-signature': 'junk',
      'fspiop-uri': 'elsewhere',
      'fspiop-http-method': 'PURGE',
      'x-forwarded-for': 'no address',
    }
    expect((await payer.send('POST', '/quotes', quote, { ...to(payee), ...junk })).status).toBe(202)
    const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
    expect(asked.headers).toMatchObject(junk)
  })
})

describe('GET /authorizations/{ID}', () => {
  const good = { authenticationType: 'OTP', retriesLeft: '2', amount: '10', currency: 'USD' }

  test.each([
    ['without retriesLeft', { retriesLeft: undefined }, /^400 3102 .*retriesLeft/],
    [
      'without authenticationType',
      { authenticationType: undefined },
      /^400 3102 .*authenticationType/,
    ],
    ['without currency', { currency: undefined }, /^400 3102 .*currency/],
    ['with retriesLeft that is no integer', { retriesLeft: 'two' }, /^400 3101 .*retriesLeft/],
    [
      'with an unknown authenticationType',
      { authenticationType: 'IRIS' },
      /^400 310[01] .*authenticationType/,
    ],
  ])('GET /authorizations/{ID} %s is refused', async (_title, changed, refusal) => {
    const query = Object.entries({ ...good, ...changed }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    )
    const path = `/authorizations/${randomUUID()}?${query.join('&')}`
    expect(refusalOf(await payer.send('GET', path, undefined, to(payee)))).toMatch(refusal)
  })
})

describe('A transfer', () => {
  test('An amount with four decimals is exact, and JSON numbers have no rounding noise', async () => {
    const value = async (fsp: Fsp) => (await account(scheme.operator, fsp.name, 'POSITION')).value
    const before = [await value(payer), await value(payee)] as const
    for (const amount of ['0.1', '0.2', '0.0001']) {
      await move(payer, payee, newTransfer(payer, payee, { amount }))
    }
    const sum = 3_001
    const units = async (fsp: Fsp) => Math.round((await value(fsp)) * 10_000)
    expect(await units(payer)).toBe(Math.round(before[0] * 10_000) + sum)
    expect(await units(payee)).toBe(Math.round(before[1] * 10_000) - sum)
    expect(String(await value(payer))).toMatch(/^-?\d+(\.\d{1,4})?$/)
  })

  test('A PUT with ABORTED is refused and changes nothing', async () => {
    const transfer = newTransfer(payer, payee)
    const { transferId } = transfer
    await payer.send('POST', '/transfers', transfer.request, to(payee))
    await payee.await(about(transferId, 'POST'))
    const aborted = { transferState: 'ABORTED', completedTimestamp: new Date().toISOString() }
    const refused = await payee.send('PUT', `/transfers/${transferId}`, aborted, to(payer))
    expect(refusalOf(refused)).toMatch(/^400 3101 /)
    await payer.send('GET', `/transfers/${transferId}`)
    const state = await payer.await(about(transferId, 'PUT'))
    expect(state.json()).toMatchObject({ transferState: 'RESERVED' })
    const no = { errorInformation: { errorCode: '5104', errorDescription: 'No' } }
    await payee.send('PUT', `/transfers/${transferId}/error`, no, to(payer))
    expect(errorOf(await payer.await(about(transferId, 'PUT', true))).errorCode).toBe('5104')
  })

  test('A transfer from an FSP to itself is refused with 3100, and a quote to itself is relayed', async () => {
    const { request } = newTransfer(payer, payer)
    expect(refusalOf(await payer.send('POST', '/transfers', request, to(payer)))).toMatch(
      /^400 3100 /,
    )
    const quote = newQuote(payer, payer)
    expect((await payer.send('POST', '/quotes', quote, to(payer))).status).toBe(202)
    await payer.await(at('POST', '/quotes', quote.quoteId))
  })
})
