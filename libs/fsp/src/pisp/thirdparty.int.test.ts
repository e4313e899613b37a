import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { consentChallenge, transactionChallenge } from '@causeway/fspiop'
import { randomBytes } from 'node:crypto'
import {
  createAuthenticator,
  createFsp,
  createGenericKey,
  type Authenticator,
  type DfspOptions,
  type FidoAssertion,
  type Fsp,
  type FspOptions,
  type LinkOrder,
  type ThirdPartyOrder,
  type ThirdPartyPayment,
} from '../index.ts'
import { authServiceAt, type AuthServiceStandIn } from '../testing/auth-service.ts'
import type { StandInRequest } from '../testing/hub-stand-in.ts'
import { openScheme, type Scheme } from '../testing/scheme.ts'

const callbackUri = 'https://app.pisp.example/linked'
const origin = 'https://app.pisp.example'
const account = { address: 'bank.amara.1', currency: 'USD', accountNickname: 'Savings 123456' }
const other = { address: 'bank.amara.2', currency: 'USD' }
const { address } = account
const scopes = [{ address, actions: ['ACCOUNTS_TRANSFER'] }]
const mei = { type: 'MSISDN', id: '12025550111', name: 'Mei Example' } as const

let scheme: Scheme
let opened: Fsp[]
let auth: AuthServiceStandIn
let bank: Fsp
let pisp: Fsp
let otps: string[]
let payments: ThirdPartyPayment[]
let device: Authenticator
/** Long enough that no message is sent twice, unless messages are lost. */
let resendAfter_ms: number

beforeEach(async () => {
  scheme = await openScheme()
  opened = []
  otps = []
  resendAfter_ms = 2_000
  payments = []
  device = createAuthenticator()
  auth = authServiceAt(scheme.hub.url, 'pispx')
  scheme.join(auth)
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await scheme.stop()
})

function open(name: string, options: Partial<FspOptions>): Fsp {
  const fsp = createFsp({
    name,
    hubUrl: scheme.hub.url,
    secret: randomBytes(32),
    resendAfter_ms,
    margin_ms: 300,
    answerTimeout_ms: 3_000,
    ...options,
  })
  opened.push(fsp)
  scheme.join(fsp)
  return fsp
}

async function openAll(
  dfsp: Partial<DfspOptions> = {},
  payee: Partial<FspOptions> = {},
): Promise<void> {
  bank = open('bank', {
    dfsp: {
      accountsOf: (userId) => (userId === 'amara' ? [account, other] : []),
      isTrustedUri: (uri) => uri === callbackUri,
      authUriOf: (id) => `https://bank.example/link/${id}`,
      sendOtp: (_userId, otp) => void otps.push(otp),
      payerAccount: () => ({
        state: 'READY',
        payer: { type: 'MSISDN', id: '12025550101', name: 'Amara Example' },
      }),
      onPayment: (payment) => void payments.push(payment),
      ...dfsp,
    },
  })
  pisp = open('pispx', {})
  const wallet = open('wallet', { onLookUp: () => mei, ...payee })
  expect(await wallet.associate(mei)).toMatchObject({ state: 'DONE' })
}

/** The user logs in and allows what is requested, or enters the password that was sent. */
function linking(changes: Partial<LinkOrder> = {}): LinkOrder {
  return {
    dfspId: 'bank',
    userId: 'amara',
    scopes,
    channels: ['WEB'],
    callbackUri,
    async authenticate({ channel, consentRequestId }) {
      if (channel === 'OTP') return otps.at(-1)
      const back = await bank.dfsp.grant(consentRequestId, scopes)
      return new URL(back ?? callbackUri).searchParams.get('authToken') ?? undefined
    },
    createCredential: ({ challenge }) =>
      Promise.resolve({
        credentialType: 'FIDO',
        fidoPayload: device.register({ challenge, origin }),
      }),
    ...changes,
  }
}

async function linked(): Promise<string> {
  const result = await pisp.pisp.link(linking())
  if (result.state !== 'LINKED') throw new Error(JSON.stringify(result))
  return result.consentId
}

function payment(changes: Partial<ThirdPartyOrder> = {}): ThirdPartyOrder {
  return {
    dfspId: 'bank',
    account: account.address,
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 5_000),
    sign: ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'FIDO',
        fidoSignedPayload: device.assert({
          challenge: Buffer.from(challenge, 'base64url'),
          origin,
        }),
      }),
    ...changes,
  }
}

const isAbout = (method: string, path: string) => (message: StandInRequest) =>
  message.method === method && message.path.startsWith(path)

const sent = (method: string, path: string) => scheme.hub.taken.filter(isAbout(method, path))

const jsonOf = (message: StandInRequest | undefined) => JSON.parse(String(message?.body)) as never

/** The final callbacks of a payment. */
function endsOf(transactionRequestId: string): readonly StandInRequest[] {
  const path = `/thirdpartyRequests/transactions/${transactionRequestId}`
  return [...sent('PATCH', path), ...sent('PUT', `${path}/error`)]
}

describe('a PISP', () => {
  test('A PISP gets from the hub the DFSPs where accounts can be linked, and asks once a day', async () => {
    await openAll()
    expect(await pisp.pisp.providers()).toMatchObject({ state: 'FOUND', providers: ['bank'] })
    await pisp.pisp.providers()
    expect(sent('GET', '/services')).toHaveLength(1)
  })

  test('A PISP sees the accounts of a user with masked names', async () => {
    await openAll()
    expect(await pisp.pisp.accounts('bank', 'amara')).toMatchObject({
      state: 'FOUND',
      accounts: [{ ...account, accountNickname: 'XXXXXXX XXX456' }, other],
    })
  })

  test('A PISP is informed that a user is unknown', async () => {
    await openAll()
    expect(await pisp.pisp.accounts('bank', 'jonas')).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '6205' },
    })
  })
})

describe('linking', () => {
  test('Linking by web registers the key at the auth service and the account in the scheme', async () => {
    await openAll()
    const consentId = await linked()
    expect([...bank.dfsp.links()]).toMatchObject([
      { consentId, pispId: 'pispx', userId: 'amara', scopes, state: 'VERIFIED' },
    ])
    expect([...pisp.pisp.consents()]).toMatchObject([{ consentId, scopes, state: 'VERIFIED' }])
    const [, registration] = sent('POST', '/consents').filter(({ path }) => path === '/consents')
    expect(registration?.headers['fspiop-destination']).toBe('centralAuth')
    expect(jsonOf(registration)).toMatchObject({
      consentId,
      scopes,
      status: 'ISSUED',
      credential: { credentialType: 'FIDO', status: 'PENDING' },
    })
    expect(sent('POST', `/participants/THIRD_PARTY_LINK/${account.address}`)).toHaveLength(1)
  })

  test('Linking is signed by the key over consent and scopes only', async () => {
    await openAll()
    const consentId = await linked()
    const [message] = sent('PUT', `/consents/${consentId}`)
    const { credential } = jsonOf(message) as {
      credential: { fidoPayload: { response: { clientDataJSON: string } } }
    }
    const { clientDataJSON } = credential.fidoPayload.response
    expect(JSON.parse(Buffer.from(clientDataJSON, 'base64').toString())).toMatchObject({
      challenge: consentChallenge({ consentId, scopes }).toString('base64url'),
    })
  })

  test('Linking grants what the user has chosen at the DFSP, not what the PISP has requested', async () => {
    await openAll()
    const chosen = [{ address: other.address, actions: ['ACCOUNTS_TRANSFER'] }]
    const result = await pisp.pisp.link(
      linking({
        async authenticate({ consentRequestId }) {
          const back = await bank.dfsp.grant(consentRequestId, chosen)
          return new URL(back ?? '').searchParams.get('authToken') ?? ''
        },
      }),
    )
    expect(result).toMatchObject({ state: 'LINKED', scopes: chosen })
  })

  test("Linking never grants accounts that are not the user's", async () => {
    await openAll()
    const foreign = [{ address: 'bank.jonas.1', actions: ['ACCOUNTS_TRANSFER'] }]
    let back: string | undefined = 'not asked'
    const result = await pisp.pisp.link(
      linking({
        async authenticate({ consentRequestId }) {
          back = await bank.dfsp.grant(consentRequestId, foreign)
          return back
        },
      }),
    )
    expect(back).toBeUndefined()
    expect(result).toMatchObject({ state: 'DECLINED', leg: 'authentication' })
  })

  test('Linking by one-time password continues when a wrong one is followed by the right one', async () => {
    await openAll()
    const result = await pisp.pisp.link(
      linking({
        channels: ['OTP'],
        authenticate: ({ attempt }) => Promise.resolve(attempt === 1 ? 'wrong' : otps[0]),
      }),
    )
    expect(result).toMatchObject({ state: 'LINKED' })
    expect(otps).toEqual([expect.stringMatching(/^\d{6}$/)])
  })

  test('Linking ends with the last wrong one-time password, and the right one is too late', async () => {
    await openAll()
    const order = linking({ channels: ['OTP'], authenticate: () => Promise.resolve('wrong') })
    expect(await pisp.pisp.link(order)).toMatchObject({
      state: 'FAILED',
      leg: 'authentication',
      error: { errorCode: '6203' },
    })
    expect(sent('POST', '/consents')).toEqual([])
  })

  test.each<[string, Partial<LinkOrder>, string]>([
    ['an unknown address', { callbackUri: 'https://evil.example/' }, '6204'],
    ['accounts that are not the user’s', { userId: 'jonas' }, '6101'],
    ['actions that are not offered', { scopes: [{ address, actions: ['STEAL'] }] }, '6101'],
  ])('Linking %s is refused', async (_what, changes, errorCode) => {
    await openAll()
    expect(await pisp.pisp.link(linking(changes))).toMatchObject({
      state: 'FAILED',
      leg: 'request',
      error: { errorCode },
    })
  })

  test('Linking is refused when the user refuses at the DFSP', async () => {
    await openAll()
    const result = await pisp.pisp.link(
      linking({
        authenticate({ consentRequestId }) {
          bank.dfsp.decline(consentRequestId)
          return Promise.resolve('nothing')
        },
      }),
    )
    expect(result).toMatchObject({ state: 'FAILED', leg: 'authentication' })
    const refused = sent('PUT', '/consentRequests').filter(({ path }) => path.endsWith('/error'))
    expect(refused.map(jsonOf)).toContainEqual({
      errorInformation: { errorCode: '6102', errorDescription: 'Consent not granted' },
    })
  })

  test.each([
    ['6200', '6200'],
    ['2001', '6003'],
  ] as const)(
    'Linking that the auth service refuses with %s ends with %s, and no account is linked',
    async (received, expected) => {
      await openAll()
      auth.refuse('consents', received)
      expect(await pisp.pisp.link(linking())).toMatchObject({
        state: 'FAILED',
        leg: 'credential',
        error: { errorCode: expected },
      })
      expect([...bank.dfsp.links()]).toMatchObject([{ state: 'GRANTED' }])
      expect(sent('POST', '/participants/THIRD_PARTY_LINK')).toEqual([])
    },
  )

  test('Linking survives the loss of every message, once', async () => {
    resendAfter_ms = 100
    await openAll()
    const lost = new Set<string>()
    scheme.passOn((message) => {
      const key = `${message.method} ${message.path} ${String(message.headers['fspiop-source'])}`
      if (!message.path.startsWith('/consent') || lost.has(key)) return message
      lost.add(key)
      return undefined
    })
    expect(await pisp.pisp.link(linking())).toMatchObject({ state: 'LINKED' })
    expect([...bank.dfsp.links()]).toHaveLength(1)
  })
})

describe('a payment of a third party', () => {
  test('A payment of a PISP is quoted, signed by the user, verified and paid, and ends with one PATCH', async () => {
    await openAll()
    const consentId = await linked()
    const result = await pisp.pisp.pay(payment())
    expect(result).toMatchObject({ state: 'COMPLETED', payee: { fspId: 'wallet' } })
    const { transactionRequestId, transactionId } = result
    expect(payments).toMatchObject([
      {
        transactionRequestId,
        transactionId,
        consentId,
        pispId: 'pispx',
        transferId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        outcome: { type: 'COMPLETED' },
      },
    ])
    expect(endsOf(transactionRequestId).map(jsonOf)).toEqual([
      {
        transactionRequestState: 'ACCEPTED',
        transactionState: 'COMPLETED',
        completedTimestamp: expect.stringMatching(/Z$/),
      },
    ])
    const [quote] = sent('POST', '/quotes')
    expect(jsonOf(quote)).toMatchObject({
      transactionRequestId,
      transactionId,
      payer: { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '12025550101' } },
    })
  })

  test('A payment shows the user the amounts, and the signature covers the whole quote', async () => {
    await openAll(
      {},
      {
        onQuote: () => ({ type: 'AGREE', payeeFspFee: { currency: 'USD', amount: '1' } }),
      },
    )
    await linked()
    const shown: unknown[] = []
    const { sign } = payment()
    await pisp.pisp.pay(
      payment({
        sign(terms) {
          shown.push(terms)
          return sign(terms)
        },
      }),
    )
    const [, quote] = [undefined, ...sent('PUT', '/quotes/')]
    expect(shown).toMatchObject([
      {
        transferAmount: { currency: 'USD', amount: '10' },
        payeeReceiveAmount: { currency: 'USD', amount: '9' },
        fees: { currency: 'USD', amount: '1' },
        challenge: transactionChallenge(jsonOf(quote)).toString('base64url'),
      },
    ])
  })

  test('A payment that the user rejects ends with both states REJECTED', async () => {
    await openAll()
    await linked()
    const result = await pisp.pisp.pay(payment({ sign: () => Promise.resolve(undefined) }))
    expect(result).toMatchObject({ state: 'REJECTED' })
    expect(endsOf(result.transactionRequestId).map(jsonOf)).toEqual([
      { transactionRequestState: 'REJECTED', transactionState: 'REJECTED' },
    ])
    expect(sent('POST', '/transfers')).toEqual([])
  })

  test.each([
    ['6201', '6201'],
    ['6103', '6103'],
    ['2001', '6003'],
  ] as const)(
    'A payment whose signature is answered %s ends with %s',
    async (received, expected) => {
      await openAll()
      await linked()
      auth.refuse('verifications', received)
      const result = await pisp.pisp.pay(payment())
      expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: expected } })
      expect(endsOf(result.transactionRequestId)).toHaveLength(1)
      expect(sent('POST', '/transfers')).toEqual([])
    },
  )

  test.each<[string, Partial<FspOptions>]>([
    [
      'quote',
      {
        onQuote: () => ({
          type: 'REJECT',
          error: { errorCode: '5103', errorDescription: 'secret' },
        }),
      },
    ],
    [
      'transfer',
      {
        onTransfer: () => ({
          type: 'REJECT',
          error: { errorCode: '5104', errorDescription: 'secret' },
        }),
      },
    ],
  ])('A payment whose %s fails ends with 6003 and without the reason', async (_leg, payee) => {
    await openAll({}, payee)
    await linked()
    const result = await pisp.pisp.pay(payment())
    expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: '6003' } })
    const ends = endsOf(result.transactionRequestId)
    expect(ends).toHaveLength(1)
    expect(String(ends[0]?.body)).not.toContain('secret')
  })

  test.each([
    ['INACTIVE', '6104'],
    ['WITHOUT_FUNDS', '6104'],
    ['OTHER_CURRENCY', '4103'],
  ] as const)(
    'A payment from an account that is %s is refused with %s',
    async (state, errorCode) => {
      await openAll({ payerAccount: () => ({ state }) })
      await linked()
      expect(await pisp.pisp.pay(payment())).toMatchObject({
        state: 'FAILED',
        leg: 'request',
        error: { errorCode },
      })
      expect(sent('POST', '/quotes')).toEqual([])
      expect(payments).toEqual([])
    },
  )

  test('A payment from an account that was not linked is refused', async () => {
    await openAll()
    await linked()
    expect(await pisp.pisp.pay(payment({ account: other.address }))).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '6103' },
    })
  })

  test('A payment under a consent of another PISP is refused', async () => {
    await openAll()
    await linked()
    const stranger = open('pispy', {})
    expect(await stranger.pisp.pay(payment())).toMatchObject({ error: { errorCode: '6104' } })
  })

  test('A payment under a consent that has expired is refused', async () => {
    await openAll({ consent_ms_max: 1 })
    await linked()
    expect(await pisp.pisp.pay(payment())).toMatchObject({ error: { errorCode: '6103' } })
  })

  test('A payment is not made when its consent ends while the user signs', async () => {
    await openAll()
    const consentId = await linked()
    const { sign } = payment()
    const result = await pisp.pisp.pay(
      payment({
        async sign(terms) {
          expect(await bank.dfsp.unlink(consentId)).toBeUndefined()
          return sign(terms)
        },
      }),
    )
    expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: '6103' } })
    expect(sent('POST', '/transfers')).toEqual([])
  })

  test('A payment that the PISP’s user does not answer fails at its expiration, on both sides', async () => {
    await openAll()
    await linked()
    const expiration = new Date(Date.now() + 500)
    const sign = () => new Promise<undefined>(() => undefined)
    const result = await pisp.pisp.pay(payment({ expiration, sign }))
    expect(result).toMatchObject({ state: 'FAILED', error: { errorCode: '3301' } })
    const { transactionRequestId: id } = result
    await scheme.hub.received(isAbout('PUT', `/thirdpartyRequests/transactions/${id}/error`), 1)
    expect(payments).toMatchObject([{ transferId: undefined, outcome: { type: 'FAILED' } }])
  })

  test('A payment is paid once and ends once, however often its messages are repeated or lost', async () => {
    resendAfter_ms = 100
    await openAll()
    await linked()
    const lost = new Set<string>()
    scheme.passOn((message) => {
      const key = `${message.method} ${message.path}`
      if (!message.path.startsWith('/thirdpartyRequests') || lost.has(key)) return message
      lost.add(key)
      return undefined
    })
    const result = await pisp.pisp.pay(payment())
    expect(result).toMatchObject({ state: 'COMPLETED' })
    expect(sent('POST', '/transfers')).toHaveLength(1)
    expect(payments).toHaveLength(1)
    const ends = endsOf(result.transactionRequestId).map((message) => String(message.body))
    expect(new Set(ends).size).toBe(1)
  })
})

describe('a status query', () => {
  const query = async (from: Fsp, id: string) => {
    const path = `/thirdpartyRequests/transactions/${id}`
    const media = 'application/vnd.interoperability.thirdpartyRequests+json;version=1.0'
    const result = await bank.receive({
      method: 'GET',
      target: path,
      headers: {
        'content-type': media,
        accept: media,
        date: new Date().toUTCString(),
        'fspiop-source': from.name,
        'fspiop-destination': 'bank',
      },
      body: Buffer.alloc(0),
    })
    expect(result).toEqual({ status: 202 })
    const isAnswer = (message: StandInRequest) =>
      message.method === 'PUT' &&
      message.path.startsWith(path) &&
      message.headers['fspiop-destination'] === from.name
    return isAnswer
  }

  test('A status query of the PISP that requested the payment is answered with its outcome', async () => {
    await openAll()
    await linked()
    const { transactionRequestId: id, transactionId } = await pisp.pisp.pay(payment())
    const isAnswer = await query(pisp, id)
    const isEnd = (message: StandInRequest) =>
      isAnswer(message) && String(message.body).includes('COMPLETED')
    const [answer] = await scheme.hub.received(isEnd, 1)
    expect(jsonOf(answer)).toMatchObject({
      transactionId,
      transactionRequestState: 'ACCEPTED',
      transactionState: 'COMPLETED',
    })
  })

  test('A status query of another PISP, or about an unknown payment, is refused', async () => {
    await openAll()
    await linked()
    const { transactionRequestId: id } = await pisp.pisp.pay(payment())
    const stranger = open('pispy', {})
    const [foreign] = await scheme.hub.received(await query(stranger, id), 1)
    expect(foreign?.path).toMatch(/\/error$/)
    expect(jsonOf(foreign)).toMatchObject({ errorInformation: { errorCode: '6104' } })
    const unknown = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
    const [none] = await scheme.hub.received(await query(pisp, unknown), 1)
    expect(jsonOf(none)).toMatchObject({ errorInformation: { errorCode: '3206' } })
  })
})

describe('unlinking', () => {
  test.each([
    ['the PISP', () => pisp.pisp.unlink([...pisp.pisp.consents()][0]?.consentId ?? '')],
    ['the DFSP', () => bank.dfsp.unlink([...bank.dfsp.links()][0]?.consentId ?? '')],
  ])(
    'Unlinking by %s ends the consent on both sides and removes the link',
    async (_who, unlink) => {
      await openAll()
      await linked()
      await unlink()
      await scheme.hub.received(isAbout('DELETE', '/participants/THIRD_PARTY_LINK'), 1)
      await scheme.hub.received(isAbout('PATCH', '/consents'), 2)
      expect([...bank.dfsp.links()]).toMatchObject([{ state: 'REVOKED' }])
      expect([...pisp.pisp.consents()]).toMatchObject([{ state: 'REVOKED' }])
      expect(await pisp.pisp.pay(payment())).toMatchObject({ error: { errorCode: '6103' } })
    },
  )

  test('Unlinking several times at once, on either side, is one revocation for each side', async () => {
    await openAll()
    const consentId = await linked()
    const [first, second] = await Promise.all([
      bank.dfsp.unlink(consentId),
      bank.dfsp.unlink(consentId),
    ])
    expect([first, second]).toEqual([undefined, undefined])
    const results = await Promise.all([pisp.pisp.unlink(consentId), pisp.pisp.unlink(consentId)])
    expect(results).toMatchObject([{ state: 'UNLINKED' }, { state: 'UNLINKED' }])
    const sources = sent('DELETE', `/consents/${consentId}`).map(
      ({ headers }) => headers['fspiop-source'],
    )
    expect(sources).toEqual(['bank', 'pispx'])
    await scheme.hub.received(isAbout('PATCH', '/consents'), 4)
    await scheme.hub.received(isAbout('DELETE', '/participants/THIRD_PARTY_LINK'), 1)
  })

  test('Unlinking one of two consents on an account retains its link in the scheme', async () => {
    await openAll()
    const first = await linked()
    await linked()
    expect(await pisp.pisp.unlink(first)).toMatchObject({ state: 'UNLINKED' })
    expect(await pisp.pisp.pay(payment())).toMatchObject({ state: 'COMPLETED' })
    expect(sent('DELETE', '/participants')).toEqual([])
  })
})

test('A GENERIC key links and pays as a FIDO key does', async () => {
  await openAll()
  const key = createGenericKey('Ed25519')
  const { publicKey } = key
  const result = await pisp.pisp.link(
    linking({
      createCredential: ({ challenge }) =>
        Promise.resolve({
          credentialType: 'GENERIC',
          genericPayload: { publicKey, signature: key.sign(challenge.toString('base64url')) },
        }),
    }),
  )
  expect(result).toMatchObject({ state: 'LINKED' })
  const paid = await pisp.pisp.pay(
    payment({
      sign: ({ challenge }) =>
        Promise.resolve({
          signedPayloadType: 'GENERIC',
          genericSignedPayload: key.sign(challenge),
        }),
    }),
  )
  expect(paid).toMatchObject({ state: 'COMPLETED' })
})

describe('a DFSP that checks signatures itself', () => {
  const openByItself = (payee: Partial<FspOptions> = {}) =>
    openAll({ verification: { by: 'ITSELF' } }, payee)

  const signing =
    (assert: (challenge: Buffer) => FidoAssertion): ThirdPartyOrder['sign'] =>
    ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'FIDO',
        fidoSignedPayload: assert(Buffer.from(challenge, 'base64url')),
      })

  test('A DFSP that verifies signatures itself asks no auth service', async () => {
    await openByItself()
    await linked()
    expect(await pisp.pisp.pay(payment())).toMatchObject({ state: 'COMPLETED' })
    expect(sent('POST', '/thirdpartyRequests/verifications')).toEqual([])
    const consents = sent('POST', '/consents').filter(({ path }) => path === '/consents')
    expect(consents.map(({ headers }) => headers['fspiop-destination'])).toEqual(['pispx'])
  })

  test.each<[string, LinkOrder['createCredential']]>([
    [
      'made for another challenge',
      () =>
        Promise.resolve({
          credentialType: 'FIDO',
          fidoPayload: device.register({ challenge: randomBytes(32), origin }),
        }),
    ],
    [
      'of a site that is not secure',
      ({ challenge }) =>
        Promise.resolve({
          credentialType: 'FIDO',
          fidoPayload: device.register({ challenge, origin: 'http://app.pisp.example' }),
        }),
    ],
    [
      'without the private key',
      ({ challenge }) =>
        Promise.resolve({
          credentialType: 'GENERIC',
          genericPayload: {
            publicKey: createGenericKey().publicKey,
            signature: createGenericKey().sign(challenge.toString('base64url')),
          },
        }),
    ],
  ])('A DFSP that verifies signatures itself refuses a key %s', async (_what, createCredential) => {
    await openByItself()
    expect(await pisp.pisp.link(linking({ createCredential }))).toMatchObject({
      state: 'FAILED',
      leg: 'credential',
      error: { errorCode: '6200' },
    })
  })

  test.each<[string, () => ThirdPartyOrder['sign']]>([
    [
      'over another challenge',
      () => signing(() => device.assert({ challenge: randomBytes(32), origin })),
    ],
    [
      'made at another site',
      () => signing((challenge) => device.assert({ challenge, origin: 'https://evil.example' })),
    ],
    [
      'of another device',
      () => signing((challenge) => createAuthenticator().assert({ challenge, origin })),
    ],
    [
      'of another kind',
      () =>
        ({ challenge }) =>
          Promise.resolve({
            signedPayloadType: 'GENERIC',
            genericSignedPayload: createGenericKey().sign(challenge),
          }),
    ],
  ])('A DFSP that verifies signatures itself refuses a signature %s', async (_what, sign) => {
    await openByItself()
    await linked()
    expect(await pisp.pisp.pay(payment({ sign: sign() }))).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '6201' },
    })
    expect(sent('POST', '/transfers')).toEqual([])
  })

  test('A DFSP refuses a signature of a copied device whose counter has fallen behind', async () => {
    await openByItself()
    await linked()
    const copy = device.clone()
    expect(await pisp.pisp.pay(payment())).toMatchObject({ state: 'COMPLETED' })
    const sign = signing((challenge) => copy.assert({ challenge, origin }))
    expect(await pisp.pisp.pay(payment({ sign }))).toMatchObject({ error: { errorCode: '6201' } })
  })

  test('A DFSP without an auth service ends a consent when its PISP asks for it, and only then', async () => {
    await openByItself()
    const consentId = await linked()
    const stranger = open('pispy', { pisp: { consents: [...pisp.pisp.consents()] } })
    scheme.leave('centralAuth')
    expect(await stranger.pisp.unlink(consentId)).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '6104' },
    })
    expect(await pisp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
    expect([...bank.dfsp.links()]).toMatchObject([{ state: 'REVOKED' }])
  })
})
