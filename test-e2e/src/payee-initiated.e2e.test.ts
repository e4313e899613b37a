/**
 * A payment that the payee begins: a request to pay, a one-time password, then quote and transfer.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { agree, at, move, newQuote, partyOf } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { errorOf } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-requests')
  payee = await scheme.join('bluewallet-requests')
})

afterAll(() => scheme.stop())

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })
const transactionType = { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' }

function newRequest() {
  return {
    transactionRequestId: randomUUID(),
    payee: partyOf(payee, '15550000002'),
    payer: partyOf(payer, '15550000001').partyIdInfo,
    amount: { currency: 'USD', amount: '10' },
    transactionType,
    authenticationType: 'OTP',
    expiration: new Date(Date.now() + 30_000).toISOString(),
  }
}

/** The payee FSP sends a request to pay, and the payer FSP confirms its receipt. */
async function requested() {
  const request = newRequest()
  const { transactionRequestId: id } = request
  const path = `/transactionRequests/${id}`
  expect((await payee.send('POST', '/transactionRequests', request, to(payer))).status).toBe(202)
  await payer.await(at('POST', '/transactionRequests', id))
  const body = { transactionId: randomUUID(), transactionRequestState: 'RECEIVED' }
  expect((await payer.send('PUT', path, body, to(payee))).status).toBe(200)
  expect((await payee.await(at('PUT', path))).json()).toEqual(body)
  return { id, path, transactionId: body.transactionId }
}

test("The payer agrees with a one-time password at the payee's device, and the money moves", async () => {
  const { id, transactionId } = await requested()
  const quote = newQuote(payer, payee, { transactionId, transactionType, transactionRequestId: id })
  const { transfer } = await agree(payer, payee, quote)

  const asking = `/authorizations/${id}?authenticationType=OTP&retriesLeft=2&amount=10&currency=USD`
  expect((await payer.send('GET', asking, undefined, to(payee))).status).toBe(202)
  await payee.await(at('GET', asking))
  const entered = {
    authenticationInfo: { authentication: 'OTP', authenticationValue: '0123' },
    responseType: 'ENTERED',
  }
  await payee.send('PUT', `/authorizations/${id}`, entered, to(payer))
  expect((await payer.await(at('PUT', `/authorizations/${id}`))).json()).toEqual(entered)

  const before = await position(scheme.operator, payer.name)
  await move(payer, payee, transfer)
  expect(await position(scheme.operator, payer.name)).toBe(before + 10)

  const asked = `/transactions/${transactionId}`
  await payer.send('GET', asked, undefined, to(payee))
  await payee.await(at('GET', asked))
  const done = { transactionState: 'COMPLETED', code: 'ABCD1234' }
  await payee.send('PUT', asked, done, to(payer))
  expect((await payer.await(at('PUT', asked))).json()).toEqual(done)
})

test('A request to pay whose expiration has passed is answered with 3301', async () => {
  const expiration = new Date(Date.now() - 1_000).toISOString()
  const request = { ...newRequest(), expiration }
  const path = `/transactionRequests/${request.transactionRequestId}/error`
  await payee.send('POST', '/transactionRequests', request, to(payer))
  expect(errorOf(await payee.await(at('PUT', path)))).toMatchObject({ errorCode: '3301' })
})

test('A question to an FSP that cannot be reached is answered with 1001', async () => {
  const offline = await scheme.join('silverbank-requests')
  await offline.stop()
  const path = `/authorizations/${randomUUID()}`
  const query = 'authenticationType=OTP&retriesLeft=2&amount=10&currency=USD'
  await payer.send('GET', `${path}?${query}`, undefined, to(offline))
  const callback = await payer.await(at('PUT', `${path}/error`), { timeout_ms: 30_000 })
  expect(errorOf(callback)).toMatchObject({ errorCode: '1001' })
}, 40_000)

test('When the payer refuses, the payee FSP receives REJECTED', async () => {
  const { path } = await requested()
  const after = payee.received.length
  const rejected = { transactionRequestState: 'REJECTED' }
  await payer.send('PUT', path, rejected, to(payee))
  expect((await payee.await(at('PUT', path), { after })).json()).toEqual(rejected)
})

describe('The one-time password', () => {
  /** The payer FSP asks for it at the payee's device; the payee FSP answers what was entered. */
  async function asked(id: string, retriesLeft: number, answer: object): Promise<unknown> {
    const path = `/authorizations/${id}`
    const query = `authenticationType=OTP&retriesLeft=${retriesLeft}&amount=10&currency=USD`
    const after = payer.received.length
    const { status, body } = await payer.send('GET', `${path}?${query}`, undefined, to(payee))
    expect([status, body]).toEqual([202, ''])
    await payee.await(at('GET', `${path}?${query}`))
    expect((await payee.send('PUT', path, answer, to(payer))).status).toBe(200)
    return (await payer.await(at('PUT', path), { after })).json()
  }

  const entered = (authenticationValue: string) => ({
    authenticationInfo: { authentication: 'OTP', authenticationValue },
    responseType: 'ENTERED',
  })

  test('A one-time password may be wrong, sent again and entered correctly, and then the money moves', async () => {
    const { id, transactionId } = await requested()
    const quote = newQuote(payer, payee, {
      transactionId,
      transactionType,
      transactionRequestId: id,
    })
    const { transfer } = await agree(payer, payee, quote)
    expect(await asked(id, 3, entered('1111'))).toEqual(entered('1111'))
    expect(await asked(id, 2, { responseType: 'RESEND' })).toEqual({ responseType: 'RESEND' })
    expect(await asked(id, 1, entered('000123'))).toEqual(entered('000123'))
    const callback = await move(payer, payee, transfer)
    expect(callback.json()).toMatchObject({ transferState: 'COMMITTED' })
  })

  test('A refused one-time password, or too many wrong ones, end the request to pay', async () => {
    for (const answer of [{ responseType: 'REJECTED' }, entered('9999')]) {
      const { id, path } = await requested()
      expect(await asked(id, 1, answer)).toEqual(answer)
      const after = payee.received.length
      const rejected = { transactionRequestState: 'REJECTED' }
      await payer.send('PUT', path, rejected, to(payee))
      expect((await payee.await(at('PUT', path), { after })).json()).toEqual(rejected)
    }
  })

  test('An error for the one-time password reaches the payer FSP unchanged', async () => {
    const { id } = await requested()
    const path = `/authorizations/${id}/error`
    const no = { errorInformation: { errorCode: '5000', errorDescription: 'No device' } }
    await payee.send('PUT', path, no, to(payer))
    expect(errorOf(await payer.await(at('PUT', path)))).toEqual(no.errorInformation)
  })

  test.each([
    ['too short', '12'],
    ['not of digits only', '12ab'],
  ])('A one-time password that is %s is not relayed', async (_title, value) => {
    const path = `/authorizations/${randomUUID()}`
    const { status, body } = await payee.send('PUT', path, entered(value), to(payer))
    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ errorInformation: { errorCode: '3101' } })
  })
})

describe('A request to pay that cannot be delivered', () => {
  test('A request to pay to an unknown FSP is answered with 3201', async () => {
    const request = { ...newRequest(), payer: { ...newRequest().payer, fspId: 'nobody' } }
    await payee.send('POST', '/transactionRequests', request)
    const path = `/transactionRequests/${request.transactionRequestId}/error`
    expect(errorOf(await payee.await(at('PUT', path)))).toMatchObject({ errorCode: '3201' })
  })

  test('A request to pay to an FSP that does not serve it is answered with 2002', async () => {
    payer.answerWith(({ path }) => (path.startsWith('/transactionRequests') ? 501 : 200))
    const request = newRequest()
    await payee.send('POST', '/transactionRequests', request, to(payer))
    const path = `/transactionRequests/${request.transactionRequestId}/error`
    expect(errorOf(await payee.await(at('PUT', path)))).toMatchObject({ errorCode: '2002' })
    payer.answerWith(({ method }) => (method === 'POST' ? 202 : 200))
  })

  test.each([
    ['retriesLeft is missing', 'authenticationType=OTP&amount=1&currency=USD', '3102'],
    ['retriesLeft is 0', 'authenticationType=OTP&retriesLeft=0&amount=1&currency=USD', '3101'],
    ['the type is unknown', 'authenticationType=NOD&retriesLeft=1&amount=1&currency=USD', '3100'],
  ])(
    'A request for a one-time password is refused at once when %s',
    async (_title, query, code) => {
      const path = `/authorizations/${randomUUID()}?${query}`
      const { status, body } = await payer.send('GET', path, undefined, to(payee))
      expect(status).toBe(400)
      expect(JSON.parse(body)).toMatchObject({ errorInformation: { errorCode: code } })
    },
  )
})
