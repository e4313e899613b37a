/**
 * FSPs whose software verifies a signature over the body that it has parsed and serialized again with
 * sorted members, as Mojaloop's SDK does: every message of the hub verifies, and so does every message of
 * such an FSP that the hub relays.
 */
import { createGenericKey } from '@causeway/fsp'
import { consentChallenge } from '@causeway/fspiop'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { aboutBulk, newBulk, paid, quoted } from './fsp/bulk.ts'
import type { Fsp, Received } from './fsp/fsp.ts'
import { parsingClients, type ParsingClients } from './parties/parsing-client.ts'
import { agree, at, lookUp, move, newPhoneNumber, newQuote, own } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, committed, newTransfer, type Transfer } from './fsp/transfer.ts'

const authService = 'centralAuth'
let scheme: Scheme
let clients: ParsingClients
let payer: Fsp
let payee: Fsp
let pisp: Fsp

beforeAll(async () => {
  scheme = await shareSafeScheme()
  clients = parsingClients(scheme)
  payer = await clients.join('greenbank-parsed')
  payee = await clients.join('bluewallet-parsed')
  pisp = await clients.join('lemonpay-parsed')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

function thirdParty(destination: string, resource: string, method = 'POST') {
  const type = `application/vnd.interoperability.${resource}+json;version=1.0`
  const accept = method === 'PUT' || method === 'PATCH' ? undefined : type
  return { 'fspiop-destination': destination, 'content-type': type, accept }
}

/** The messages of the hub that were verified: `PUT /transfers/{ID}`. */
const verified = new Set<string>()

async function expectOfHub(message: Received, source = 'Hub'): Promise<void> {
  const { method, path, headers } = message
  expect([method, path, headers['fspiop-source']]).toEqual([method, path, source])
  expect([method, path, await clients.verifies(message)]).toEqual([method, path, true])
  verified.add(`${method} ${path.replaceAll(/\/[0-9a-f-]{36}|\/MSISDN\/\d+/g, '/{ID}')}`)
}

test("The hub's answers about parties verify", async () => {
  const phone = newPhoneNumber()
  const path = `/participants/MSISDN/${phone}`
  await own(payee, phone)
  await expectOfHub(await payee.await(at('PUT', path)))

  const requestId = randomUUID()
  const partyList = [newPhoneNumber(), newPhoneNumber()].map((partyIdentifier) => ({
    partyIdType: 'MSISDN',
    partyIdentifier,
    fspId: payee.name,
  }))
  const batch = { requestId, partyList, currency: 'USD' }
  expect((await payee.send('POST', '/participants', batch)).status).toBe(202)
  const registered = await payee.await(at('PUT', `/participants/${requestId}`))
  expect(registered.json()).toMatchObject({
    partyList: [{ partyId: partyList[0] }, { partyId: partyList[1] }],
    currency: 'USD',
  })
  await expectOfHub(registered)

  await payer.send('GET', path)
  await expectOfHub(await payer.await(at('PUT', path)))
  const unknown = `/parties/MSISDN/${newPhoneNumber()}`
  await payer.send('GET', unknown)
  await expectOfHub(await payer.await(at('PUT', `${unknown}/error`)))
  expect(await lookUp(payer, payee, phone)).toMatchObject({ name: 'Ada Example' })
})

test("The hub's messages about a quote and a reserved transfer verify", async () => {
  const quote = newQuote(payer, payee)
  const { transfer } = await agree(payer, payee, quote)
  const path = `/quotes/${quote.quoteId}`
  await payee.send('GET', path, undefined, to(payer))
  await expectOfHub(await payee.await(at('PUT', path)))

  await expectOfHub(await move(payer, payee, transfer, 'RESERVED'))
  await expectOfHub(await payee.await(about(transfer.transferId, 'PATCH')))
  const after = payer.received.length
  await payer.send('GET', `/transfers/${transfer.transferId}`, undefined, to(payee))
  await expectOfHub(await payer.await(about(transfer.transferId, 'PUT'), { after }))
})

test("The hub's messages about an aborted transfer verify", async () => {
  const transfer = newTransfer(payer, payee)
  const { transferId } = transfer
  await payer.send('POST', '/transfers', transfer.request, to(payee))
  await payee.await(about(transferId, 'POST'))
  const { fulfilment } = newTransfer(payer, payee)
  const wrong = { ...committed(transfer, 'RESERVED'), fulfilment }
  await payee.send('PUT', `/transfers/${transferId}`, wrong, to(payer))
  await expectOfHub(await payee.await(about(transferId, 'PATCH')))
  await expectOfHub(await payer.await(about(transferId, 'PUT', true)))
})

test("The hub's messages about a bulk of which one item has no cover verify", async () => {
  const bulk = newBulk(payer, payee, ['10', '900000000000', '5'])
  const { bulkTransferId, items, request } = bulk
  await quoted(bulk, payer, payee)
  await payer.send('POST', '/bulkTransfers', request, to(payee))
  const asked = await payee.await(aboutBulk(bulkTransferId, 'POST'))
  await expectOfHub(asked)
  const [first, , third] = items as [Transfer, Transfer, Transfer]
  const path = `/bulkTransfers/${bulkTransferId}`
  await payee.send('PUT', path, paid([first, third]), to(payer))
  await expectOfHub(await payer.await(aboutBulk(bulkTransferId, 'PUT')))
  await expectOfHub(await payee.await(aboutBulk(bulkTransferId, 'PUT')))
  const after = payer.received.length
  await payer.send('GET', path, undefined, to(payee))
  await expectOfHub(await payer.await(aboutBulk(bulkTransferId, 'PUT'), { after }))
})

test('The messages of the hosted auth service, and of the hub about providers, verify', async () => {
  const consentId = randomUUID()
  const scopes = [{ address: 'greenbank-parsed.1', actions: ['ACCOUNTS_TRANSFER'] }]
  const grant = { consentId, consentRequestId: randomUUID(), scopes, status: 'ISSUED' }
  const key = createGenericKey()
  const signature = key.sign(consentChallenge({ consentId, scopes }).toString('base64url'))
  const genericPayload = { publicKey: key.publicKey, signature }
  const credential = { credentialType: 'GENERIC', status: 'PENDING', genericPayload }
  const path = `/consents/${consentId}`
  await payer.send('POST', '/consents', grant, thirdParty(pisp.name, 'consents'))
  await pisp.await(at('POST', '/consents', consentId))
  const registration = { ...grant, credential }
  await payer.send('POST', '/consents', registration, thirdParty(authService, 'consents'))
  await expectOfHub(await payer.await(at('PUT', path)), authService)

  const verificationRequestId = randomUUID()
  const challenge = randomUUID()
  const verification = {
    verificationRequestId,
    challenge,
    consentId,
    signedPayloadType: 'GENERIC',
    genericSignedPayload: key.sign(challenge),
  }
  const verifications = '/thirdpartyRequests/verifications'
  const toVerify = thirdParty(authService, 'thirdpartyRequests')
  await payer.send('POST', verifications, verification, toVerify)
  const verdict = await payer.await(at('PUT', `${verifications}/${verificationRequestId}`))
  expect(verdict.json()).toEqual({ authenticationResponse: 'VERIFIED' })
  await expectOfHub(verdict, authService)

  await pisp.send('DELETE', path, undefined, thirdParty(payer.name, 'consents'))
  for (const fsp of [payer, pisp]) {
    const revoked = await fsp.await(at('PATCH', path))
    expect(revoked.headers['accept']).toBe(revoked.headers['content-type'])
    await expectOfHub(revoked, authService)
  }
  await payer.send('GET', path, undefined, thirdParty(authService, 'consents', 'GET'))
  await expectOfHub(await payer.await(at('PUT', `${path}/error`)), authService)

  const services = '/services/AUTH_SERVICE'
  const asking = { ...thirdParty('', 'services', 'GET'), 'fspiop-destination': undefined }
  await pisp.send('GET', services, undefined, asking)
  await expectOfHub(await pisp.await(at('PUT', services)))
})

test("The hub's ping in return verifies", async () => {
  const pingId = randomUUID()
  const type = 'application/vnd.interoperability.pings+json;version=1.0'
  await payer.send('POST', '/pings', { pingId }, { 'content-type': type, accept: type })
  await expectOfHub(await payer.await(at('PUT', `/pings/${pingId}`)))
})

test('Every kind of message of the hub was among them, and no signed message was received that does not verify', async () => {
  expect([...verified].toSorted()).toEqual([
    'PATCH /consents/{ID}',
    'PATCH /transfers/{ID}',
    'POST /bulkTransfers',
    'PUT /bulkTransfers/{ID}',
    'PUT /consents/{ID}',
    'PUT /consents/{ID}/error',
    'PUT /participants/{ID}',
    'PUT /parties/{ID}/error',
    'PUT /pings/{ID}',
    'PUT /quotes/{ID}',
    'PUT /services/AUTH_SERVICE',
    'PUT /thirdpartyRequests/verifications/{ID}',
    'PUT /transfers/{ID}',
    'PUT /transfers/{ID}/error',
  ])
  const signed = [payer, payee, pisp]
    .flatMap(({ received }) => received)
    .filter(({ method, body }) => method !== 'GET' && body.length > 0)
  expect(signed.length).toBeGreaterThan(25)
  for (const message of signed) {
    const { method, path } = message
    expect([method, path, await clients.verifies(message)]).toEqual([method, path, true])
  }
})
