/**
 * Linking and paying with mutual TLS and mandatory signatures: messages that the PISP signs are
 * relayed, and unsigned or wrongly signed ones are refused and not relayed.
 */
import { createAuthenticator } from '@causeway/fsp'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { enrol, registerKey, signer, type SigningKey } from './operator/credentials.ts'
import { openFsp, type Fsp, type Sign } from './fsp/fsp.ts'
import { newPhoneNumber } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import {
  accountAt,
  callbackUri,
  consentIdOf,
  linkingAt,
  openDfsp,
  openPayee,
  openPisp,
  paymentFrom,
  scopesAt,
  userId,
  type TestParticipant,
  type TestDfsp,
} from './parties/third-party.ts'

const customer = { type: 'MSISDN', id: newPhoneNumber(), name: 'Mei Example' } as const

/** The received messages whose signatures did not verify, by participant. */
const dropped: string[] = []
const onDropped = (method: string, target: string) => void dropped.push(`${method} ${target}`)

let scheme: Scheme
let pisp: TestParticipant
let dfsp: TestDfsp
let payee: TestParticipant
/** The same PISP, as a client that can send any invalid message. */
let client: Fsp
let ownKey: SigningKey
let foreignKey: SigningKey

beforeAll(async () => {
  scheme = await shareSafeScheme()
  const { operator } = scheme
  pisp = await openPisp(scheme, 'lemonpay-signed', { onDropped })
  dfsp = await openDfsp(scheme, 'greenbank-signed', {}, { onDropped })
  payee = await openPayee(scheme, 'bluewallet-signed', { onDropped }, customer)
  client = await openFsp(pisp.name, () => scheme.hub.urls.fsp, await enrol(operator, pisp.name))
  ownKey = await registerKey(operator, pisp.name)
  foreignKey = await registerKey(operator, payee.name)
})

afterAll(async () => {
  await client.stop()
  await Promise.all([pisp, dfsp, payee].map((each) => each.stop()))
  await scheme.stop()
})

test('An account is linked and paid from, and every participant verifies every signature', async () => {
  const device = createAuthenticator()
  const consentId = consentIdOf(await pisp.fsp.pisp.link(linkingAt(dfsp, device)))
  const { type, id } = customer
  const paid = await pisp.fsp.pisp.pay(paymentFrom(dfsp, device, { to: { type, id } }))
  expect(paid).toMatchObject({ state: 'COMPLETED' })
  const { received } = dfsp
  expect(received).toContainEqual(
    expect.objectContaining({
      method: 'PUT',
      path: `/consents/${consentId}`,
      source: 'centralAuth',
    }),
  )
  expect(received).toContainEqual(
    expect.objectContaining({ path: expect.stringMatching(/^\/thirdpartyRequests\/verif/) }),
  )
  expect(dropped).toEqual([])
})

const unsigned: Sign | undefined = undefined
const right: Sign = (message) => signer(ownKey)(message)
const byAnother: Sign = (message) => signer(foreignKey)(message)
/** A signature over another body than the one that is sent. */
const overAnotherBody: Sign = (message) =>
  signer(ownKey)({ ...message, body: Buffer.from(message.body.toString().replace('1', '2')) })

const requests = [
  ['POST /consentRequests', '/consentRequests', newConsentRequest],
  ['POST /thirdpartyRequests/transactions', '/thirdpartyRequests/transactions', newTransaction],
] as const

function newConsentRequest(id: string): object {
  return {
    consentRequestId: id,
    userId,
    scopes: scopesAt(dfsp),
    authChannels: ['WEB'],
    callbackUri,
  }
}

function newTransaction(id: string): object {
  const { type: partyIdType, id: partyIdentifier } = customer
  return {
    transactionRequestId: id,
    payee: { partyIdInfo: { partyIdType, partyIdentifier, fspId: payee.name } },
    payer: { partyIdType: 'THIRD_PARTY_LINK', partyIdentifier: accountAt(dfsp), fspId: dfsp.name },
    amountType: 'RECEIVE',
    amount: { currency: 'USD', amount: '1' },
    transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    expiration: new Date(Date.now() + 60_000).toISOString(),
  }
}

function send(path: string, body: object, sign: Sign | undefined) {
  const media = 'application/vnd.interoperability.thirdparty+json;version=1.0'
  client.signWith(sign ?? right)
  return client.send('POST', path, body, {
    'content-type': media,
    accept: media,
    'fspiop-destination': dfsp.name,
    ...(sign === undefined ? { 'fspiop-signature': undefined } : {}),
  })
}

function reached(id: string): boolean {
  return dfsp.received.some(({ json }) => Object.values(json).includes(id))
}

describe.each(requests)('%s', (_name, path, newBody) => {
  test.each([
    ['without a signature', unsigned],
    ["with a signature by another FSP's key", byAnother],
    ['with a signature over another body', overAnotherBody],
  ])(
    'A third-party request %s is answered with 400 and 3105, and not relayed',
    async (_how, sign) => {
      const [refused, taken] = [randomUUID(), randomUUID()]
      const { status, body } = await send(path, newBody(refused), sign)
      expect([status, JSON.parse(body)]).toEqual([
        400,
        { errorInformation: expect.objectContaining({ errorCode: '3105' }) },
      ])
      // A later message to the DFSP, which arrives after a relayed one would.
      expect(await send(path, newBody(taken), right)).toMatchObject({ status: 202, body: '' })
      await dfsp.awaitThat(({ json }) => Object.values(json).includes(taken))
      expect(reached(refused)).toBe(false)
    },
  )
})
