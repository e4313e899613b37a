import { formatAmount } from '@causeway/money'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { contents, participantOf, type ChangeName, type ContentOf } from './content.ts'

const of = { participantId: 'greenbank', accountId: 7 }
const endpoint = { type: 'FSPIOP_CALLBACK_URL', value: 'https://greenbank.example' }

const valid: { readonly [Name in ChangeName]: ContentOf<Name> } = {
  CreateParticipant: {
    name: 'newbank',
    type: 'DFSP',
    currencies: ['USD'],
    accounts: [{ ledgerAccountType: 'POSITION', currency: 'USD', limit: '500' }],
    endpoints: [endpoint],
  },
  ManageFunds: {
    ...of,
    direction: 'DEPOSIT',
    amount: '1.25',
    currency: 'USD',
    externalReference: 'bank 1',
    reason: '',
  },
  ReserveLiquidityCover: {
    participantId: 'greenbank',
    currency: 'USD',
    mode: 'PERCENT',
    value: '100',
  },
  UpdateParticipantState: { participantId: 'greenbank', newState: 'CLOSED', reason: '' },
  AddParticipantAccount: {
    participantId: 'greenbank',
    ledgerAccountType: 'POSITION',
    currency: 'USD',
    alarmPercentage: '20',
  },
  UpdateAccountStatus: { ...of, isActive: false },
  UpdateAccountLimit: { ...of, type: 'NET_DEBIT_CAP', value: '0' },
  UpdateAccountThreshold: { ...of, alarmPercentage: '0' },
  UpdateEndpoints: { participantId: 'greenbank', endpoints: [endpoint] },
  UpdateLiquidityCheck: { settlementModel: 'OPENNET', requireLiquidityCheck: false, reason: '' },
}

const names = Object.keys(valid) as readonly ChangeName[]

function isValid(name: ChangeName, changes: object): boolean {
  return contents[name].safeParse({ ...valid[name], ...changes }).success
}

test.each(names)('The content of %s is stored as it was sent, without other members', (name) => {
  expect(contents[name].parse(valid[name])).toEqual(valid[name])
  expect(isValid(name, { other: 1 })).toBe(false)
  for (const member of Object.keys(valid[name])) {
    const isOptional = member === 'alarmPercentage' && name === 'AddParticipantAccount'
    expect([member, isValid(name, { [member]: undefined })]).toEqual([member, isOptional])
  }
})

test.each<readonly [ChangeName, object]>([
  ['CreateParticipant', { name: 'x' }],
  ['CreateParticipant', { name: '..' }],
  ['CreateParticipant', { type: 'HUB' }],
  ['CreateParticipant', { type: 'PISP' }],
  ['CreateParticipant', { currencies: [], accounts: [] }],
  ['CreateParticipant', { currencies: ['XXY'] }],
  ['CreateParticipant', { endpoints: [endpoint, endpoint] }],
  ['CreateParticipant', { endpoints: [{ ...endpoint, type: 'OTHER' }] }],
  ['CreateParticipant', { endpoints: [{ ...endpoint, value: 'greenbank' }] }],
  ['ManageFunds', { amount: '0' }],
  ['ManageFunds', { amount: '-1' }],
  ['ManageFunds', { direction: 'IN' }],
  ['ManageFunds', { accountId: 2 ** 31 }],
  ['ManageFunds', { reason: 'x'.repeat(257) }],
  ['ManageFunds', { reason: 'a\0b' }],
  ['ReserveLiquidityCover', { value: '100.0001' }],
  ['ReserveLiquidityCover', { value: '-1' }],
  ['ReserveLiquidityCover', { mode: 'PART' }],
  ['AddParticipantAccount', { limit: '-1' }],
  ['AddParticipantAccount', { alarmPercentage: '100.1' }],
  ['UpdateAccountLimit', { value: '-1' }],
  ['UpdateAccountLimit', { type: 'OTHER' }],
  ['UpdateAccountThreshold', { alarmPercentage: '101' }],
  ['UpdateEndpoints', { endpoints: [] }],
])('%s with %j is refused', (name, changes) => {
  expect(isValid(name, changes)).toBe(false)
})

test('An amount has one form, so that equal requests are equal', () => {
  const units = fc.bigInt({ min: 1n, max: 10n ** 22n - 1n })
  fc.assert(
    fc.property(units, fc.constantFrom('0', '00', ' ', '+'), (value, extra) => {
      const amount = formatAmount(value)
      expect(isValid('ManageFunds', { amount })).toBe(true)
      expect(isValid('UpdateAccountLimit', { value: amount })).toBe(true)
      const others = [
        `${extra}${amount}`,
        amount.includes('.') ? `${amount}${extra}` : `${amount}.0`,
      ]
      for (const other of others) expect(isValid('ManageFunds', { amount: other })).toBe(false)
    }),
  )
})

test('The currencies of a new participant have one order, with those of its accounts', () => {
  const currencies = fc.shuffledSubarray(['EUR', 'KES', 'TZS', 'USD'], { minLength: 1 })
  fc.assert(
    fc.property(currencies, currencies, (own, ofAccounts) => {
      const accounts = ofAccounts.map((currency) => ({ ledgerAccountType: 'POSITION', currency }))
      const content = { ...valid.CreateParticipant, currencies: own, accounts }
      const read = contents.CreateParticipant.parse(content)
      expect(read.currencies).toEqual([...new Set([...own, ...ofAccounts])].toSorted())
      expect(contents.CreateParticipant.parse(read)).toEqual(read)
    }),
  )
})

test('A change is about its participant, and one of a settlement model about the hub', () => {
  const about = names.map((name) => [name, participantOf(valid[name], 'Hub')])
  expect(Object.fromEntries(about)).toEqual({
    ...Object.fromEntries(names.map((name) => [name, 'greenbank'])),
    CreateParticipant: 'newbank',
    UpdateLiquidityCheck: 'Hub',
  })
})
