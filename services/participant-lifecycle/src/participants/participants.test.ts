/** Decisions about participants: changes, refusals and events. */
import type { States } from '@causeway/services'
import { describe, expect, test } from '@jest/globals'
import { announcementsOf } from './announce.ts'
import type { ParticipantChange, Decision } from './domain/change.ts'
import { addModelAccounts, create, createHubAccount } from './domain/create.ts'
import type { Participant, ParticipantAccount } from './domain/participant.ts'
import {
  setAccountLimit,
  setAccountStatus,
  setEndpoint,
  setInitialLimit,
  setLimit,
  setState,
} from './domain/update.ts'

const at = new Date('2026-03-01T12:00:00.000Z')
const someone = {
  isHub: false,
  type: 'DFSP',
  state: 'ACTIVE',
  isActive: true,
  version: 4,
  createdAt: at,
  createdBy: 'operator',
} as const

function account(id: number, type: string, changes: Partial<ParticipantAccount> = {}) {
  const fixed = { currency: 'USD', isActive: true, createdAt: at, createdBy: 'operator' }
  return { ...fixed, id, type, limit: null, ...changes }
}

const hub: Participant = {
  ...someone,
  id: 1,
  name: 'Hub',
  isHub: true,
  accounts: [account(1, 'HUB_RECONCILIATION'), account(2, 'HUB_MULTILATERAL_SETTLEMENT')],
  endpoints: [],
}

const fresh: Participant = {
  ...someone,
  id: 2,
  name: 'greenbank',
  accounts: [
    account(21, 'POSITION', { isActive: false }),
    account(22, 'SETTLEMENT', { isActive: false }),
  ],
  endpoints: [{ type: 'FSPIOP_CALLBACK_URL_QUOTES', value: 'https://greenbank.example' }],
}

const states: States = new Map([
  ['ACTIVE', new Set(['TRANSFERS'] as const)],
  ['INACTIVE', new Set()],
  ['CLOSED', new Set()],
])

const limit = { value: 6_000_000n, alarmPercentage: 100_000n }
const limited: Participant = {
  ...fresh,
  accounts: [account(21, 'POSITION', { limit }), account(22, 'SETTLEMENT')],
}

const deferredNet = { ledgerAccountType: 'POSITION', settlementAccountType: 'SETTLEMENT' }
const fees = {
  ledgerAccountType: 'INTERCHANGE_FEE',
  settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
}
const creation = {
  name: 'greenbank',
  currency: 'USD',
  createdBy: 'operator',
  models: [deferredNet, fees],
}

function changesOf(decision: Decision): readonly ParticipantChange[] {
  if (decision.type === 'REFUSE') throw new Error(decision.detail)
  return decision.changes
}

function reasonOf(decision: Decision): string {
  return decision.type === 'REFUSE' ? decision.reason : ''
}

describe('a new participant', () => {
  test('A new participant gets the pair of accounts of every model, inactive', () => {
    expect(changesOf(create(hub, undefined, creation))).toMatchObject([
      { accountType: 'POSITION', isActive: false },
      { accountType: 'SETTLEMENT', isActive: false },
      { accountType: 'INTERCHANGE_FEE', isActive: false },
      { accountType: 'INTERCHANGE_FEE_SETTLEMENT', isActive: false },
    ])
  })

  test('A new participant gets one account of a model that settles to its own type', () => {
    const own = { ledgerAccountType: 'SETTLEMENT', settlementAccountType: 'SETTLEMENT' }
    expect(changesOf(create(hub, undefined, { ...creation, models: [own] }))).toHaveLength(1)
  })

  test('A new participant cannot have the name of the hub', () => {
    expect(reasonOf(create(hub, hub, { ...creation, name: 'Hub' }))).toBe('NAME_RESERVED')
  })

  test('A new participant needs active hub accounts in its currency', () => {
    const noAccounts = { ...hub, accounts: [account(1, 'HUB_RECONCILIATION')] }
    expect(reasonOf(create(noAccounts, undefined, creation))).toBe('HUB_ACCOUNTS_MISSING')
    expect(reasonOf(create(hub, undefined, { ...creation, currency: 'EUR' }))).toBe(
      'HUB_ACCOUNTS_MISSING',
    )
  })

  test('A new participant needs a settlement model', () => {
    expect(reasonOf(create(hub, undefined, { ...creation, models: [] }))).toBe(
      'NO_SETTLEMENT_MODEL',
    )
  })

  test('An existing participant is refused for the same currency and gets accounts for another one', () => {
    const euros = { ...hub, accounts: hub.accounts.map((one) => ({ ...one, currency: 'EUR' })) }
    expect(reasonOf(create(hub, fresh, creation))).toBe('CURRENCY_EXISTS')
    expect(changesOf(create(euros, fresh, { ...creation, currency: 'EUR' }))).toHaveLength(4)
  })

  test('A PISP gets no accounts', () => {
    const pisp: Participant = { ...fresh, type: 'PISP', accounts: [] }
    expect(reasonOf(create(hub, pisp, creation))).toBe('ACCOUNT_TYPE_WRONG')
  })
})

describe('accounts', () => {
  test('Missing accounts of a new model are opened', () => {
    expect(changesOf(addModelAccounts(fresh, deferredNet, 'USD', 'settlements'))).toEqual([])
    expect(changesOf(addModelAccounts(fresh, fees, 'USD', 'settlements'))).toHaveLength(2)
  })

  test('Hub accounts are active at once, of known types, and unique', () => {
    const bank = { type: 'HUB_RECONCILIATION', currency: 'CHF', createdBy: 'operator' }
    expect(changesOf(createHubAccount(hub, bank))).toMatchObject([{ isActive: true }])
    expect(reasonOf(createHubAccount(fresh, bank))).toBe('NOT_HUB')
    // Nothing is posted to an account of type HUB_FEE.
    for (const type of ['POSITION', 'HUB_FEE']) {
      expect(reasonOf(createHubAccount(hub, { ...bank, type }))).toBe('ACCOUNT_TYPE_WRONG')
    }
    expect(reasonOf(createHubAccount(hub, { ...bank, currency: 'USD' }))).toBe('ACCOUNT_EXISTS')
  })

  test('Accounts are enabled and disabled only through their owner', () => {
    expect(changesOf(setAccountStatus(limited, 21, false))).toMatchObject([{ isActive: false }])
    expect(changesOf(setAccountStatus(limited, 21, true))).toEqual([])
    expect(reasonOf(setAccountStatus(limited, 1, false))).toBe('ACCOUNT_UNKNOWN')
  })
})

describe('limits', () => {
  const first = { currency: 'USD', value: 5n, alarmPercentage: null }

  test('The initial limit is set once, with ten percent as default, and activates the accounts', () => {
    expect(changesOf(setInitialLimit(fresh, first))).toMatchObject([
      {
        type: 'SET_LIMIT',
        accountId: 21,
        limit: { value: 5n, alarmPercentage: 100_000n },
        old: null,
      },
      { type: 'SET_ACCOUNT_STATUS', accountId: 21, isActive: true },
      { type: 'SET_ACCOUNT_STATUS', accountId: 22, isActive: true },
    ])
    expect(reasonOf(setInitialLimit(limited, first))).toBe('LIMITS_EXIST')
    expect(reasonOf(setInitialLimit(fresh, { ...first, currency: 'EUR' }))).toBe('ACCOUNT_UNKNOWN')
  })

  test('An existing limit can be changed, and keeps its percentage if none is given', () => {
    expect(changesOf(setLimit(limited, first))).toMatchObject([
      { limit: { value: 5n, alarmPercentage: 100_000n }, old: limit },
    ])
    expect(reasonOf(setLimit(fresh, first))).toBe('LIMIT_UNKNOWN')
    expect(reasonOf(setLimit(fresh, { ...first, currency: 'EUR' }))).toBe('ACCOUNT_UNKNOWN')
  })

  test('The limit of an account need not exist before', () => {
    const position = fresh.accounts.find(({ type }) => type === 'POSITION')?.id ?? 0
    expect(changesOf(setAccountLimit(fresh, position, 7n))).toEqual([
      {
        type: 'SET_LIMIT',
        accountId: position,
        currency: 'USD',
        limit: { value: 7n, alarmPercentage: 100_000n },
        old: null,
      },
    ])
    expect(changesOf(setAccountLimit(limited, position, 7n))).toMatchObject([{ old: limit }])
  })

  test('An unchanged limit changes nothing', () => {
    expect(changesOf(setLimit(limited, { ...limit, currency: 'USD' }))).toEqual([])
  })
})

describe('states and endpoints', () => {
  test('A participant can be deactivated and activated, the hub cannot', () => {
    expect(changesOf(setState(fresh, 'INACTIVE', states))).toEqual([
      { type: 'SET_STATE', state: 'INACTIVE', old: 'ACTIVE', isActive: false },
    ])
    expect(changesOf(setState(fresh, 'ACTIVE', states))).toEqual([])
    expect(reasonOf(setState(hub, 'INACTIVE', states))).toBe('HUB_UNCHANGEABLE')
  })

  test('Only a state of the scheme is accepted, and CLOSED is final', () => {
    const closed = { ...fresh, state: 'CLOSED', isActive: false }
    expect(reasonOf(setState(fresh, 'DORMANT', states))).toBe('STATE_UNKNOWN')
    expect(reasonOf(setState(closed, 'ACTIVE', states))).toBe('STATE_FINAL')
    expect(changesOf(setState(closed, 'CLOSED', states))).toEqual([])
  })

  test('An endpoint replaces the one of its type', () => {
    const same = { type: 'FSPIOP_CALLBACK_URL_QUOTES', createdBy: 'operator' }
    const old = { ...same, value: 'https://greenbank.example' }
    expect(changesOf(setEndpoint(fresh, old))).toEqual([])
    expect(changesOf(setEndpoint(fresh, { ...same, value: 'https://new.example' }))).toHaveLength(1)
  })
})

describe('announcements', () => {
  test('Each event takes one version step, so that no reader drops one of two', () => {
    const changes = changesOf(
      setInitialLimit(fresh, { currency: 'USD', value: 5n, alarmPercentage: null }),
    )
    const { events, version } = announcementsOf(fresh, changes, [], at)
    expect(events.map(({ type, key, payload }) => ({ type, key, payload }))).toMatchObject([
      {
        type: 'ParticipantAccountLimitUpdated',
        key: 'greenbank',
        payload: { version: 5, limit: { type: 'NET_DEBIT_CAP', value: '0.0005' } },
      },
      { type: 'ParticipantAccountEnabled', payload: { version: 6, accountId: 21 } },
      { type: 'ParticipantAccountEnabled', payload: { version: 7, accountId: 22 } },
    ])
    expect(version).toBe(7)
  })

  test('A changed limit and a changed percentage have separate events', () => {
    const typesOf = (value: bigint, alarmPercentage: bigint) => {
      const changes = changesOf(setLimit(limited, { currency: 'USD', value, alarmPercentage }))
      return announcementsOf(limited, changes, [], at).events.map(({ type }) => type)
    }
    expect(typesOf(5n, 100_000n)).toEqual(['ParticipantAccountLimitUpdated'])
    expect(typesOf(6_000_000n, 5n)).toEqual(['ParticipantAccountThresholdUpdated'])
    expect(typesOf(5n, 5n)).toHaveLength(2)
  })

  test('The event of an endpoint contains the whole list', () => {
    const changes = changesOf(
      setEndpoint(fresh, { type: 'EMAIL', value: 'ops@greenbank.example', createdBy: 'operator' }),
    )
    expect(announcementsOf(fresh, changes, [], at).events[0]?.payload).toMatchObject({
      endpoints: [{ type: 'FSPIOP_CALLBACK_URL_QUOTES' }, { type: 'EMAIL' }],
    })
  })
})
