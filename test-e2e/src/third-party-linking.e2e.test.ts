/**
 * A user's account is linked to a PISP, and unlinked, as both sides and the auth service of the hub
 * see it.
 */
import { createAuthenticator, createGenericKey, type LinkOrder } from '@causeway/fsp'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newPhoneNumber } from './fsp/payment.ts'
import { shareSchemeOfFsps, type Scheme } from './hub/scheme.ts'
import {
  accountAt,
  consentIdOf,
  linkedAt,
  linkingAt,
  openDfsp,
  openPayee,
  openPisp,
  otherAccountAt,
  paymentFrom,
  scopesAt,
  userId,
  type TestParticipant,
  type TestDfsp,
} from './parties/third-party.ts'

const customer = { type: 'MSISDN', id: newPhoneNumber(), name: 'Mei Example' } as const

let scheme: Scheme
let pisp: TestParticipant
let stranger: TestParticipant
let dfsp: TestDfsp
let other: TestDfsp
let careful: TestDfsp
let leaving: TestDfsp
let payee: TestParticipant

beforeAll(async () => {
  scheme = await shareSchemeOfFsps()
  pisp = await openPisp(scheme, 'lemonpay-linking')
  stranger = await openPisp(scheme, 'limepay-linking')
  dfsp = await openDfsp(scheme, 'greenbank-linking')
  other = await openDfsp(scheme, 'redbank-linking')
  careful = await openDfsp(scheme, 'carefulbank-linking', { verification: { by: 'ITSELF' } })
  leaving = await openDfsp(scheme, 'goldbank-linking')
  payee = await openPayee(scheme, 'bluewallet-linking', {}, customer)
})

afterAll(async () => {
  const all = [pisp, stranger, dfsp, other, careful, leaving, payee]
  await Promise.all(all.map((each) => each.stop()))
  await scheme.stop()
})

const link = (changes: Partial<LinkOrder> = {}, at: TestDfsp = dfsp) =>
  pisp.fsp.pisp.link(linkingAt(at, createAuthenticator(), changes))

describe('Before linking', () => {
  test('The hub lists for a PISP the DFSPs that are open for linking', async () => {
    expect(await pisp.fsp.pisp.providers()).toMatchObject({
      state: 'FOUND',
      providers: expect.arrayContaining([
        'greenbank-linking',
        'redbank-linking',
        'carefulbank-linking',
      ]),
    })
    const providers = await stranger.fsp.pisp.providers()
    expect(providers).not.toMatchObject({ providers: expect.arrayContaining(['lemonpay-linking']) })
  })

  test('A PISP sees the accounts of a user with masked names', async () => {
    expect(await pisp.fsp.pisp.accounts('greenbank-linking', userId)).toMatchObject({
      state: 'FOUND',
      accounts: [
        { address: accountAt(dfsp), currency: 'USD', accountNickname: 'XXXXXXX XXX456' },
        { address: otherAccountAt(dfsp), currency: 'USD' },
      ],
    })
  })

  test.each([
    ['a user that the DFSP does not know', 'greenbank-linking', 'jonas', '6205'],
    ['an unknown DFSP', 'nobody', 'jonas', '3201'],
  ])('A request for the accounts of %s is refused', async (_whose, at, user, errorCode) => {
    expect(await pisp.fsp.pisp.accounts(at, user)).toMatchObject({
      state: 'FAILED',
      error: { errorCode },
    })
  })
})

describe('A linked account', () => {
  test('An account is linked by the web, with a FIDO key that the auth service has checked', async () => {
    const consentId = consentIdOf(await link())
    expect(pisp.received).toContainEqual({
      method: 'PUT',
      path: `/consents/${consentId}`,
      source: 'greenbank-linking',
      json: expect.objectContaining({
        status: 'ISSUED',
        scopes: scopesAt(dfsp),
        credential: expect.objectContaining({ credentialType: 'FIDO', status: 'VERIFIED' }),
      }),
    })
    expect(dfsp.received).toContainEqual({
      method: 'PUT',
      path: `/consents/${consentId}`,
      source: 'centralAuth',
      json: expect.objectContaining({
        credential: expect.objectContaining({ status: 'VERIFIED' }),
      }),
    })
    expect(dfsp.received).toContainEqual({
      method: 'PUT',
      path: `/participants/THIRD_PARTY_LINK/${accountAt(dfsp)}`,
      source: 'Hub',
      json: expect.objectContaining({ fspId: 'greenbank-linking' }),
    })
  })

  test('An account is linked by a one-time password, after a wrong one', async () => {
    const result = await link({
      channels: ['OTP'],
      authenticate: ({ attempt }) => Promise.resolve(attempt === 1 ? 'wrong' : dfsp.otps.at(-1)),
    })
    expect(result).toMatchObject({ state: 'LINKED' })
  })

  test('Other accounts than the PISP has asked for are linked when the user chooses so', async () => {
    const chosen = [{ address: otherAccountAt(dfsp), actions: ['ACCOUNTS_TRANSFER'] }]
    const result = await link({
      async authenticate({ consentRequestId }) {
        const back = await dfsp.fsp.dfsp.grant(consentRequestId, chosen)
        return new URL(back ?? '').searchParams.get('authToken') ?? undefined
      },
    })
    expect(result).toMatchObject({ state: 'LINKED', scopes: chosen })
  })

  test.each(['P-256', 'RSA-2048', 'Ed25519'] as const)(
    'An account is linked with a GENERIC key (%s)',
    async (kind) => {
      const key = createGenericKey(kind)
      const result = await link({
        createCredential: ({ challenge }) =>
          Promise.resolve({
            credentialType: 'GENERIC',
            genericPayload: {
              publicKey: key.publicKey,
              signature: key.sign(challenge.toString('base64url')),
            },
          }),
      })
      expect(result).toMatchObject({ state: 'LINKED' })
    },
  )

  test('An account is linked with a packed attestation', async () => {
    const device = createAuthenticator({ attestation: 'packed' })
    const result = await pisp.fsp.pisp.link(linkingAt(dfsp, device))
    expect(result).toMatchObject({ state: 'LINKED' })
  })

  test('An account is linked at a DFSP that checks keys itself, without the auth service', async () => {
    const consentId = consentIdOf(await link({}, careful))
    expect(careful.received).not.toContainEqual(expect.objectContaining({ source: 'centralAuth' }))
    expect([...careful.fsp.dfsp.links()]).toContainEqual(
      expect.objectContaining({ consentId, state: 'VERIFIED' }),
    )
  })

  test('Accounts at two DFSPs are linked by one PISP, each with a consent of its own', async () => {
    const first = consentIdOf(await link())
    const second = consentIdOf(await link({}, other))
    const consents = [...pisp.fsp.pisp.consents()]
    expect(consents).toContainEqual(
      expect.objectContaining({ consentId: first, dfspId: 'greenbank-linking', state: 'VERIFIED' }),
    )
    expect(consents).toContainEqual(
      expect.objectContaining({ consentId: second, dfspId: 'redbank-linking', state: 'VERIFIED' }),
    )
  })
})

describe('Refused linking', () => {
  test.each<[string, Partial<LinkOrder>, string, string]>([
    ['to an unknown callbackUri', { callbackUri: 'https://evil.example/' }, 'request', '6204'],
    [
      'for actions that are not offered',
      { scopes: [{ address: 'greenbank-linking.amara.1', actions: ['ACCOUNTS_STATEMENT'] }] },
      'request',
      '6101',
    ],
    ['for the account of another user', { userId: 'jonas' }, 'request', '6101'],
    ['at an unknown DFSP', { dfspId: 'nobody' }, 'request', '3201'],
    [
      'with a wrong secret',
      { authenticate: () => Promise.resolve('guessed') },
      'authentication',
      '6203',
    ],
    [
      'with a key for another challenge',
      {
        createCredential: () =>
          Promise.resolve({
            credentialType: 'FIDO',
            fidoPayload: createAuthenticator().register({
              challenge: Buffer.alloc(32),
              origin: 'https://app.lemonpay.example',
            }),
          }),
      },
      'credential',
      '6200',
    ],
    [
      'with a key of a site without TLS',
      {
        createCredential: ({ challenge }) =>
          Promise.resolve({
            credentialType: 'FIDO',
            fidoPayload: createAuthenticator().register({
              challenge,
              origin: 'http://app.lemonpay.example',
            }),
          }),
      },
      'credential',
      '6200',
    ],
    [
      'with a GENERIC key that the user does not have',
      {
        createCredential: ({ challenge }) =>
          Promise.resolve({
            credentialType: 'GENERIC',
            genericPayload: {
              publicKey: createGenericKey().publicKey,
              signature: createGenericKey().sign(challenge.toString('base64url')),
            },
          }),
      },
      'credential',
      '6200',
    ],
  ])('Linking is refused %s', async (_what, changes, leg, errorCode) => {
    expect(await link(changes)).toMatchObject({ state: 'FAILED', leg, error: { errorCode } })
  })

  test('Linking is refused when the user refuses at the DFSP', async () => {
    const asked = new Promise<string>((resolve) => {
      const authenticate: LinkOrder['authenticate'] = ({ consentRequestId }) => {
        resolve(consentRequestId)
        return new Promise(() => undefined)
      }
      void link({ authenticate })
    })
    const id = await asked
    dfsp.fsp.dfsp.decline(id)
    const { json } = await pisp.await('PUT', `/consentRequests/${id}/error`)
    expect(json).toMatchObject({ errorInformation: { errorCode: '6102' } })
  })

  test('After a wrong key the consent stays GRANTED, so that a right key may follow', async () => {
    let consentId: string | undefined
    const wrong = await link({
      createCredential: (wish) => {
        ;({ consentId } = wish)
        return Promise.resolve({
          credentialType: 'GENERIC',
          genericPayload: { publicKey: 'AAAA', signature: 'AAAA' },
        })
      },
    })
    expect(wrong).toMatchObject({ state: 'FAILED', consentId, error: { errorCode: '6200' } })
    expect([...dfsp.fsp.dfsp.links()]).toContainEqual(
      expect.objectContaining({ consentId, state: 'GRANTED' }),
    )
  })
})

describe('An unlinked account', () => {
  test('After the PISP unlinks an account, the auth service notifies both sides, and no payment is made', async () => {
    const { consentId, device } = await linkedAt(pisp, leaving)
    expect(await pisp.fsp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
    for (const side of [pisp, leaving]) {
      expect(await side.await('PATCH', `/consents/${consentId}`)).toMatchObject({
        source: 'centralAuth',
        json: { status: 'REVOKED', revokedAt: expect.stringMatching(/Z$/) },
      })
    }
    expect(await pisp.fsp.pisp.pay(paymentFrom(leaving, device, { to: customer }))).toMatchObject({
      state: 'FAILED',
      error: { errorCode: '6103' },
    })
  })

  test('After the DFSP unlinks an account, the PISP is notified', async () => {
    const { consentId } = await linkedAt(pisp, dfsp)
    expect(await dfsp.fsp.dfsp.unlink(consentId)).toBeUndefined()
    expect(await pisp.await('PATCH', `/consents/${consentId}`)).toMatchObject({
      source: 'centralAuth',
      json: { status: 'REVOKED' },
    })
  })

  test('A repeated unlink gets the same answer', async () => {
    const { consentId } = await linkedAt(pisp, dfsp)
    const first = await pisp.fsp.pisp.unlink(consentId)
    const second = await pisp.fsp.pisp.unlink(consentId)
    expect(first).toMatchObject({ state: 'UNLINKED' })
    expect(second).toMatchObject({
      state: 'UNLINKED',
      revokedAt: (first as { readonly revokedAt?: string }).revokedAt,
    })
  })

  test('A PISP unlinks an account at a DFSP that stores its consents itself', async () => {
    const { consentId } = await linkedAt(pisp, careful)
    expect(await pisp.fsp.pisp.unlink(consentId)).toMatchObject({ state: 'UNLINKED' })
    expect(await pisp.await('PATCH', `/consents/${consentId}`)).toMatchObject({
      source: 'carefulbank-linking',
    })
  })
})
