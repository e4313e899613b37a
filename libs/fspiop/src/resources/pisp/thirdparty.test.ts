import { describe, expect, test } from '@jest/globals'
import type { z } from 'zod'
import { readBody } from '../../bodies/body.ts'
import { scopes, thirdPartyMessages } from '../../testing/thirdparty-messages.ts'
import { putAccounts } from './accounts.ts'
import { postThirdpartyAuthorizations, putThirdpartyAuthorizations } from './authorizations.ts'
import { postConsentRequests, putConsentRequests } from './consentRequests.ts'
import { patchConsents, putConsents } from './consents.ts'
import { putServices } from './services.ts'
import {
  patchThirdpartyTransactions,
  postThirdpartyTransactions,
  putThirdpartyTransactions,
} from './transactions.ts'

function outcome(schema: z.ZodType, json: unknown): string {
  const reading = readBody(schema, Buffer.from(JSON.stringify(json)), { mayBeList: true })
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

function bodyOf(schema: z.ZodType) {
  const found = thirdPartyMessages.find((message) => message.schema === schema)
  if (found === undefined) throw new Error('no such message')
  return found.body
}

describe('PUT /accounts/{ID}', () => {
  const account = { address: 'bankx.acc.1', currency: 'USD' }

  test.each([
    { accounts: [account] },
    { accountList: [account] },
    [account],
    [{ id: 'bankx.acc.1', currency: 'USD' }],
  ])('PUT /accounts/{ID} is accepted as %j', (json) => {
    expect(outcome(putAccounts, json)).toBe('accepted')
  })

  test('PUT /accounts/{ID} as a bare list is judged like the list in an object', () => {
    expect(outcome(putAccounts, [{ address: 'bankx.acc.1' }])).toBe('3102 /0/currency')
    expect(outcome(putAccounts, [{ ...account, currency: 'XXXX' }])).toBe(
      '3101 /0/currency: not a known Currency',
    )
    expect(outcome(putAccounts, [{ ...account, currency: 5 }])).toBe(
      '3101 /0/currency: not a JSON string',
    )
    const many = Array.from({ length: 257 }, () => account)
    expect(outcome(putAccounts, many.slice(1))).toBe('accepted')
    expect(outcome(putAccounts, many)).toBe('3103 : more than 256 elements')
  })

  test('PUT /accounts/{ID} has a list under one of its names', () => {
    expect(outcome(putAccounts, {})).toBe('3102 /accounts: missing, and so is accountList')
  })

  test('PUT /accounts/{ID} is the only message that may be a bare list', () => {
    const reading = readBody(putServices, Buffer.from('["bankx"]'))
    expect(reading).toEqual({ ok: false, code: '3101', detail: 'the body is not a JSON object' })
  })
})

describe('POST /consentRequests', () => {
  const { callbackUri, ...request } = bodyOf(postConsentRequests)

  test.each([['WEB'], ['OTP', 'Web']])(
    'POST /consentRequests with the channels %j needs the address that the user returns to',
    (...authChannels) => {
      expect(outcome(postConsentRequests, { ...request, authChannels })).toBe(
        '3102 /callbackUri: missing, and WEB is offered',
      )
      const whole = { ...request, authChannels, callbackUri }
      expect(outcome(postConsentRequests, whole)).toBe('accepted')
    },
  )

  test('POST /consentRequests with the channel OTP alone needs no callbackUri', () => {
    expect(outcome(postConsentRequests, { ...request, authChannels: ['OTP'] })).toBe('accepted')
  })

  test('POST /consentRequests leaves unknown actions to the DFSP, and counts them', () => {
    const withActions = (count: number) => ({
      ...request,
      callbackUri,
      scopes: [{ address: 'a', actions: Array.from({ length: count }, () => 'ANY') }],
    })
    expect(outcome(postConsentRequests, withActions(32))).toBe('accepted')
    expect(outcome(postConsentRequests, withActions(33))).toBe(
      '3103 /scopes/0/actions: more than 32 elements',
    )
  })

  test('POST /consentRequests names the account of each scope by one of two members', () => {
    const nameless = [{ actions: ['ACCOUNTS_TRANSFER'] }]
    expect(outcome(postConsentRequests, { ...request, callbackUri, scopes: nameless })).toBe(
      '3102 /scopes/0/address: missing, and so is accountId',
    )
  })

  test('POST /consentRequests has at most 256 scopes', () => {
    const many = Array.from({ length: 257 }, () => scopes[0])
    expect(outcome(postConsentRequests, { ...request, callbackUri, scopes: many })).toBe(
      '3103 /scopes: more than 256 elements',
    )
  })
})

describe('a consent', () => {
  test('A consent is changed by a PUT with scopes, a credential or both', () => {
    expect(outcome(putConsents, { scopes })).toBe('accepted')
    expect(outcome(putConsents, {})).toBe('3102 /scopes: missing, and so is credential')
  })

  test.each([
    [{ status: 'REVOKED', revokedAt: '2027-03-02T08:15:30.123Z' }, 'accepted'],
    [{ status: 'REVOKED' }, 'accepted'],
    [{ credential: { status: 'VERIFIED' } }, 'accepted'],
    [{}, '3102 /status: missing, and so is credential'],
    [{ status: 'CLOSED' }, '3101 /status: not one of its values'],
    [
      { status: 'REVOKED', revokedAt: '2027-03-02T08:15:30.123' },
      '3101 /revokedAt: not a legal DateTime',
    ],
  ])('A consent patched with %j is %s', (json, answer) => {
    expect(outcome(patchConsents, json)).toBe(answer)
  })
})

describe('PUT /thirdpartyRequests/authorizations/{ID}', () => {
  const { signedPayload } = bodyOf(putThirdpartyAuthorizations)

  test.each([
    [{ responseType: 'REJECTED' }, 'accepted'],
    [{ responseType: 'ACCEPTED', signedPayload }, 'accepted'],
    [{ responseType: 'ACCEPTED' }, '3102 /signedPayload'],
    [
      { responseType: 'REJECTED', signedPayload },
      '3101 /signedPayload: not together with REJECTED',
    ],
    [{ responseType: 'ENTERED', signedPayload }, '3101 /responseType: not one of its values'],
  ])('PUT /thirdpartyRequests/authorizations/{ID} with %j is %s', (json, answer) => {
    expect(outcome(putThirdpartyAuthorizations, json)).toBe(answer)
  })
})

describe('a third-party transaction', () => {
  const request = bodyOf(postThirdpartyTransactions)

  test('A third-party transaction may lack the FSP of the payee: its DFSP informs the PISP', () => {
    const payee = { partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '255700000001' } }
    expect(outcome(postThirdpartyTransactions, { ...request, payee })).toBe('accepted')
  })

  test('A third-party transaction may lack an expiration, and one that is there is a time', () => {
    const { expiration, ...rest } = request
    expect(expiration).toBeDefined()
    expect(outcome(postThirdpartyTransactions, rest)).toBe('accepted')
    expect(outcome(postThirdpartyTransactions, { ...rest, expiration: 'soon' })).toBe(
      '3101 /expiration: not a legal DateTime',
    )
  })

  test('A third-party transaction that the user refused may be patched without a transaction state', () => {
    expect(outcome(patchThirdpartyTransactions, { transactionRequestState: 'REJECTED' })).toBe(
      'accepted',
    )
  })
})

describe('a closed list of values', () => {
  const { transactionType } = bodyOf(postThirdpartyTransactions) as {
    readonly transactionType: object
  }
  const posted = (changed: object) => ({ ...bodyOf(postThirdpartyTransactions), ...changed })
  const asked = (changed: object) => ({ ...bodyOf(postThirdpartyAuthorizations), ...changed })
  const patched = (changed: object) => ({ transactionRequestState: 'ACCEPTED', ...changed })

  test.each([
    [postThirdpartyTransactions, posted({ amountType: 'BOTH' }), '/amountType'],
    [
      postThirdpartyTransactions,
      posted({ transactionType: { ...transactionType, scenario: 'GIFT' } }),
      '/transactionType/scenario',
    ],
    [
      postThirdpartyTransactions,
      posted({ transactionType: { ...transactionType, initiator: 'HUB' } }),
      '/transactionType/initiator',
    ],
    [
      postThirdpartyTransactions,
      posted({ transactionType: { ...transactionType, initiatorType: 'ROBOT' } }),
      '/transactionType/initiatorType',
    ],
    [
      postThirdpartyTransactions,
      posted({ payer: { partyIdType: 'FAX', partyIdentifier: '1' } }),
      '/payer/partyIdType',
    ],
    [
      postThirdpartyAuthorizations,
      asked({ transactionType: { ...transactionType, scenario: 'transfer' } }),
      '/transactionType/scenario',
    ],
    [putThirdpartyTransactions, { transactionRequestState: 'NOPE' }, '/transactionRequestState'],
    [
      putThirdpartyTransactions,
      { transactionRequestState: 'COMPLETED' },
      '/transactionRequestState',
    ],
    [patchThirdpartyTransactions, { transactionRequestState: 'HELLO' }, '/transactionRequestState'],
    [patchThirdpartyTransactions, patched({ transactionState: 'COMMITTED' }), '/transactionState'],
    [
      postConsentRequests,
      { ...bodyOf(postConsentRequests), authChannels: ['OTP', 'FAX'] },
      '/authChannels/1',
    ],
    [
      putConsentRequests,
      { ...bodyOf(putConsentRequests), authChannels: ['SMS'] },
      '/authChannels/0',
    ],
  ])('A closed list of values has no other one (%#)', (schema, json, path) => {
    expect(outcome(schema, json)).toBe(`3101 ${path}: not one of its values`)
  })

  test.each(['RECEIVED', 'PENDING', 'ACCEPTED', 'REJECTED'])(
    'The state %s of a transaction request is accepted',
    (transactionRequestState) => {
      expect(outcome(putThirdpartyTransactions, { transactionRequestState })).toBe('accepted')
      expect(outcome(patchThirdpartyTransactions, { transactionRequestState })).toBe('accepted')
    },
  )
})
