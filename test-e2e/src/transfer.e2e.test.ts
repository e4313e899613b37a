/** A transfer from prepare to outcome as its two FSPs see it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import { account, deposit, position } from './operator/operator.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer, type Transfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp
let stranger: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-transfer')
  payee = await scheme.join('bluewallet-transfer')
  stranger = await scheme.join('redmoney-transfer')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })
const positions = async () => ({
  payer: await position(scheme.operator, payer.name),
  payee: await position(scheme.operator, payee.name),
})

async function prepare(transfer: Transfer) {
  const answer = await payer.send('POST', '/transfers', transfer.request, to(payee))
  expect([answer.status, answer.body]).toEqual([202, ''])
  return payee.await(about(transfer.transferId, 'POST'))
}

async function fulfil(transfer: Transfer, body: unknown = committed(transfer)) {
  const path = `/transfers/${transfer.transferId}`
  const answer = await payee.send('PUT', path, body, to(payer))
  expect([answer.status, answer.body]).toEqual([200, ''])
}

async function stateSeenBy(fsp: Fsp, transferId: string, error = false) {
  const after = fsp.received.length
  const { status } = await fsp.send('GET', `/transfers/${transferId}`)
  expect(status).toBe(202)
  return fsp.await(about(transferId, 'PUT', error), { after })
}

test('A transfer moves money from payer to payee, and both messages arrive byte for byte', async () => {
  const before = await positions()
  const transfer = newTransfer(payer, payee)
  const body = `{ "extra" : {"é":"\\u00fc"},${JSON.stringify(transfer.request).slice(1)}`
  await payer.send('POST', '/transfers', body, {
    ...to(payee),
    'fspiop-signature': '{"signature":"relayed as it is"}',
    'fspiop-uri': '/transfers',
  })
  const request = await payee.await(about(transfer.transferId, 'POST'))
  expect(request.body.toString()).toBe(body)
  expect(request.headers).toMatchObject({
    accept: 'application/vnd.interoperability.transfers+json;version=1.1',
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
    'fspiop-source': payer.name,
    'fspiop-destination': payee.name,
    'fspiop-signature': '{"signature":"relayed as it is"}',
    'fspiop-uri': '/transfers',
  })
  expect((await positions()).payer).toBe(before.payer + 10)

  const answer = `{"transferState" : "COMMITTED", "fulfilment":"${transfer.fulfilment}"}`
  await payee.send('PUT', `/transfers/${transfer.transferId}`, answer, to(payer))
  const outcome = await payer.await(about(transfer.transferId, 'PUT'))
  expect(outcome.body.toString()).toBe(answer)
  expect(outcome.headers['fspiop-source']).toBe(payee.name)
  expect(outcome.headers.accept).toBeUndefined()
  expect(await positions()).toEqual({ payer: before.payer + 10, payee: before.payee - 10 })
})

test('After RESERVED the payee FSP receives the outcome by PATCH, and the payer FSP from the hub', async () => {
  const transfer = newTransfer(payer, payee)
  await prepare(transfer)
  await fulfil(transfer, committed(transfer, 'RESERVED'))

  const outcome = await payer.await(about(transfer.transferId, 'PUT'))
  expect(outcome.json()).toMatchObject({
    transferState: 'COMMITTED',
    fulfilment: transfer.fulfilment,
  })
  expect(outcome.json()).not.toHaveProperty('transferId')
  expect(outcome.headers).toMatchObject({
    'fspiop-source': 'Hub',
    'fspiop-destination': payer.name,
    'fspiop-http-method': 'PUT',
    'fspiop-uri': `/transfers/${transfer.transferId}`,
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
  })
  expect(outcome.headers).not.toHaveProperty('fspiop-signature')
  const notice = await payee.await(about(transfer.transferId, 'PATCH'))
  expect(notice.json()).toMatchObject({ transferState: 'COMMITTED' })
  expect(notice.headers).toMatchObject({
    'fspiop-source': 'Hub',
    'fspiop-http-method': 'PATCH',
    'fspiop-uri': `/transfers/${transfer.transferId}`,
  })
})

test('A refusal of the payee FSP ends the transfer and reaches the payer FSP unchanged', async () => {
  const before = await positions()
  const transfer = newTransfer(payer, payee)
  await prepare(transfer)
  const refusal = '{"errorInformation":{"errorCode":"5104","errorDescription":"Payee says no"}}'
  const path = `/transfers/${transfer.transferId}/error`
  expect((await payee.send('PUT', path, refusal, to(payer))).status).toBe(200)
  const outcome = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(outcome.body.toString()).toBe(refusal)
  expect(outcome.headers['fspiop-source']).toBe(payee.name)
  expect(await positions()).toEqual(before)

  const state = await stateSeenBy(payer, transfer.transferId)
  expect(state.json()).toMatchObject({
    transferState: 'ABORTED',
    extensionList: { extension: [{ key: 'cause', value: '5104: Payee says no' }] },
  })
})

test('A fulfilment that does not match the condition aborts the transfer, and both FSPs receive 3100', async () => {
  const before = await positions()
  const transfer = newTransfer(payer, payee)
  await prepare(transfer)
  await fulfil(transfer, {
    ...committed(transfer),
    fulfilment: newTransfer(payer, payee).fulfilment,
  })
  for (const fsp of [payer, payee]) {
    const callback = await fsp.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback)).toEqual({
      errorCode: '3100',
      errorDescription: 'Generic validation error - invalid fulfilment',
    })
    expect(callback.headers['fspiop-source']).toBe('Hub')
    expect(callback.headers['fspiop-uri']).toBe(`/transfers/${transfer.transferId}/error`)
  }
  expect(await positions()).toEqual(before)
})

test('An invalid fulfilment after RESERVED is answered with PATCH and ABORTED', async () => {
  const transfer = newTransfer(payer, payee)
  await prepare(transfer)
  await fulfil(transfer, { transferState: 'RESERVED' })
  const notice = await payee.await(about(transfer.transferId, 'PATCH'))
  expect(notice.json()).toMatchObject({ transferState: 'ABORTED' })
  expect(errorOf(await payer.await(about(transfer.transferId, 'PUT', true))).errorCode).toBe('3100')
})

test('An unanswered transfer expires, and both FSPs receive 3303', async () => {
  const before = await positions()
  const transfer = newTransfer(payer, payee, { expires_ms: 1_500 })
  await prepare(transfer)
  for (const fsp of [payer, payee]) {
    const callback = await fsp.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback)).toEqual({ errorCode: '3303', errorDescription: 'Transfer expired' })
  }
  expect(await positions()).toEqual(before)

  await fulfil(transfer, committed(transfer, 'RESERVED'))
  const late = await payee.await(about(transfer.transferId, 'PATCH'))
  expect(late.json()).toMatchObject({ transferState: 'ABORTED' })
  expect(await positions()).toEqual(before)
  const state = await stateSeenBy(payee, transfer.transferId)
  expect(state.json()).toMatchObject({
    transferState: 'ABORTED',
    extensionList: { extension: [{ key: 'cause', value: '3303: Transfer expired' }] },
  })
})

test('A transfer that has expired on arrival is refused with 3303', async () => {
  const transfer = newTransfer(payer, payee, { expires_ms: -1_000 })
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  const callback = await payer.await(about(transfer.transferId, 'PUT', true))
  expect(errorOf(callback).errorCode).toBe('3303')
})

describe('A refused transfer', () => {
  test('A transfer beyond the cover is refused with 4001, and one beyond the cap alone with 4200', async () => {
    const poor = await scheme.join('poorbank-transfer', { funds: '100', netDebitCap: '500' })
    const capped = await scheme.join('cappedbank-transfer', { funds: '500', netDebitCap: '100' })
    for (const [fsp, code] of [
      [poor, '4001'],
      [capped, '4200'],
    ] as const) {
      const transfer = newTransfer(fsp, payee, { amount: '100.0001' })
      await fsp.send('POST', '/transfers', transfer.request)
      const callback = await fsp.await(about(transfer.transferId, 'PUT', true))
      expect(errorOf(callback).errorCode).toBe(code)
      const fits = newTransfer(fsp, payee, { amount: '100' })
      await fsp.send('POST', '/transfers', fits.request)
      await payee.await(about(fits.transferId, 'POST'))
    }
  })

  test('A transfer to an unknown payee is refused with 3203, and to an inactive one with 3100', async () => {
    const toUnknown = { ...newTransfer(payer, payee).request, payeeFsp: 'nobody' }
    await payer.send('POST', '/transfers', toUnknown)
    const unknown = await payer.await(about(toUnknown.transferId, 'PUT', true))
    expect(errorOf(unknown).errorCode).toBe('3203')

    const asleep = await scheme.join('asleep-transfer')
    await scheme.operator.call('PUT', '/participants/asleep-transfer', { isActive: false })
    const transfer = newTransfer(payer, asleep)
    await payer.send('POST', '/transfers', transfer.request)
    const inactive = await payer.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(inactive).errorCode).toBe('3100')

    const own = await asleep.send('POST', '/transfers', newTransfer(asleep, payee).request)
    expect([own.status, own.body]).toEqual([400, expect.stringContaining('"3100"')])
  })

  test('A transfer to an FSP without an address for transfers is refused with 3201, and nothing is reserved', async () => {
    const mute = await scheme.join('mutebank-transfer', {
      endpoints: [['FSPIOP_CALLBACK_URL_QUOTES', '']],
    })
    const before = await positions()
    const transfer = newTransfer(payer, mute)
    await payer.send('POST', '/transfers', transfer.request)
    const callback = await payer.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback).errorCode).toBe('3201')
    expect((await positions()).payer).toBe(before.payer)
    const later = await stateSeenBy(payer, transfer.transferId)
    expect(later.json()).toMatchObject({ transferState: 'ABORTED' })
  })
})

test('What an FSP is paid can be deposited and withdrawn, to the last decimal', async () => {
  const transfer = newTransfer(payer, payee, { amount: '0.0625' })
  await prepare(transfer)
  await fulfil(transfer)
  await payer.await(about(transfer.transferId, 'PUT'))
  await deposit(scheme.operator, payee.name, '0.0625')
  const { id } = await account(scheme.operator, payee.name, 'SETTLEMENT')
  const out = await scheme.operator.call('POST', `/participants/${payee.name}/accounts/${id}`, {
    transferId: randomUUID(),
    externalReference: 'a bank statement',
    action: 'recordFundsOutPrepareReserve',
    reason: 'withdrawal',
    amount: { amount: '0.0625', currency: 'USD' },
  })
  expect(out.status).toBe(202)
})

test('A reserved transfer commits although the payer was deactivated meanwhile', async () => {
  const leaving = await scheme.join('leaving-transfer')
  const transfer = newTransfer(leaving, payee)
  await leaving.send('POST', '/transfers', transfer.request)
  await payee.await(about(transfer.transferId, 'POST'))
  await scheme.operator.call('PUT', '/participants/leaving-transfer', { isActive: false })
  await payee.send('PUT', `/transfers/${transfer.transferId}`, committed(transfer), to(leaving))
  const outcome = await leaving.await(about(transfer.transferId, 'PUT'))
  expect(outcome.json()).toMatchObject({ transferState: 'COMMITTED' })
})

describe('A repeated message', () => {
  test('A repeated POST of a committed transfer gets the outcome again', async () => {
    const transfer = newTransfer(payer, payee)
    await prepare(transfer)
    await fulfil(transfer)
    await payer.await(about(transfer.transferId, 'PUT'))
    const after = payer.received.length
    await payer.send('POST', '/transfers', transfer.request, to(payee))
    const again = await payer.await(about(transfer.transferId, 'PUT'), { after })
    expect(again.headers['fspiop-source']).toBe('Hub')
    expect(again.json()).toMatchObject({
      transferState: 'COMMITTED',
      fulfilment: transfer.fulfilment,
    })
    expect(payee.received.filter(about(transfer.transferId, 'POST'))).toHaveLength(1)
  })

  test('A repeated POST with other content is refused with 3106, and the stored transfer is not changed', async () => {
    const transfer = newTransfer(payer, payee)
    await prepare(transfer)
    const changed = { ...transfer.request, amount: { currency: 'USD', amount: '11' } }
    await payer.send('POST', '/transfers', changed, to(payee))
    const callback = await payer.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback).errorCode).toBe('3106')
    await fulfil(transfer)
    await payer.await(about(transfer.transferId, 'PUT'))
  })

  test('A repeated PUT with the same content gets the outcome, and one with other content gets 3106', async () => {
    const transfer = newTransfer(payer, payee)
    const outcome = committed(transfer)
    await prepare(transfer)
    await fulfil(transfer, outcome)
    await payer.await(about(transfer.transferId, 'PUT'))
    await fulfil(transfer, outcome)
    const again = await payee.await(about(transfer.transferId, 'PUT'))
    expect(again.json()).toMatchObject({
      transferState: 'COMMITTED',
      fulfilment: transfer.fulfilment,
    })
    await fulfil(transfer, { ...outcome, completedTimestamp: '2026-01-01T00:00:00.000Z' })
    const callback = await payee.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback).errorCode).toBe('3106')
  })
})

describe('An FSP without a part in the transfer', () => {
  test('An FSP without a part in the transfer cannot fulfil it: it gets 3100, and the transfer goes on', async () => {
    const transfer = newTransfer(payer, payee)
    await prepare(transfer)
    const path = `/transfers/${transfer.transferId}`
    await stranger.send('PUT', path, committed(transfer), to(payer))
    const callback = await stranger.await(about(transfer.transferId, 'PUT', true))
    expect(errorOf(callback).errorCode).toBe('3100')
    await fulfil(transfer)
    await payer.await(about(transfer.transferId, 'PUT'))
  })

  test('A GET by an FSP without a part in the transfer gets 3000, and of an unknown transfer 3208', async () => {
    const transfer = newTransfer(payer, payee)
    await prepare(transfer)
    const callback = await stateSeenBy(stranger, transfer.transferId, true)
    expect(errorOf(callback).errorCode).toBe('3000')
    const unknown = newTransfer(payer, payee).transferId
    expect(errorOf(await stateSeenBy(payer, unknown, true)).errorCode).toBe('3208')
  })
})

test('The ledger and the transfers agree after all of these tests', async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true, differences: [] })
})
