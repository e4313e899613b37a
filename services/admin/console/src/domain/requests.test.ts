import { expect, test } from '@jest/globals'
import { pendingOf, requestKinds, requestSentence } from './requests.ts'

const change = {
  name: 'redbank',
  participantId: 'redbank',
  accountId: 7,
  direction: 'WITHDRAWAL',
  amount: { amount: '1500.5', currency: 'USD' },
  currency: 'USD',
  ledgerAccountType: 'POSITION',
  mode: 'PERCENT',
  value: '20',
  newState: 'INACTIVE',
  isActive: false,
  alarmPercentage: '15',
  boundedContextId: 'quoting',
  month: '2026-08',
  partyIdType: 'MSISDN',
  partyIdentifier: '•••••8181',
  operation: 'PUT /participants/redbank',
}

test('Every kind of request is described in a sentence', () => {
  expect(requestKinds.map(([kind]) => requestSentence(kind, change))).toEqual([
    'redbank joins the scheme',
    '1\u202f500.50 USD out to redbank',
    'payments of redbank may not use 20 % of its cover in USD',
    'redbank becomes INACTIVE',
    'redbank gets an account POSITION in USD',
    'account 7 of redbank is disabled',
    'the net debit cap of account 7 of redbank becomes 20',
    'the alarm threshold of account 7 of redbank becomes 15 % of its cap',
    'the endpoints of redbank change',
    'the configuration of quoting changes',
    'secrets of quoting change',
    'the scheme rules change',
    'new keys are made outside the HSM',
    'the messages of 2026-08 become unreadable for ever',
    'PUT /participants/redbank',
  ])
  expect(requestSentence('PersonErasure', change)).toBe('MSISDN •••••8181 is erased for ever')
})

test('Each kind of request is described in both directions', () => {
  expect(requestSentence('ManageFunds', { ...change, direction: 'DEPOSIT' })).toBe(
    '1\u202f500.50 USD in for redbank',
  )
  expect(requestSentence('ReserveLiquidityCover', { ...change, value: '0' })).toBe(
    'payments of redbank may use all of its cover in USD',
  )
  expect(requestSentence('ReserveLiquidityCover', { ...change, mode: 'AMOUNT' })).toBe(
    'payments of redbank may not use 20.00 USD of its cover in USD',
  )
  expect(requestSentence('UpdateAccountStatus', { ...change, isActive: true })).toBe(
    'account 7 of redbank is enabled',
  )
  expect(requestSentence('CryptoAdapter', { adapter: 'PKCS11' })).toBe(
    'new keys are made in the HSM',
  )
})

test('An unknown kind of request is shown by its name', () => {
  expect(requestSentence('toString', change)).toBe('toString')
})

test('A service that does not answer hides its own requests alone', () => {
  const at = (createdDate: string) => ({ request: { createdDate } })
  const answered = { status: 'fulfilled', value: [] } as const
  const lists = requestKinds.map(([kind]) => {
    if (kind === 'ConfigurationValues')
      return { status: 'rejected', reason: new Error('503') } as const
    if (kind === 'ManageFunds') return { ...answered, value: [at('2026-01-02')] }
    if (kind === 'UpdateEndpoints') return { ...answered, value: [at('2026-01-01')] }
    return answered
  })
  expect(pendingOf(lists)).toEqual({
    waiting: [at('2026-01-01'), at('2026-01-02')],
    missing: ['ConfigurationValues'],
  })
})

test('Without any answer the failure is shown', () => {
  const reason = new Error('the session has ended')
  const lists = requestKinds.map(() => ({ status: 'rejected', reason }) as const)
  expect(() => pendingOf(lists)).toThrow('the session has ended')
})
