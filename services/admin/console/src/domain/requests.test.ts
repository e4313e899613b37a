import { expect, test } from '@jest/globals'
import { requestKinds, requestSentence } from './requests.ts'

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
}

test('every kind of request is told in a sentence', () => {
  expect(requestKinds.map(([kind]) => requestSentence(kind, change))).toEqual([
    'redbank joins the scheme',
    '1\u202f500.50 USD out to redbank',
    'payments of redbank may not use 20 % of its cover in USD',
    'redbank becomes INACTIVE',
    'redbank gets an account POSITION in USD',
    'account 7 of redbank is disabled',
    'the net debit cap of account 7 of redbank becomes 20',
    'people are warned when 15 % of the cap of account 7 of redbank remain',
    'redbank is reached at other addresses',
  ])
})

test('the other way round it is told as well', () => {
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
})

test('a kind of tomorrow goes by its name', () => {
  expect(requestSentence('toString', change)).toBe('toString')
})
