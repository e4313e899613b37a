/**
 * FSPs whose ids are ULIDs, which Mojaloop's SDK makes by default: from the registration of a party to
 * payment, bulk, request to pay, linked account and payment of a PISP, and what the operator sees.
 */
import { createGenericKey } from '@causeway/fsp'
import { consentChallenge } from '@causeway/fspiop'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomInt } from 'node:crypto'
import { aboutBulk, newBulk, paid, quoted as bulkQuoted, resultsIn } from './fsp/bulk.ts'
import type { Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import {
  at,
  lookUp,
  newPhoneNumber,
  newQuote,
  partyOf,
  termsOf,
  type QuoteRequest,
} from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import { about, committed, type Transfer } from './fsp/transfer.ts'

const authService = 'centralAuth'
let scheme: Scheme
let payer: Fsp
let payee: Fsp
let pisp: Fsp

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  payer = await scheme.join('greenbank-ulids')
  payee = await scheme.join('bluewallet-ulids')
  pisp = await scheme.join('lemonpay-ulids')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

function newUlid(): string {
  const random = Array.from({ length: 25 }, () => digits.charAt(randomInt(32)))
  return digits.charAt(randomInt(8)) + random.join('')
}

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

function thirdParty(destination: string, path: string, method = 'POST') {
  const resource = path.split('/')[1]
  const type = `application/vnd.interoperability.${resource}+json;version=1.0`
  const accept = method === 'PUT' || method === 'PATCH' ? undefined : type
  return { 'fspiop-destination': destination, 'content-type': type, accept }
}

/** Sends it and waits for it, unchanged, at the other FSP. */
async function relay(from: Fsp, method: string, path: string, fsp: Fsp, body?: object) {
  const after = fsp.received.length
  const isThirdParty = /^\/(?:consent|thirdparty|accounts)/.test(path)
  const headers = isThirdParty ? thirdParty(fsp.name, path, method) : to(fsp)
  const { status, body: refusal } = await from.send(method, path, body, headers)
  const acknowledged = method === 'PUT' || method === 'PATCH' ? 200 : 202
  expect([method, path, status, refusal]).toEqual([method, path, acknowledged, ''])
  const received = await fsp.await(at(method, path), { after })
  if (body !== undefined) expect(received.json()).toEqual(body)
  return received
}

/** The terms of a quote, for a transfer whose id is a ULID. */
async function agree(quote: QuoteRequest): Promise<Transfer> {
  await relay(payer, 'POST', '/quotes', payee, quote)
  const { response, transfer } = termsOf(quote, payer, payee)
  await relay(payee, 'PUT', `/quotes/${quote.quoteId}`, payer, response)
  const transferId = newUlid()
  return { ...transfer, transferId, request: { ...transfer.request, transferId } }
}

async function pay(transfer: Transfer): Promise<void> {
  const before = await position(scheme.operator, payer.name)
  await relay(payer, 'POST', '/transfers', payee, transfer.request)
  const { transferId } = transfer
  await relay(payee, 'PUT', `/transfers/${transferId}`, payer, committed(transfer))
  expect(await position(scheme.operator, payer.name)).toBe(before + 10)
}

function shown<Shown>(path: string, isComplete: (shown: Shown) => boolean): Promise<Shown> {
  return eventually(async () => {
    const { status, json } = await scheme.operator.call('GET', path)
    return status === 200 && isComplete(json as Shown) ? (json as Shown) : undefined
  }, path)
}

test('Parties are registered, looked up, agreed with and paid', async () => {
  const requestId = newUlid()
  const phone = newPhoneNumber()
  const partyList = [{ partyIdType: 'MSISDN', partyIdentifier: phone, fspId: payee.name }]
  const batch = { requestId, partyList, currency: 'USD' }
  expect((await payee.send('POST', '/participants', batch)).status).toBe(202)
  const registered = await payee.await(at('PUT', `/participants/${requestId}`))
  expect(registered.json()).toEqual({ partyList: [{ partyId: partyList[0] }], currency: 'USD' })
  await lookUp(payer, payee, phone)

  const quote = newQuote(payer, payee, { quoteId: newUlid(), transactionId: newUlid() })
  const transfer = await agree(quote)
  await pay(transfer)
  const path = `/transfers/${transfer.transferId}`
  const after = payer.received.length
  await payer.send('GET', path, undefined, to(payee))
  const state = await payer.await(about(transfer.transferId, 'PUT'), { after })
  expect(state.json()).toMatchObject({ transferState: 'COMMITTED' })

  const story = await shown<{ readonly summary: string }>(`${path}/story`, () => true)
  expect(JSON.stringify(story)).toContain(transfer.transferId)
  const found = await shown<{ readonly transfers: readonly { readonly transferId: string }[] }>(
    `/transfers?transferId=${transfer.transferId}`,
    ({ transfers }) => transfers.length > 0,
  )
  expect(found.transfers.map(({ transferId }) => transferId)).toEqual([transfer.transferId])
})

test('A bulk is agreed on and paid', async () => {
  const made = newBulk(payer, payee, ['4', '6'])
  const ids = { bulkTransferId: newUlid(), bulkQuoteId: newUlid() }
  const items = made.items.map((item) => {
    const transferId = newUlid()
    return { ...item, transferId, request: { ...item.request, transferId } }
  })
  const individualTransfers = made.request.individualTransfers.map((item, index) => ({
    ...item,
    transferId: items[index]?.transferId ?? '',
  }))
  const request = { ...made.request, ...ids, individualTransfers }
  await bulkQuoted({ ...made, request }, payer, payee)
  await relay(payer, 'POST', '/bulkTransfers', payee, request)
  const path = `/bulkTransfers/${ids.bulkTransferId}`
  expect((await payee.send('PUT', path, paid(items), to(payer))).status).toBe(200)
  const ended = await payer.await(aboutBulk(ids.bulkTransferId, 'PUT'))
  expect(resultsIn(ended)).toEqual(['paid', 'paid'])
  for (const one of [path, `/bulkQuotes/${ids.bulkQuoteId}`]) {
    expect(JSON.stringify(await shown(one, () => true))).toContain(one.split('/')[2])
  }
})

test('A request to pay is authorized with a one-time password and paid', async () => {
  const id = newUlid()
  const transactionId = newUlid()
  const transactionType = { scenario: 'PAYMENT', initiator: 'PAYEE', initiatorType: 'BUSINESS' }
  const path = `/transactionRequests/${id}`
  await relay(payee, 'POST', '/transactionRequests', payer, {
    transactionRequestId: id,
    payee: partyOf(payee, '15550000002'),
    payer: partyOf(payer, '15550000001').partyIdInfo,
    amount: { currency: 'USD', amount: '10' },
    transactionType,
    authenticationType: 'OTP',
  })
  await relay(payer, 'PUT', path, payee, { transactionId, transactionRequestState: 'RECEIVED' })
  const quoteId = newUlid()
  const transfer = await agree(
    newQuote(payer, payee, { quoteId, transactionId, transactionType, transactionRequestId: id }),
  )
  const asking = `/authorizations/${id}?authenticationType=OTP&retriesLeft=2&amount=10&currency=USD`
  await relay(payer, 'GET', asking, payee)
  await relay(payee, 'PUT', `/authorizations/${id}`, payer, {
    authenticationInfo: { authentication: 'OTP', authenticationValue: '0123' },
    responseType: 'ENTERED',
  })
  await pay(transfer)
  await relay(payer, 'GET', `/transactions/${transactionId}`, payee)
  const completed = { transactionState: 'COMPLETED' }
  const answer = await relay(payee, 'PUT', `/transactions/${transactionId}`, payer, completed)
  expect(answer.headers['fspiop-source']).toBe(payee.name)
})

const scopes = [{ address: 'greenbank-ulids.1', actions: ['ACCOUNTS_TRANSFER'] }]
const key = createGenericKey()

/** The user of the PISP links an account; the auth service of the hub verifies the user's key. */
async function link(): Promise<string> {
  const consentRequestId = newUlid()
  const consentId = newUlid()
  const callbackUri = 'https://app.lemonpay.example/linked'
  const channels = { scopes, authChannels: ['WEB'], callbackUri }
  const asked = `/consentRequests/${consentRequestId}`
  const user = { consentRequestId, userId: 'amara', ...channels }
  await relay(pisp, 'POST', '/consentRequests', payer, user)
  const authUri = 'https://greenbank.example/link'
  await relay(payer, 'PUT', asked, pisp, { ...channels, authUri })
  const token = await relay(pisp, 'PATCH', asked, payer, { authToken: '493817' })
  expect(token.headers['accept']).toBe(token.headers['content-type'])

  const grant = { consentId, consentRequestId, scopes, status: 'ISSUED' }
  const path = `/consents/${consentId}`
  await relay(payer, 'POST', '/consents', pisp, grant)
  const challenge = consentChallenge({ consentId, scopes }).toString('base64url')
  const genericPayload = { publicKey: key.publicKey, signature: key.sign(challenge) }
  const credential = { credentialType: 'GENERIC', status: 'PENDING', genericPayload }
  await relay(pisp, 'PUT', path, payer, { scopes, credential, status: 'ISSUED' })
  const registration = { ...grant, credential }
  const after = payer.received.length
  await payer.send('POST', '/consents', registration, thirdParty(authService, '/consents'))
  const registered = await payer.await(({ path: target }) => target.startsWith(path), { after })
  expect(registered.json()).toMatchObject({ credential: { status: 'VERIFIED' } })
  await relay(payer, 'PATCH', path, pisp, { credential: { status: 'VERIFIED' } })
  return consentId
}

test('An account is linked and paid from', async () => {
  const consentId = await link()
  const transactionRequestId = newUlid()
  const transactionId = newUlid()
  const transactions = '/thirdpartyRequests/transactions'
  const asked = `${transactions}/${transactionRequestId}`
  await relay(pisp, 'POST', transactions, payer, {
    transactionRequestId,
    payee: partyOf(payee, '15550000002'),
    payer: {
      partyIdType: 'THIRD_PARTY_LINK',
      partyIdentifier: 'greenbank-ulids.1',
      fspId: payer.name,
    },
    amountType: 'SEND',
    amount: { currency: 'USD', amount: '10' },
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: new Date(Date.now() + 30_000).toISOString(),
  })
  const received = { transactionId, transactionRequestState: 'RECEIVED' }
  await relay(payer, 'PUT', asked, pisp, received)
  const quoteId = newUlid()
  const transfer = await agree(
    newQuote(payer, payee, { quoteId, transactionId, transactionRequestId }),
  )
  const { request } = transfer

  const authorizationRequestId = newUlid()
  const challenge = newUlid()
  const authorizations = '/thirdpartyRequests/authorizations'
  await relay(payer, 'POST', authorizations, pisp, {
    authorizationRequestId,
    transactionRequestId,
    challenge,
    transferAmount: request.amount,
    payeeReceiveAmount: request.amount,
    fees: { currency: 'USD', amount: '0' },
    payer: { partyIdType: 'THIRD_PARTY_LINK', partyIdentifier: 'greenbank-ulids.1' },
    payee: partyOf(payee, '15550000002'),
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: request.expiration,
  })
  const genericSignedPayload = key.sign(challenge)
  const signedPayload = { signedPayloadType: 'GENERIC', genericSignedPayload }
  const accepted = { responseType: 'ACCEPTED', signedPayload }
  await relay(pisp, 'PUT', `${authorizations}/${authorizationRequestId}`, payer, accepted)

  const verificationRequestId = newUlid()
  const verifications = '/thirdpartyRequests/verifications'
  const verification = { verificationRequestId, challenge, consentId, ...signedPayload }
  const toVerify = thirdParty(authService, verifications)
  await payer.send('POST', verifications, verification, toVerify)
  const verdict = await payer.await(at('PUT', `${verifications}/${verificationRequestId}`))
  expect(verdict.json()).toEqual({ authenticationResponse: 'VERIFIED' })
  await pay(transfer)
  const completedTimestamp = new Date().toISOString()
  const outcome = { transactionRequestState: 'ACCEPTED', transactionState: 'COMPLETED' }
  await relay(payer, 'PATCH', asked, pisp, { completedTimestamp, ...outcome })

  const story = `/third-party-transactions/${transactionRequestId}/story`
  const { transfer: linked } = await shown<{
    readonly thirdParty: { readonly endedAt: string | null; readonly consentId: string | null }
    readonly transfer: { readonly transferId: string } | null
  }>(story, (seen) => seen.thirdParty.endedAt !== null && seen.thirdParty.consentId === consentId)
  expect(linked).toMatchObject({ transferId: transfer.transferId })
  expect(await shown(`/consents/${consentId}`, () => true)).toMatchObject({ consentId })

  await pisp.send(
    'DELETE',
    `/consents/${consentId}`,
    undefined,
    thirdParty(payer.name, '/consents'),
  )
  for (const fsp of [payer, pisp]) await fsp.await(at('PATCH', `/consents/${consentId}`))
})

test('A ULID with lower-case letters, which is another spelling, is refused with 3101', async () => {
  const quote = newQuote(payer, payee, { quoteId: `01arz3ndek${newUlid().slice(10)}` })
  const { status, body } = await payer.send('POST', '/quotes', quote, to(payee))
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ errorInformation: { errorCode: '3101' } })
})
