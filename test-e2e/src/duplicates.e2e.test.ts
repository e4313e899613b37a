/**
 * Every message may arrive twice: at each phase of a payment nothing is done twice, and no FSP is
 * asked twice.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { HubResponse, Fsp, Received } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import {
  agree,
  at,
  lookUp,
  move,
  newPhoneNumber,
  newQuote,
  own,
  partyOf,
  termsOf,
} from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-duplicates')
  payee = await scheme.join('bluewallet-duplicates')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

/** Sends the message twice; both copies are acknowledged with the same status. */
function twice(send: () => Promise<HubResponse>, status: 200 | 202): Promise<void> {
  return Promise.all([send(), send()]).then((answers) => {
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual([
      [status, ''],
      [status, ''],
    ])
  })
}

/** The matching messages that this FSP has received, once there are as many. */
async function all(fsp: Fsp, fits: (message: Received) => boolean, count: number) {
  const found = () => fsp.received.filter(fits)
  await fsp.await(() => found().length >= count)
  return found()
}

/**
 * Resolves when every earlier message for both FSPs has arrived: a payment that began later has
 * ended.
 */
async function settled(): Promise<void> {
  const { transfer } = await agree(payer, payee, newQuote(payer, payee))
  await move(payer, payee, transfer)
}

describe('Before the payment', () => {
  test('A repeated association is made once, and each request is answered', async () => {
    const path = `/participants/MSISDN/${newPhoneNumber()}`
    await twice(() => payee.send('POST', path, { fspId: payee.name }), 202)
    const callbacks = await all(payee, at('PUT', path), 2)
    expect(callbacks.map((message) => message.json())).toEqual([
      { fspId: payee.name },
      { fspId: payee.name },
    ])
    await twice(() => payee.send('DELETE', path), 202)
    const ends = await all(
      payee,
      ({ method, path: target, body }) =>
        method === 'PUT' && target.startsWith(path) && !body.toString().includes(payee.name),
      2,
    )
    const gone = ends.map((message) => (message.path === path ? message.json() : errorOf(message)))
    expect(gone).toEqual([{}, expect.objectContaining({ errorCode: '3204' })])
  })

  test('A repeated batch is made once and each request gets the same answer; other content is refused with 3106', async () => {
    const requestId = randomUUID()
    const entry = { partyIdType: 'MSISDN', partyIdentifier: newPhoneNumber(), fspId: payee.name }
    const body = { requestId, partyList: [entry] }
    await twice(() => payee.send('POST', '/participants', body), 202)
    const [one, other] = await all(payee, at('PUT', `/participants/${requestId}`), 2)
    expect(one?.json()).toEqual(other?.json())

    const { partyIdentifier } = entry
    await payee.send('DELETE', `/participants/MSISDN/${partyIdentifier}`)
    await payee.await(at('PUT', `/participants/MSISDN/${partyIdentifier}`))
    await payee.send('POST', '/participants', body)
    const [, , third] = await all(payee, at('PUT', `/participants/${requestId}`), 3)
    expect(third?.json()).toEqual(one?.json())
    await payer.send('GET', `/participants/MSISDN/${partyIdentifier}`)
    const unknown = await payer.await(at('PUT', `/participants/MSISDN/${partyIdentifier}/error`))
    expect(errorOf(unknown).errorCode).toBe('3204')

    const path = `/participants/${requestId}/error`
    await payee.send('POST', '/participants', { ...body, currency: 'USD' })
    expect(errorOf(await payee.await(at('PUT', path))).errorCode).toBe('3106')
    await payer.send('POST', '/participants', body)
    expect(errorOf(await payer.await(at('PUT', path))).errorCode).toBe('3106')
  })

  test('A repeated lookup is sent to the payee FSP each time, since the hub does not cache parties', async () => {
    const phone = newPhoneNumber()
    await own(payee, phone)
    const path = `/parties/MSISDN/${phone}`
    await twice(() => payer.send('GET', path), 202)
    await all(payee, at('GET', path), 2)
    const party = { party: partyOf(payee, phone, 'Ada Example') }
    await twice(() => payee.send('PUT', path, party, to(payer)), 200)
    await all(payer, at('PUT', path), 2)
    expect(await lookUp(payer, payee, phone)).toEqual(party.party)
  })

  test('A repeated request to pay and a repeated answer are relayed each time; other content is refused with 3106', async () => {
    const id = randomUUID()
    const request = {
      transactionRequestId: id,
      payee: partyOf(payee, '15550000002'),
      payer: partyOf(payer, '15550000001').partyIdInfo,
      amount: { currency: 'USD', amount: '10' },
      transactionType: { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' },
    }
    await twice(() => payee.send('POST', '/transactionRequests', request, to(payer)), 202)
    expect(await all(payer, at('POST', '/transactionRequests', id), 2)).toHaveLength(2)
    const path = `/transactionRequests/${id}`
    const received = { transactionRequestState: 'RECEIVED' }
    await twice(() => payer.send('PUT', path, received, to(payee)), 200)
    expect(await all(payee, at('PUT', path), 2)).toHaveLength(2)

    const changed = { ...request, amount: { currency: 'USD', amount: '11' } }
    await payee.send('POST', '/transactionRequests', changed, to(payer))
    expect(errorOf(await payee.await(at('PUT', `${path}/error`))).errorCode).toBe('3106')
    const { payee: _payee, ...others } = request
    const stolen = { ...others, payee: partyOf(payer, '15550000002') }
    await payer.send('POST', '/transactionRequests', stolen, to(payee))
    expect(errorOf(await payer.await(at('PUT', `${path}/error`))).errorCode).toBe('3106')
    expect(payer.received.filter(at('POST', '/transactionRequests', id))).toHaveLength(2)
    expect(payee.received.filter(at('POST', '/transactionRequests', id))).toEqual([])
  })
})

describe('The quote', () => {
  test('A repeated quote is sent to the payee FSP once, and a request after its answer is answered again', async () => {
    const quote = newQuote(payer, payee)
    const path = `/quotes/${quote.quoteId}`
    await twice(() => payer.send('POST', '/quotes', quote, to(payee)), 202)
    await payee.await(at('POST', '/quotes', quote.quoteId))
    const { response } = termsOf(quote, payer, payee)
    await twice(() => payee.send('PUT', path, response, to(payer)), 200)
    await payer.await(at('PUT', path))
    await settled()
    expect(payee.received.filter(at('POST', '/quotes', quote.quoteId))).toHaveLength(1)
    expect(payer.received.filter(at('PUT', path))).toHaveLength(1)
    expect(payee.received.filter(at('PUT', `${path}/error`))).toEqual([])

    await payer.send('POST', '/quotes', quote, to(payee))
    const [, again] = await all(payer, at('PUT', path), 2)
    expect(again?.json()).toEqual(response)
  })

  test('A repeated refusal of a quote reaches the payer FSP once', async () => {
    const quote = newQuote(payer, payee)
    const path = `/quotes/${quote.quoteId}/error`
    await payer.send('POST', '/quotes', quote, to(payee))
    await payee.await(at('POST', '/quotes', quote.quoteId))
    const no = { errorInformation: { errorCode: '5103', errorDescription: 'No' } }
    await twice(() => payee.send('PUT', path, no, to(payer)), 200)
    await payer.await(at('PUT', path))
    await settled()
    expect(payer.received.filter(at('PUT', path))).toHaveLength(1)
  })
})

describe('The transfer', () => {
  test('A repeated prepare and a repeated fulfilment move the money once', async () => {
    const before = await position(scheme.operator, payer.name)
    const transfer = newTransfer(payer, payee)
    const { transferId, request } = transfer
    await twice(() => payer.send('POST', '/transfers', request, to(payee)), 202)
    await payee.await(about(transferId, 'POST'))
    const body = committed(transfer)
    const path = `/transfers/${transferId}`
    await twice(() => payee.send('PUT', path, body, to(payer)), 200)
    await payer.await(about(transferId, 'PUT'))
    const again = await payee.await(about(transferId, 'PUT'))
    expect(again.json()).toMatchObject({ transferState: 'COMMITTED' })
    await payer.send('POST', '/transfers', request, to(payee))
    const [, callback] = await all(payer, about(transferId, 'PUT'), 2)
    expect(callback?.json()).toMatchObject({
      transferState: 'COMMITTED',
      fulfilment: transfer.fulfilment,
    })
    expect(payee.received.filter(about(transferId, 'POST'))).toHaveLength(1)
    expect(await position(scheme.operator, payer.name)).toBe(before + 10)
  })

  test('A repeated rejection releases the reservation once and reaches the payer FSP once', async () => {
    const before = await position(scheme.operator, payer.name)
    const transfer = newTransfer(payer, payee)
    const { transferId, request } = transfer
    await payer.send('POST', '/transfers', request, to(payee))
    await payee.await(about(transferId, 'POST'))
    const no = { errorInformation: { errorCode: '5104', errorDescription: 'No' } }
    await twice(() => payee.send('PUT', `/transfers/${transferId}/error`, no, to(payer)), 200)
    await payer.await(about(transferId, 'PUT', true))
    await payer.send('GET', `/transfers/${transferId}`)
    const state = await payer.await(about(transferId, 'PUT'))
    expect(state.json()).toMatchObject({ transferState: 'ABORTED' })
    expect(payer.received.filter(about(transferId, 'PUT', true))).toHaveLength(1)
    expect(await position(scheme.operator, payer.name)).toBe(before)
  })
})
