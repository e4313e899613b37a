/**
 * A PISP's user pays from a linked account: every outcome, and every check that refuses a payment.
 */
import { createAuthenticator, createGenericKey, type ThirdPartyOrder } from '@causeway/fsp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { openFsp, type Fsp } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import {
  consentIdOf,
  linkedAt,
  linkingAt,
  mei,
  onboardPisp,
  openDfsp,
  openPayee,
  openPisp,
  origin,
  paymentFrom,
  type RecordedMessage,
  type TestParticipant,
  type TestDfsp,
} from './parties/third-party.ts'

let scheme: Scheme
let pisp: TestParticipant
let stranger: Fsp
let dfsp: TestDfsp
let careful: TestDfsp
let payee: TestParticipant
/** The next action of the payee's FSP. */
let refuses: 'quote' | 'transfer' | undefined
/** The fault of the account. */
let account: 'READY' | 'INACTIVE' | 'WITHOUT_FUNDS' | 'OTHER_CURRENCY'

const holder = { type: 'MSISDN', id: '15550000001', name: 'Amara Example' } as const
const error = { errorCode: '5104', errorDescription: 'a secret of the payee FSP' }

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  pisp = await openPisp(scheme, 'lemonpay-thirdparty')
  stranger = await openFsp('limepay-thirdparty', () => scheme.hub.urls.fsp)
  await onboardPisp(scheme.operator, stranger)
  dfsp = await openDfsp(scheme, 'greenbank-thirdparty', {
    payerAccount: () =>
      account === 'READY' ? { state: account, payer: holder } : { state: account },
  })
  careful = await openDfsp(scheme, 'carefulbank-thirdparty', { verification: { by: 'ITSELF' } })
  payee = await openPayee(scheme, 'bluewallet-thirdparty', {
    onQuote: () => (refuses === 'quote' ? { type: 'REJECT', error } : { type: 'AGREE' }),
    onTransfer: () => (refuses === 'transfer' ? { type: 'REJECT', error } : { type: 'COMMIT' }),
  })
})

afterAll(async () => {
  await Promise.all([pisp, stranger, dfsp, careful, payee].map((each) => each.stop()))
  await scheme.stop()
})

beforeEach(() => {
  refuses = undefined
  account = 'READY'
})

const pay = (order: ThirdPartyOrder) => pisp.fsp.pisp.pay(order)

/** The outcome that the PISP received. */
function endsOf(id: string): readonly RecordedMessage[] {
  const path = `/thirdpartyRequests/transactions/${id}`
  return pisp.received.filter(
    (message) =>
      (message.method === 'PATCH' && message.path === path) || message.path === `${path}/error`,
  )
}

describe('A third-party payment', () => {
  test('A payment that the user signs with a FIDO key moves the money, and ends with one PATCH', async () => {
    const { consentId, device } = await linkedAt(pisp, dfsp)
    const before = await position(scheme.operator, 'greenbank-thirdparty')
    const result = await pay(paymentFrom(dfsp, device))
    expect(result).toMatchObject({ state: 'COMPLETED', payee: { fspId: 'bluewallet-thirdparty' } })
    expect(await position(scheme.operator, 'greenbank-thirdparty')).toBe(before + 10)
    expect(endsOf(result.transactionRequestId)).toMatchObject([
      {
        method: 'PATCH',
        source: 'greenbank-thirdparty',
        json: { transactionRequestState: 'ACCEPTED', transactionState: 'COMPLETED' },
      },
    ])
    expect(dfsp.payments.at(-1)).toMatchObject({ consentId, outcome: { type: 'COMPLETED' } })
    expect(await dfsp.await('PUT', /^\/thirdpartyRequests\/verifications\//)).toMatchObject({
      source: 'centralAuth',
      json: { authenticationResponse: 'VERIFIED' },
    })
  })

  test('A DFSP may check the signature of a payment itself, and the auth service is not asked', async () => {
    const { device } = await linkedAt(pisp, careful)
    expect(await pay(paymentFrom(careful, device))).toMatchObject({ state: 'COMPLETED' })
    const verified = careful.received.filter(({ path }) => path.includes('verifications'))
    expect(verified).toEqual([])
  })

  test.each([
    ['the auth service', () => dfsp],
    ['the DFSP', () => careful],
  ])('A payment may be signed with a GENERIC key, checked by %s', async (_by, at) => {
    const key = createGenericKey('Ed25519')
    const device = createAuthenticator()
    const linked = await pisp.fsp.pisp.link(
      linkingAt(at(), device, {
        createCredential: ({ challenge }) =>
          Promise.resolve({
            credentialType: 'GENERIC',
            genericPayload: {
              publicKey: key.publicKey,
              signature: key.sign(challenge.toString('base64url')),
            },
          }),
      }),
    )
    consentIdOf(linked)
    const sign: ThirdPartyOrder['sign'] = ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'GENERIC',
        genericSignedPayload: key.sign(challenge),
      })
    // The account has other consents too, with other keys: the newest one is used.
    expect(await pay(paymentFrom(at(), device, { sign }))).toMatchObject({ state: 'COMPLETED' })
  })

  test('A payment that the user rejects ends with both states REJECTED, and moves nothing', async () => {
    const { device } = await linkedAt(pisp, dfsp)
    const before = await position(scheme.operator, 'greenbank-thirdparty')
    const sign = () => Promise.resolve(undefined)
    const result = await pay(paymentFrom(dfsp, device, { sign }))
    expect(result).toMatchObject({ state: 'REJECTED' })
    expect(endsOf(result.transactionRequestId)).toMatchObject([
      { json: { transactionRequestState: 'REJECTED', transactionState: 'REJECTED' } },
    ])
    expect(await position(scheme.operator, 'greenbank-thirdparty')).toBe(before)
  })

  test('A payment without an answer of the user fails for the PISP when it expires', async () => {
    const { device } = await linkedAt(pisp, dfsp)
    const sign = () => new Promise<undefined>(() => undefined)
    const expiration = new Date(Date.now() + 1_500)
    const result = await pay(paymentFrom(dfsp, device, { sign, expiration }))
    expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: '3301' } })
  })
})

describe('A failed third-party payment', () => {
  const nothing = () => undefined
  const stolen: ThirdPartyOrder['sign'] = ({ challenge }) =>
    Promise.resolve({
      signedPayloadType: 'FIDO',
      fidoSignedPayload: createAuthenticator().assert({
        challenge: Buffer.from(challenge, 'base64url'),
        origin,
      }),
    })

  test.each<[string, () => unknown, Partial<ThirdPartyOrder>, string]>([
    ['the currency is not supported', () => (account = 'OTHER_CURRENCY'), {}, '4103'],
    ['there is not enough money', () => (account = 'WITHOUT_FUNDS'), {}, '6104'],
    ['the account is not active', () => (account = 'INACTIVE'), {}, '6104'],
    ['the account is not linked', nothing, { account: 'greenbank-thirdparty.amara.3' }, '6103'],
    ['the quote was refused', () => (refuses = 'quote'), {}, '6003'],
    ['the transfer was refused', () => (refuses = 'transfer'), {}, '6003'],
    [
      'the authorization failed',
      nothing,
      { sign: () => Promise.reject(new Error('the phone is gone')) },
      '6001',
    ],
    ['the signature is wrong', nothing, { sign: stolen }, '6201'],
  ])(
    'A third-party payment fails, and its PISP receives one error without details, when %s',
    async (_why, prepare, changes, errorCode) => {
      prepare()
      const { device } = await linkedAt(pisp, dfsp)
      const before = await position(scheme.operator, 'greenbank-thirdparty')
      const result = await pay(paymentFrom(dfsp, device, changes))
      expect(result).toMatchObject({ state: 'FAILED', error: { errorCode } })
      const ends = endsOf(result.transactionRequestId)
      expect(ends).toHaveLength(1)
      expect(JSON.stringify(ends)).not.toContain('secret')
      expect(await position(scheme.operator, 'greenbank-thirdparty')).toBe(before)
    },
  )

  test('When the FSP of the payee is missing, the payment fails, and its PISP receives one error without details', async () => {
    const id = randomUUID()
    await linkedAt(pisp, dfsp)
    const body = {
      transactionRequestId: id,
      payee: { partyIdInfo: { partyIdType: mei.type, partyIdentifier: mei.id } },
      payer: {
        partyIdType: 'THIRD_PARTY_LINK',
        partyIdentifier: 'greenbank-thirdparty.amara.1',
        fspId: 'greenbank-thirdparty',
      },
      amountType: 'SEND',
      amount: { currency: 'USD', amount: '10' },
      transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
    }
    expect(
      (await send('POST', '/thirdpartyRequests/transactions', 'lemonpay-thirdparty', body)).status,
    ).toBe(202)
    const path = `/thirdpartyRequests/transactions/${id}/error`
    expect(await pisp.await('PUT', path)).toMatchObject({
      json: { errorInformation: { errorCode: '3102' } },
    })
  })
})

describe.each([
  ['the auth service', () => dfsp],
  ['the DFSP', () => careful],
])('a signature that %s checks', (_by, at) => {
  const asserting =
    (
      assert: (challenge: Buffer) => ReturnType<ReturnType<typeof createAuthenticator>['assert']>,
    ): ThirdPartyOrder['sign'] =>
    ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'FIDO',
        fidoSignedPayload: assert(Buffer.from(challenge, 'base64url')),
      })
  const refused = { state: 'FAILED', error: { errorCode: '6201' } }

  test('A signature over another challenge, or a repeated one, is not accepted', async () => {
    const { device } = await linkedAt(pisp, at())
    const other = device.assert({ challenge: Buffer.alloc(32), origin })
    expect(await pay(paymentFrom(at(), device, { sign: asserting(() => other) }))).toMatchObject(
      refused,
    )
    let used = other
    const sign = asserting((challenge) => (used = device.assert({ challenge, origin })))
    expect(await pay(paymentFrom(at(), device, { sign }))).toMatchObject({ state: 'COMPLETED' })
    expect(await pay(paymentFrom(at(), device, { sign: asserting(() => used) }))).toMatchObject(
      refused,
    )
  })

  test('A signature with a lower counter than before is not accepted', async () => {
    const { device } = await linkedAt(pisp, at())
    const copy = device.clone()
    expect(await pay(paymentFrom(at(), device))).toMatchObject({ state: 'COMPLETED' })
    expect(await pay(paymentFrom(at(), copy))).toMatchObject(refused)
  })

  test('A signature for another site is not accepted', async () => {
    const { device } = await linkedAt(pisp, at())
    const sign = asserting((challenge) =>
      device.assert({ challenge, origin: 'https://app.limepay.example' }),
    )
    expect(await pay(paymentFrom(at(), device, { sign }))).toMatchObject(refused)
  })
})

describe('A consent that is no longer valid', () => {
  test('No payment is made under a consent that ends while the user signs', async () => {
    const bank = await openDfsp(scheme, 'goldbank-thirdparty')
    const { consentId, device } = await linkedAt(pisp, bank)
    const order = paymentFrom(bank, device)
    const result = await pay({
      ...order,
      async sign(terms) {
        expect(await pisp.fsp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
        return order.sign(terms)
      },
    })
    expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: '6103' } })
    await bank.stop()
  })

  test('No payment is made under a consent that has expired', async () => {
    const bank = await openDfsp(scheme, 'oldbank-thirdparty', { consent_ms_max: 1 })
    const { device } = await linkedAt(pisp, bank)
    expect(await pay(paymentFrom(bank, device))).toMatchObject({ error: { errorCode: '6103' } })
    await bank.stop()
  })
})

/** A message as a participant's own software would send it. */
async function send(method: string, path: string, source: string, body?: object) {
  const media = 'application/vnd.interoperability.thirdpartyRequests+json;version=1.0'
  return stranger.send(method, path, body, {
    'content-type': media,
    accept: media,
    'fspiop-source': source,
    'fspiop-destination': 'greenbank-thirdparty',
  })
}

describe('A status query', () => {
  test.each([
    ['by another PISP', 'limepay-thirdparty', undefined, '6104'],
    ['about an unknown payment', 'limepay-thirdparty', randomUUID(), '3206'],
  ])('A status query %s is refused', async (_what, source, unknown, errorCode) => {
    const { device } = await linkedAt(pisp, dfsp)
    const { transactionRequestId } = await pay(paymentFrom(dfsp, device))
    const path = `/thirdpartyRequests/transactions/${unknown ?? transactionRequestId}`
    expect((await send('GET', path, source)).status).toBe(202)
    const answer = await stranger.await((message) => message.path === `${path}/error`)
    expect(answer.json()).toMatchObject({ errorInformation: { errorCode } })
  })

  test('A status query by the PISP of the payment is answered with the outcome', async () => {
    const { device } = await linkedAt(pisp, dfsp)
    const { transactionRequestId, transactionId } = await pay(paymentFrom(dfsp, device))
    const path = `/thirdpartyRequests/transactions/${transactionRequestId}`
    const isAnswer = (message: RecordedMessage) =>
      message.path === path && message.json['transactionState'] === 'COMPLETED'
    expect((await send('GET', path, 'lemonpay-thirdparty')).status).toBe(202)
    const answer = await pisp.awaitThat((message) => message.method === 'PUT' && isAnswer(message))
    expect(answer.json).toMatchObject({ transactionId, transactionRequestState: 'ACCEPTED' })
  })
})

test('The operator sees in the history of a consent its registration, its checks and its revocation', async () => {
  const { consentId, device } = await linkedAt(pisp, dfsp)
  expect(await pay(paymentFrom(dfsp, device))).toMatchObject({ state: 'COMPLETED' })
  const path = `/consents/${consentId}`
  const parties = { consentId, dfspId: 'greenbank-thirdparty', pispId: 'lemonpay-thirdparty' }
  expect((await scheme.operator.call('GET', path)).json).toMatchObject({
    ...parties,
    state: 'ISSUED',
    credentialType: 'FIDO',
    credentialStatus: 'VERIFIED',
    origin,
  })
  expect(await pisp.fsp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
  const { json } = await scheme.operator.call('GET', path)
  expect(json).toMatchObject({ ...parties, state: 'REVOKED', revokedBy: 'lemonpay-thirdparty' })
  const { steps } = json as { readonly steps: readonly { readonly type: string }[] }
  // The newest first.
  expect(steps.map(({ type }) => type)).toEqual([
    'REVOKED',
    'SIGNATURE_VERIFIED',
    'OWNERSHIP_CONFIRMED',
    'CREDENTIAL_VERIFIED',
    'PARTIES_OBSERVED',
  ])
})
