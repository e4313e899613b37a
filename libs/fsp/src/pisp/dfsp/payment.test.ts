import { describe, expect, test } from '@jest/globals'
import { errorInformation } from '@causeway/fspiop'
import type { LinkChoice, VerifiedLink } from './link.ts'
import {
  judgePayment,
  outcomeOfAnswer,
  outcomeOfTransfer,
  outcomeOfVerdict,
  type PayerAccount,
  type PaymentRequest,
  verdictOf,
} from './payment.ts'

const request: PaymentRequest = {
  transactionRequestId: '5e0f8a5c-2f5d-4f38-8b8e-6a3a4f1b9d20',
  pispId: 'pispx',
  payer: { type: 'THIRD_PARTY_LINK', id: 'bank.amara.1', fspId: 'bank' },
  payee: { type: 'MSISDN', id: '12025550111', fspId: 'wallet' },
  amountType: 'SEND',
  amount: { currency: 'USD', amount: '10' },
  until_ms: 1_000,
}

const link: VerifiedLink = {
  consentId: '7d34f91d-6a2c-4a0e-9c1b-5f8e2b7a4c10',
  consentRequestId: '0c0a6d3e-5d0c-4c57-9a1b-3f1f0a7d2e11',
  pispId: 'pispx',
  userId: 'amara@bank',
  scopes: [{ address: 'bank.amara.1', actions: ['ACCOUNTS_TRANSFER'] }],
  granted_ms: 0,
  expires_ms: undefined,
  state: 'VERIFIED',
  credential: {
    credentialType: 'GENERIC',
    genericPayload: { publicKey: 'AAAA', signature: 'BBBB' },
  },
  key: undefined,
  verified_ms: 0,
}
const payer = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const

function judge(
  changes: Partial<PaymentRequest>,
  choice: LinkChoice = { links: [link] },
  account: PayerAccount = { state: 'READY', payer },
) {
  const own = { name: 'bank', now_ms: 999, choice, account: () => Promise.resolve(account) }
  return judgePayment({ ...request, ...changes }, own)
}

describe('a payment that a PISP asks for', () => {
  test('A payment from a linked account that is ready is accepted', async () => {
    const accepted = { type: 'ACCEPT', link, payer, fees: undefined, payeeFsp: 'wallet' }
    expect(await judge({})).toEqual(accepted)
  })

  test.each<[string, Partial<PaymentRequest>, string]>([
    ['has expired', { until_ms: 999 }, '3301'],
    ['names no linked account', { payer: { type: 'MSISDN', id: '12025550101' } }, '6104'],
    ['is for another DFSP', { payer: { ...request.payer, fspId: 'other' } }, '6104'],
    ['has no payee FSP', { payee: { type: 'MSISDN', id: '12025550111' } }, '3102'],
    ['has an unknown amount type', { amountType: 'GIVE' }, '3100'],
  ])('A payment that %s is refused', async (_why, changes, errorCode) => {
    expect(await judge(changes)).toMatchObject({ type: 'REFUSE', error: { errorCode } })
  })

  test.each<[PayerAccount['state'], string]>([
    ['UNKNOWN', '6104'],
    ['INACTIVE', '6104'],
    ['WITHOUT_FUNDS', '6104'],
    ['OTHER_CURRENCY', '4103'],
  ])('A payment from an account that is %s is refused with %s', async (state, errorCode) => {
    const account = { state } as PayerAccount
    const refused = { type: 'REFUSE', error: { errorCode } }
    expect(await judge({}, { links: [link] }, account)).toMatchObject(refused)
  })

  test('A payment without a consent is refused before the account is read', async () => {
    const decision = await judgePayment(request, {
      name: 'bank',
      now_ms: 0,
      choice: { error: errorInformation('6103') },
      account: () => Promise.reject(new Error('the account was read')),
    })
    expect(decision).toEqual({ type: 'REFUSE', error: errorInformation('6103') })
  })
})

describe('the outcome for the PISP', () => {
  const failed = (code: string) => ({
    type: 'FAILED',
    error: expect.objectContaining({ errorCode: code }),
  })

  test('The PISP is informed that the user refused', () => {
    expect(outcomeOfAnswer({ type: 'REJECTED' })).toEqual({ type: 'REJECTED' })
  })

  test('The PISP is informed that its own answer was missing, and whether it was too late', () => {
    expect(outcomeOfAnswer({ type: 'NONE', expired: true })).toEqual(failed('3301'))
    expect(outcomeOfAnswer({ type: 'NONE', expired: false })).toEqual(failed('6001'))
  })

  test.each([
    ['6201', '6201'],
    ['6103', '6103'],
    ['6104', '6003'],
    ['2001', '6003'],
  ])(
    'An answer %s of the auth service about the signature is reported to the PISP as %s',
    (received, reported) => {
      const verdict = verdictOf({ errorCode: received, errorDescription: 'secret' })
      if (verdict.type === 'VERIFIED') throw new Error('an error verifies nothing')
      expect(outcomeOfVerdict(verdict)).toEqual(failed(reported))
    },
  )

  test('The PISP is not informed why a transfer failed', () => {
    const error = { errorCode: '4001', errorDescription: 'Payer FSP insufficient liquidity' }
    const reported = outcomeOfTransfer({ state: 'ABORTED', leg: 'transfer', error })
    expect(reported).toEqual(failed('6003'))
    expect(JSON.stringify(reported)).not.toContain('liquidity')
  })

  test('The PISP is not informed while it is unknown whether the money has moved', () => {
    const open = { state: 'UNRESOLVED', leg: 'transfer', error: undefined } as const
    expect(outcomeOfTransfer(open)).toBeUndefined()
  })
})
