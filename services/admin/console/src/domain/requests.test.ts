import { expect, test } from '@jest/globals'
import { requestSentence, type RequestKind } from './requests.ts'

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
  settlementModel: 'OPENNET',
  requireLiquidityCheck: false,
}

const expected: Readonly<Record<RequestKind, string>> = {
  CreateParticipant: 'redbank joins the scheme',
  ManageFunds: '1\u202f500.50 USD out to redbank',
  ReserveLiquidityCover: 'payments of redbank may not use 20 % of its cover in USD',
  UpdateParticipantState: 'redbank becomes INACTIVE',
  AddParticipantAccount: 'redbank gets an account POSITION in USD',
  UpdateAccountStatus: 'account 7 of redbank is disabled',
  UpdateAccountLimit: 'the net debit cap of account 7 of redbank becomes 20',
  UpdateAccountThreshold: 'the alarm threshold of account 7 of redbank becomes 15 % of its cap',
  UpdateEndpoints: 'the endpoints of redbank change',
  UpdateLiquidityCheck:
    'payments under the model OPENNET need no cover: the net debit cap is their only bound',
  ConfigurationValues: 'the configuration of quoting changes',
  SecretValues: 'secrets of quoting change',
  SchemeRules: 'the scheme rules change',
  CryptoAdapter: 'new keys are made outside the HSM',
  MonthErasure: 'the messages of 2026-08 become unreadable for ever',
  PersonErasure: 'MSISDN •••••8181 is erased for ever',
  Operation: 'PUT /participants/redbank',
}

test.each(Object.entries(expected) as [RequestKind, string][])(
  'A request %s is described in a sentence',
  (kind, sentence) => {
    expect(requestSentence(kind, change)).toBe(sentence)
  },
)

test('Each kind of request is described in both directions', () => {
  expect(requestSentence('UpdateLiquidityCheck', { ...change, requireLiquidityCheck: true })).toBe(
    'payments under the model OPENNET need cover',
  )
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
