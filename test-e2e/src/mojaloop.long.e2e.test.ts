/**
 * A hub with COMPATIBILITY=mojaloop, as scripts and clients that were written for Mojaloop see it.
 */
import { randomUUID } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request as call } from 'undici'
import { aboutBulk, newBulk, paid } from './fsp/bulk.ts'
import type { HubResponse, Fsp } from './fsp/fsp.ts'
import { account, position } from './operator/operator.ts'
import { at, newPhoneNumber, newQuote, partyOf } from './fsp/payment.ts'
import { openSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await openSchemeOfFsps({ COMPATIBILITY: 'mojaloop' })
  payer = await scheme.join('greenbank')
  payee = await scheme.join('bluewallet')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

interface Refusal {
  readonly errorInformation?: { readonly errorCode: string; readonly errorDescription: string }
}

/** Status and code of a refusal; a success has no code. */
function refusalOf({ status, body }: HubResponse): string {
  const { errorInformation } = (body === '' ? {} : JSON.parse(body)) as Refusal
  return [status, errorInformation?.errorCode].filter((word) => word !== undefined).join(' ')
}

async function resultOf(...asked: Parameters<Scheme['operator']['call']>): Promise<string> {
  const { status, json } = await scheme.operator.call(...asked)
  return refusalOf({ status, headers: {}, body: json === undefined ? '' : JSON.stringify(json) })
}

describe('An onboarding script', () => {
  test('An onboarding script receives 201 for what it creates, and errors for repeats', async () => {
    const type = 'HUB_RECONCILIATION'
    expect(await resultOf('POST', '/participants/Hub/accounts', { currency: 'KES', type })).toBe(
      '201',
    )
    const name = 'scripted'
    expect(await resultOf('POST', '/participants', { name, currency: 'KES' })).toBe('400 3003')
    expect(await resultOf('POST', '/participants', { name, currency: 'USD' })).toBe('201')
    expect(await resultOf('POST', '/participants', { name, currency: 'USD' })).toBe('400 3000')
    const { json } = await scheme.operator.call('GET', `/participants/${name}`)
    expect(json).toMatchObject({ name, isActive: 1 })
    expect((await scheme.operator.call('GET', `/participants/${name}/accounts`)).json).toEqual([])
    const limits = { currency: 'USD', limit: { type: 'NET_DEBIT_CAP', value: 1000 } }
    const path = `/participants/${name}/initialPositionAndLimits`
    expect(await resultOf('POST', path, limits)).toBe('201')
    expect(await resultOf('POST', path, limits)).toBe('500 2001')
    expect(await resultOf('GET', '/participants/nobody')).toBe('400 3200')
    const positions = await scheme.operator.call(
      'GET',
      `/participants/${name}/positions?currency=USD`,
    )
    expect(positions.json).toMatchObject({ currency: 'USD', value: 0 })
  })

  test('An onboarding script registers oracles with media types of the API, and removes unknown ones without an error', async () => {
    const oracle = {
      oracleIdType: 'ALIAS',
      endpoint: { value: 'http://127.0.0.1:9/oracle', endpointType: 'URL' },
      currency: 'USD',
      isDefault: false,
    }
    const mediaType = 'application/vnd.interoperability.participants+json;version=1.0'
    const ask = async () => {
      const { statusCode, headers, body } = await call(`${scheme.hub.urls.operator}/oracles`, {
        method: 'POST',
        headers: {
          accept: mediaType,
          'content-type': mediaType,
          authorization: `Bearer ${await scheme.operator.token()}`,
        },
        body: JSON.stringify(oracle),
      })
      await body.dump()
      return [statusCode, String(headers['content-type'] ?? '').split(';')[0]]
    }
    expect((await ask())[0]).toBe(201)
    expect(await ask()).toEqual([500, 'application/json'])
    const { json } = await scheme.operator.call('GET', '/oracles?type=ALIAS&currency=USD')
    const [{ oracleId } = { oracleId: '' }] = json as readonly { readonly oracleId: string }[]
    const changed = { ...oracle, isDefault: true }
    expect(await resultOf('PUT', `/oracles/${oracleId}`, changed)).toBe('204')
    expect(await resultOf('DELETE', `/oracles/${oracleId}`)).toBe('204')
    expect(await resultOf('DELETE', '/oracles/9999')).toBe('204')
  })

  test('An onboarding script finds a health page on each port', async () => {
    for (const url of [scheme.hub.urls.fsp, scheme.hub.urls.operator]) {
      const { statusCode, body } = await call(`${url}/health`)
      expect(statusCode).toBe(200)
      expect(await body.json()).toMatchObject({
        status: 'OK',
        services: expect.arrayContaining([
          expect.objectContaining({ name: expect.any(String), status: 'OK' }),
        ]),
      })
    }
  })
})

describe('Funds and settlement windows', () => {
  const valueOf = async (type: string, name = payer.name) =>
    (await account(scheme.operator, name, type)).value

  test('Funds out move the settlement account when they are requested, and are found by their id', async () => {
    const path = `/participants/${payer.name}/accounts/${(await account(scheme.operator, payer.name, 'SETTLEMENT')).id}`
    const before = [await valueOf('SETTLEMENT'), await valueOf('HUB_RECONCILIATION', 'Hub')]
    const move = (action: string, transferId: string) => ({
      transferId,
      externalReference: 'bank',
      action,
      reason: 'a script',
      amount: { amount: '10', currency: 'USD' },
    })
    const moved = async () => [
      (await valueOf('SETTLEMENT')) - (before[0] ?? 0),
      (await valueOf('HUB_RECONCILIATION', 'Hub')) - (before[1] ?? 0),
    ]
    const stateOf = async (id: string, state: string) => {
      const after = payer.received.length
      await payer.send('GET', `/transfers/${id}`)
      const answer = await payer.await(about(id, 'PUT'), { after })
      expect(answer.json()).toMatchObject({ transferState: state })
    }
    const [funded, out, back] = [randomUUID(), randomUUID(), randomUUID()]
    await scheme.operator.call('POST', path, move('recordFundsIn', funded))
    expect(await moved()).toEqual([-10, 10])
    await stateOf(funded, 'COMMITTED')
    await scheme.operator.call('POST', path, move('recordFundsOutPrepareReserve', out))
    expect(await moved()).toEqual([0, 10])
    await stateOf(out, 'RESERVED')
    const complete = { action: 'recordFundsOutCommit', reason: 'paid' }
    expect(await resultOf('PUT', `${path}/transfers/${out}`, complete)).toBe('202')
    expect(await moved()).toEqual([0, 0])
    await stateOf(out, 'COMMITTED')
    await scheme.operator.call('POST', path, move('recordFundsOutPrepareReserve', back))
    const abort = { action: 'recordFundsOutAbort', reason: 'not paid' }
    expect(await resultOf('PUT', `${path}/transfers/${back}`, abort)).toBe('202')
    expect(await moved()).toEqual([0, 0])
    await stateOf(back, 'ABORTED')
  })

  test('An empty window is not closed, and an unknown window or settlement is answered with 400', async () => {
    const { json } = await scheme.operator.call('GET', '/v2/settlementWindows?state=OPEN')
    const [window] = json as readonly { readonly id: number; readonly settlementWindowId: number }[]
    const id = window?.settlementWindowId ?? 0
    expect(window?.id).toBe(id)
    const closing = { state: 'CLOSED', reason: 'by a script' }
    const { status, json: refused } = await scheme.operator.call(
      'POST',
      `/v2/settlementWindows/${id}`,
      closing,
    )
    expect([status, refused]).toEqual([
      400,
      {
        errorInformation: expect.objectContaining({
          errorCode: '3100',
          errorDescription: `Generic validation error - Window ${id} is empty`,
        }),
      },
    ])
    for (const path of [
      'settlementWindows?state=FAILED',
      'settlementWindows/9999',
      'settlements/9999',
    ]) {
      expect(await resultOf('GET', `/v2/${path}`)).toBe('400 3100')
    }
    for (const query of ['state=AJAR', 'fromDateTime=yesterday']) {
      expect(await resultOf('GET', `/v2/settlementWindows?${query}`)).toMatch(/^400 /)
    }
  })

  test('A model without a currency shows null as its currency', async () => {
    const model = {
      name: 'DEFAULTNET',
      settlementGranularity: 'NET',
      settlementInterchange: 'MULTILATERAL',
      settlementDelay: 'DEFERRED',
      requireLiquidityCheck: true,
      ledgerAccountType: 'POSITION',
      settlementAccountType: 'SETTLEMENT',
      autoPositionReset: true,
    }
    expect(await resultOf('POST', '/settlementModels', model)).toBe('201')
    const { json } = await scheme.operator.call('GET', '/settlementModels/DEFAULTNET')
    expect(json).toHaveProperty('currency', null)
  })
})

describe('FSPs that follow the habits of Mojaloop', () => {
  test('A transfer goes to payeeFsp, although FSPIOP-Destination names the payer FSP itself', async () => {
    const transfer = newTransfer(payer, payee)
    const { transferId, request } = transfer
    expect(refusalOf(await payer.send('POST', '/transfers', request, to(payer)))).toBe('202')
    const asked = await payee.await(about(transferId, 'POST'))
    expect(asked.headers['fspiop-destination']).toBe(payee.name)
    await payee.send('PUT', `/transfers/${transferId}`, committed(transfer), to(payer))
    const ended = await payer.await(about(transferId, 'PUT'))
    expect(ended.json()).toMatchObject({ transferState: 'COMMITTED' })
  })

  test('A refusal has the media type application/json', async () => {
    const refused = await payer.send('POST', '/transfers', {}, { ...to(payee), accept: undefined })
    expect(refusalOf(refused)).toBe('400 3102')
    expect(refused.headers['content-type']).toBe('application/json')
  })

  test('A bulk with an unknown or inactive FSP is acknowledged, and refused by the error callback', async () => {
    const other = await scheme.join('redmoney')
    const refusedBulk = async (from: Fsp, changes: object, destination: string) => {
      const { bulkTransferId, request } = newBulk(from, other, ['1'])
      const body = { ...request, ...changes }
      const headers = { 'fspiop-destination': destination }
      expect(refusalOf(await from.send('POST', '/bulkTransfers', body, headers))).toBe('202')
      return errorOf(await from.await(aboutBulk(bulkTransferId, 'PUT', true)))
    }
    const errors = [
      await refusedBulk(payer, { payeeFsp: 'nobody' }, 'nobody'),
      await refusedBulk(payer, {}, 'nobody'),
      await refusedBulk(payer, { payerFsp: 'nobody' }, other.name),
    ]
    expect(await resultOf('PUT', `/participants/${other.name}`, { isActive: false })).toBe('200')
    errors.push(await refusedBulk(payer, {}, other.name))
    errors.push(await refusedBulk(other, { payeeFsp: payee.name }, payee.name))
    expect(errors.map((error) => `${error.errorCode} ${error.errorDescription}`)).toEqual([
      '3203 Payee FSP ID not found - Participant nobody not found',
      '3203 Payee FSP ID not found - Participant nobody not found',
      '3100 Generic validation error - FSPIOP-Source header should match Payer FSP',
      '3203 Payee FSP ID not found - Participant redmoney is inactive',
      '3202 Payer FSP ID not found - Participant redmoney is inactive',
    ])
  })

  test("A payee FSP's answer to a bulk that comes after its expiration is acknowledged with 200", async () => {
    const bulk = newBulk(payer, payee, ['1'], { expires_ms: 1_500 })
    const { bulkTransferId, items, request } = bulk
    await payer.send('POST', '/bulkTransfers', request, to(payee))
    await payer.await(aboutBulk(bulkTransferId, 'PUT'))
    const path = `/bulkTransfers/${bulkTransferId}`
    expect(refusalOf(await payee.send('PUT', path, paid(items), to(payer)))).toBe('200')
  })
})

describe('The FSPIOP API', () => {
  const soon = () => new Date().toISOString()

  test('An FSP receives the error codes that its client knows', async () => {
    const quote = newQuote(payer, payee)
    expect(refusalOf(await payer.send('POST', '/quotes', quote))).toBe('400 3102')
    const any = { ...to(payer), accept: '*/*' }
    expect(refusalOf(await payee.send('PUT', `/quotes/${quote.quoteId}`, {}, any))).toBe('400 3101')
    const stranger = { ...to(payee), 'fspiop-source': 'nobody' }
    expect(refusalOf(await payer.send('POST', '/quotes', quote, stranger))).toBe('400 3100')
    const { amount: _amount, ...missing } = quote
    expect(refusalOf(await payer.send('POST', '/quotes', missing, to(payee)))).toBe('400 3102')
    const pattern = { ...quote, amountType: 'GIVE' }
    expect(refusalOf(await payer.send('POST', '/quotes', pattern, to(payee)))).toBe('400 3100')
    const list = { ...quote, payer: 'Ada' }
    expect(refusalOf(await payer.send('POST', '/quotes', list, to(payee)))).toBe('400 3101')
    const number = { ...quote, amount: { currency: 'USD', amount: 10.123456 } }
    expect(refusalOf(await payer.send('POST', '/quotes', number, to(payee)))).toBe('400 3100')
  })

  test('An FSP associates parties with 200, and a request of an unknown FSP with a sub id has no effect', async () => {
    const requestId = randomUUID()
    const phone = newPhoneNumber()
    const party = { partyIdType: 'MSISDN', partyIdentifier: phone, fspId: payee.name }
    const batch = { requestId, partyList: [party] }
    expect((await payee.send('POST', '/participants', batch)).status).toBe(200)
    await payee.await(at('PUT', `/participants/${requestId}`))
    const path = `/participants/BUSINESS/${phone}/till1`
    const stranger = { 'fspiop-source': 'nobody' }
    expect((await payee.send('POST', path, { fspId: 'nobody' }, stranger)).status).toBe(202)
    expect((await payee.send('DELETE', path, undefined, stranger)).status).toBe(202)
    const whole = `/participants/BUSINESS/${phone}`
    expect(refusalOf(await payee.send('POST', whole, { fspId: 'nobody' }, stranger))).toMatch(
      /^400 /,
    )
    await payer.send('GET', path)
    expect(errorOf(await payer.await(at('PUT', `${path}/error`))).errorCode).toBe('3204')
  })

  test('A request to pay may have any id, be sent to any FSP that the header names, and be repeated with other content', async () => {
    const id = 'an id of theirs'
    const path = `/transactionRequests/${encodeURIComponent(id)}`
    expect((await payee.send('GET', path, undefined, to(payer))).status).toBe(202)
    await payer.await(at('GET', path))
    const request = {
      transactionRequestId: randomUUID(),
      payee: partyOf(payer, '15550000002'),
      payer: partyOf(payee, '15550000001').partyIdInfo,
      amount: { currency: 'USD', amount: '10' },
      transactionType: { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' },
    }
    for (const amount of ['10', '11']) {
      const body = { ...request, amount: { currency: 'USD', amount } }
      expect((await payee.send('POST', '/transactionRequests', body, to(payer))).status).toBe(202)
    }
    const about_ = at('POST', '/transactionRequests', request.transactionRequestId)
    await payer.await(() => payer.received.filter(about_).length === 2)
    const answer = { transactionRequestState: 'PERHAPS' }
    expect((await payer.send('PUT', path, answer, to(payee))).status).toBe(200)
    await payee.await(at('PUT', path))
    const response = { responseType: 'MAYBE' }
    const authorization = `/authorizations/${randomUUID()}`
    expect((await payer.send('PUT', authorization, response, to(payee))).status).toBe(200)
    await payee.await(at('PUT', authorization))
  })

  test('An invalid encryption header is relayed', async () => {
    const quote = newQuote(payer, payee)
    const headers = { ...to(payee), 'fspiop-encryption': 'junk' }
    expect((await payer.send('POST', '/quotes', quote, headers)).status).toBe(202)
    const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
    expect(asked.headers['fspiop-encryption']).toBe('junk')
  })

  test('A transfer to an unknown FSP or to the payer itself fails by callback', async () => {
    const before = await position(scheme.operator, payer.name)
    for (const payeeFsp of ['nobody', payer.name]) {
      const { transferId, request } = newTransfer(payer, payee)
      const sent = await payer.send(
        'POST',
        '/transfers',
        { ...request, payeeFsp },
        { 'fspiop-destination': payeeFsp },
      )
      expect(sent.status).toBe(202)
      const no = await payer.await(about(transferId, 'PUT', true))
      expect([no.headers['fspiop-source'], errorOf(no).errorCode]).toEqual(['Hub', '3100'])
    }
    expect(await position(scheme.operator, payer.name)).toBe(before)
  })

  /** A transfer that the payee FSP has been sent. */
  async function prepared(expires_ms = 30_000) {
    const transfer = newTransfer(payer, payee, { expires_ms })
    await payer.send('POST', '/transfers', transfer.request, to(payee))
    await payee.await(about(transfer.transferId, 'POST'))
    return transfer
  }

  test('A PUT with ABORTED, RESERVED in version 1.0, or a time out of bounds leaves the transfer reserved', async () => {
    const transfer = await prepared()
    const path = `/transfers/${transfer.transferId}`
    const aborted = { transferState: 'ABORTED', completedTimestamp: soon() }
    expect((await payee.send('PUT', path, aborted, to(payer))).status).toBe(200)
    const old = { 'content-type': 'application/vnd.interoperability.transfers+json;version=1.0' }
    const reserved = committed(transfer, 'RESERVED')
    expect((await payee.send('PUT', path, reserved, { ...to(payer), ...old })).status).toBe(200)
    for (const ms of [-301_000, 5_000]) {
      const late = {
        ...committed(transfer),
        completedTimestamp: new Date(Date.now() + ms).toISOString(),
      }
      expect(refusalOf(await payee.send('PUT', path, late, to(payer)))).toBe('400 3100')
    }
    await payer.send('GET', path)
    const state = await payer.await(about(transfer.transferId, 'PUT'))
    expect(state.json()).toMatchObject({ transferState: 'RESERVED' })
    expect((await payee.send('PUT', path, committed(transfer), to(payer))).status).toBe(200)
    await payer.await(
      ({ path: target, body }) => target === path && body.toString().includes('COMMITTED'),
    )
  })

  test('A transfer that is fulfilled by or for the wrong FSP is aborted', async () => {
    const other = await scheme.join('thirdbank')
    const before = await position(scheme.operator, payer.name)
    for (const [sender, receiver] of [
      [other, payer],
      [payee, other],
    ] as const) {
      const transfer = await prepared()
      const { transferId } = transfer
      await sender.send('PUT', `/transfers/${transferId}`, committed(transfer), to(receiver))
      const no = await payer.await(about(transferId, 'PUT', true))
      expect(errorOf(no).errorCode).toBe('3100')
    }
    await eventually(
      async () => (await position(scheme.operator, payer.name)) === before || undefined,
      'the position as before',
    )
  })
})
