import { describe, expect, test } from '@jest/globals'
import {
  type ConsentPolicy,
  type ConsentRequest,
  judgeConsentRequest,
  judgeToken,
} from './consent-request.ts'

const policy: ConsentPolicy = {
  accounts: [
    { address: 'bank.amara.1', currency: 'USD' },
    { address: 'bank.amara.2', currency: 'USD' },
  ],
  actions: ['ACCOUNTS_TRANSFER', 'ACCOUNTS_GET_BALANCE'],
  channels: ['WEB', 'OTP'],
  isTrustedUri: (uri) => uri.startsWith('https://app.pisp.example/'),
}

const request: ConsentRequest = {
  consentRequestId: '0c0a6d3e-5d0c-4c57-9a1b-3f1f0a7d2e11',
  userId: 'amara@bank',
  scopes: [{ address: 'bank.amara.1', actions: ['ACCOUNTS_TRANSFER'] }],
  authChannels: ['WEB', 'OTP'],
  callbackUri: 'https://app.pisp.example/linked',
}

const judge = (changes: Partial<ConsentRequest>, allowed: Partial<ConsentPolicy> = {}) =>
  judgeConsentRequest({ ...request, ...changes }, { ...policy, ...allowed })

const transfer = ['ACCOUNTS_TRANSFER']

describe('a request for consent', () => {
  test.each([
    ['WEB', ['WEB', 'OTP']],
    ['WEB', ['Web']],
    ['OTP', ['OTP']],
  ])(
    'A consent request is accepted on the channel %s when the PISP offers %j',
    (channel, authChannels) => {
      expect(judge({ authChannels })).toEqual({ type: 'AUTHENTICATE', channel })
    },
  )

  test('A consent request by OTP needs no callbackUri', () => {
    const otp = { authChannels: ['OTP'], callbackUri: undefined }
    expect(judge(otp)).toEqual({ type: 'AUTHENTICATE', channel: 'OTP' })
  })

  test.each<[string, Partial<ConsentRequest>, string]>([
    ['an unknown callbackUri', { callbackUri: 'https://evil.example/linked' }, '6204'],
    ['no callbackUri for the web', { callbackUri: undefined }, '6204'],
    ['no channel in common', { authChannels: ['SMOKE'] }, '6104'],
    ['no scope', { scopes: [] }, '6101'],
    [
      "another user's account",
      { scopes: [{ address: 'bank.jonas.1', actions: transfer }] },
      '6101',
    ],
    [
      'an action that is not offered',
      { scopes: [{ address: 'bank.amara.1', actions: ['ACCOUNTS_STATEMENT'] }] },
      '6101',
    ],
    ['an account without action', { scopes: [{ address: 'bank.amara.1', actions: [] }] }, '6101'],
    [
      'an account twice',
      {
        scopes: [
          { address: 'bank.amara.1', actions: transfer },
          { address: 'bank.amara.1', actions: ['ACCOUNTS_GET_BALANCE'] },
        ],
      },
      '6101',
    ],
  ])('A consent request with %s is refused', (_what, changes, errorCode) => {
    expect(judge(changes)).toMatchObject({ type: 'REFUSE', error: { errorCode } })
  })

  test('A consent request for a user whom the DFSP does not know is refused for unsupported scopes', () => {
    expect(judge({}, { accounts: [] })).toMatchObject({ error: { errorCode: '6101' } })
  })
})

describe('the token that the user carries to the PISP', () => {
  const pending = { token: '493817', attemptsLeft: 2, until_ms: 1_000 }

  test('The right token grants the consent in time', () => {
    expect(judgeToken(pending, '493817', 999)).toEqual({ type: 'GRANT' })
  })

  test('A wrong token may be given again while attempts are left', () => {
    const wrong = { type: 'REFUSE', error: { errorCode: '6203' } }
    expect(judgeToken(pending, '493818', 0)).toMatchObject({ ...wrong, attemptsLeft: 1 })
    const last = { ...pending, attemptsLeft: 1 }
    expect(judgeToken(last, '4938170', 0)).toMatchObject({ ...wrong, attemptsLeft: 0 })
  })

  test.each([
    ['arrives too late', pending, 1_000],
    ['arrives after too many wrong ones', { ...pending, attemptsLeft: 0 }, 0],
    ['belongs to no request', undefined, 0],
  ])('A right token that %s is refused', (_why, known, now_ms) => {
    const refused = { type: 'REFUSE', error: { errorCode: '6203' }, attemptsLeft: 0 }
    expect(judgeToken(known, '493817', now_ms)).toMatchObject(refused)
  })
})
