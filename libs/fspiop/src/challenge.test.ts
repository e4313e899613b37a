import { describe, expect, test } from '@jest/globals'
import {
  challengeReadings,
  consentChallenge,
  consentClientChallenges,
  transactionChallenge,
  transactionClientChallenges,
} from './challenge.ts'
import { canonicalJson } from './bodies/canonical-json.ts'

const consentId = '7d34f91d-6a2c-4a0e-9c1b-5f8e2b7a4c10'
const first = 'ACCOUNTS_TRANSFER'
const second = 'ACCOUNTS_GET_BALANCE'
const scopes = [
  { address: 'bankx.acc.000123', actions: [first, second] },
  { address: 'bankx.acc.000456', actions: [second] },
]
const consentHex = '89fa7f5676000e38b942a17be85a606997c6109e92cc11fb15d4058cf5403281'

const quote = {
  transferAmount: { amount: '100', currency: 'USD' },
  payeeReceiveAmount: { amount: '99', currency: 'USD' },
  payeeFspFee: { amount: '1', currency: 'USD' },
  expiration: '2027-03-01T12:00:00.000Z',
  ilpPacket: 'AQIDBA',
  condition: 'HOr22-H3AfTDHrSkPjJtVPRdKouuMkDXTR4ejlQa8Ks',
}
const quoteHex = '8407fe122f33dc13c7c6542e8ed24f139c3677971905b2c2c73784324a4af3ea'

describe('the challenge of a consent', () => {
  test('The challenge of a consent is the SHA-256 of the canonical JSON of its id and scopes', () => {
    expect(canonicalJson({ scopes, consentId })).toBe(
      '{"consentId":"7d34f91d-6a2c-4a0e-9c1b-5f8e2b7a4c10","scopes":[{"actions":["ACCOUNTS_TRANSFER",' +
        '"ACCOUNTS_GET_BALANCE"],"address":"bankx.acc.000123"},{"actions":["ACCOUNTS_GET_BALANCE"],' +
        '"address":"bankx.acc.000456"}]}',
    )
    expect(consentChallenge({ consentId, scopes }).toString('hex')).toBe(consentHex)
  })

  test('The challenge of a consent covers the member names of the scopes as they were received', () => {
    const named = scopes.map(({ address, actions }) => ({ accountId: address, actions }))
    expect(consentChallenge({ consentId, scopes: named }).toString('hex')).toBe(
      '751eda83947c991da2ee8bcde7b1d103a82be982ce3620be71d3ee73c57d8648',
    )
  })

  test('The challenge of a consent covers nothing else of the message', () => {
    const message = { status: 'ISSUED', consentId, scopes, consentRequestId: 'x' }
    expect(consentChallenge(message).toString('hex')).toBe(consentHex)
  })

  test.each([
    ['another order of scopes', [scopes[1], scopes[0]]],
    ['another order of actions', [{ ...scopes[0], actions: [second, first] }, scopes[1]]],
    ['a further member', [{ ...scopes[0], nickname: 'x' }, scopes[1]]],
  ])('The challenge of a consent differs with %s', (_change, changed) => {
    expect(consentChallenge({ consentId, scopes: changed }).toString('hex')).not.toBe(consentHex)
  })

  test('The challenge of a consent reaches the authenticator as the 32 bytes or as their hexadecimal text', () => {
    expect(consentClientChallenges(consentChallenge({ consentId, scopes }))).toEqual([
      'ifp_VnYADji5QqF76FpgaZfGEJ6SzBH7FdQFjPVAMoE',
      'ODlmYTdmNTY3NjAwMGUzOGI5NDJhMTdiZTg1YTYwNjk5N2M2MTA5ZTkyY2MxMWZiMTVkNDA1OGNmNTQwMzI4MQ',
    ])
  })
})

describe('the challenge of a payment', () => {
  test("The challenge of a payment is the SHA-256 of the canonical JSON of the payee FSP's quote", () => {
    expect(transactionChallenge(quote).toString('hex')).toBe(quoteHex)
    expect(transactionChallenge(quote).toString('base64url')).toBe(
      'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
    )
  })

  test('The challenge of a payment given as base64url reaches the authenticator as that text or decoded', () => {
    expect(transactionClientChallenges('hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o')).toEqual([
      'aEFmLUVpOHozQlBIeGxRdWp0SlBFNXcyZDVjWkJiTEN4emVFTWtwSzgtbw',
      'hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o',
    ])
  })

  test('The challenge of a payment given as hexadecimal text reaches the authenticator as that text or decoded', () => {
    const challenges = transactionClientChallenges(quoteHex)
    expect(challenges[0]).toBe(
      'ODQwN2ZlMTIyZjMzZGMxM2M3YzY1NDJlOGVkMjRmMTM5YzM2Nzc5NzE5MDViMmMyYzczNzg0MzI0YTRhZjNlYQ',
    )
    expect(challenges).toContain('hAf-Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8-o')
  })

  test('The challenge of a payment given as another text reaches the authenticator as that text alone', () => {
    expect(challengeReadings('pay 10 USD').map(String)).toEqual(['pay 10 USD'])
  })

  test('The challenge of a payment is the same in both alphabets of base64, with padding and without', () => {
    const standard = 'hAf+Ei8z3BPHxlQujtJPE5w2d5cZBbLCxzeEMkpK8+o='
    expect(challengeReadings(standard)[1]?.toString('hex')).toBe(quoteHex)
  })
})
