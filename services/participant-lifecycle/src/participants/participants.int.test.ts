/** Participants through the administration interface: changes, refusals and events. */
import { randomUUID } from 'node:crypto'
import { wordOf } from '@causeway/approvals/testing'
import { onEvents, type DomainEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import type { Participant, ParticipantCreation } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { prepare, prepareItem, wordsOf } from '../testing/items.ts'
import { depositTo, onboard, openHubAccounts, succeeded } from '../testing/scheme.ts'
import {
  deferredNet,
  differencesIn,
  openWorld,
  valueOf,
  type ParticipantLifecycleWorld,
} from '../testing/world.ts'

const names = [
  'ParticipantCreated',
  'ParticipantStateUpdated',
  'ParticipantAccountAdded',
  'ParticipantAccountEnabled',
  'ParticipantAccountDisabled',
  'ParticipantAccountLimitUpdated',
  'ParticipantAccountThresholdUpdated',
  'ParticipantEndpointsUpdated',
] as const

type Announced = DomainEvent<(typeof names)[number]>

let hub: ParticipantLifecycleWorld
const announced: Announced[] = []
const currency = 'USD'
const createdBy = 'operator'

beforeAll(async () => {
  hub = await openWorld()
  await onEvents(hub.parts.bus, 'test', names, (events) => {
    announced.push(...events)
    return Promise.resolve()
  })
  await openHubAccounts(hub)
})

afterAll(async () => {
  expect(await differencesIn(hub)).toEqual([])
  await hub.stop()
})

async function infoOf(name: string): Promise<Participant> {
  const { participants } = await hub.participants.GetParticipantInfo({ names: [name] })
  if (participants[0] === undefined) throw new Error(`${name} is unknown`)
  return participants[0]
}

/** The events about a participant, once there are so many. */
function eventsAbout(name: string, count: number): Promise<readonly Announced[]> {
  return eventually(() => {
    const events = announced.filter(({ payload }) => payload.participantId === name)
    return events.length >= count ? events : undefined
  }, `${count} events about ${name}`)
}

/** The state of a request for this new participant, or why it is refused. */
async function requestedAs(
  { approvals }: ParticipantLifecycleWorld,
  name: string,
): Promise<string> {
  const alone = { type: 'DFSP', currencies: [currency], accounts: [], endpoints: [] }
  return wordOf(await approvals.request('CreateParticipant', { name, ...alone }))
}

function limitOf(value: string, alarmPercentage?: string) {
  return { type: 'NET_DEBIT_CAP', value, alarmPercentage }
}

test('The hub exists from the beginning, under its name, with its accounts', async () => {
  const info = await infoOf('Hub')
  expect(info).toMatchObject({ id: 1, isHub: true, isActive: true, createdBy: 'hub' })
  expect(
    info.accounts.map(({ ledgerAccountType, isActive }) => [ledgerAccountType, isActive]),
  ).toEqual([
    ['HUB_RECONCILIATION', true],
    ['HUB_MULTILATERAL_SETTLEMENT', true],
  ])
})

describe('the auth service that the hub hosts', () => {
  const authServiceOf = async (of: ParticipantLifecycleWorld) => {
    const { participants } = await of.participants.GetParticipantInfo({ names: [] })
    return participants.filter(({ type }) => type === 'AUTH_SERVICE')
  }

  test('The auth service is a participant of its own type after any number of starts', async () => {
    let own = await openWorld({ AUTH_SERVICE_PARTICIPANT: 'centralAuth' })
    try {
      const [made, ...others] = await authServiceOf(own)
      expect(others).toEqual([])
      expect(made).toMatchObject({
        name: 'centralAuth',
        isHub: false,
        isActive: true,
        stateName: 'ACTIVE',
        accounts: [],
        createdBy: 'hub',
      })
      own = await own.restart()
      expect(await authServiceOf(own)).toEqual([made])
    } finally {
      await own.stop()
    }
  })

  test('The auth service does not exist if the hub hosts none', async () => {
    expect(await authServiceOf(hub)).toEqual([])
  })

  test('The auth service cannot be switched, given accounts or created by operators', async () => {
    const own = await openWorld({ AUTH_SERVICE_PARTICIPANT: 'centralAuth' })
    try {
      await openHubAccounts(own)
      const { participants } = own
      const name = 'centralAuth'
      const off = await participants.UpdateParticipantState({ name, isActive: false })
      expect(off.refusal?.reason).toBe('HUB_UNCHANGEABLE')
      const again = await participants.CreateParticipant({ name, currency, createdBy })
      expect(again.refusal?.reason).toBe('ACCOUNT_TYPE_WRONG')
      const pisp = { name, createdBy, type: 'PISP' } as const
      expect((await participants.CreateParticipant(pisp)).refusal?.reason).toBe(
        'PARTICIPANT_EXISTS',
      )
    } finally {
      await own.stop()
    }
  })
})

describe('a PISP', () => {
  const pisp = { name: 'pisp', createdBy, type: 'PISP' } as const

  test('A PISP is created without a currency, with an event', async () => {
    const { participant } = await hub.participants.CreateParticipant(pisp)
    expect(participant).toMatchObject({ name: 'pisp', type: 'PISP', isActive: false, accounts: [] })
    const [created] = await eventsAbout('pisp', 1)
    expect(created?.payload).toMatchObject({ type: 'PISP', currencies: [], accounts: [] })
  })

  test('A PISP that exists, or names a currency, is refused', async () => {
    const reasonOf = async (changed: Partial<ParticipantCreation>) =>
      (await hub.participants.CreateParticipant({ ...pisp, ...changed })).refusal?.reason
    expect(await reasonOf({})).toBe('PARTICIPANT_EXISTS')
    expect(await reasonOf({ type: 'DFSP', currency })).toBe('ACCOUNT_TYPE_WRONG')
    expect(await reasonOf({ name: 'pisp-2', currency })).toBe('INVALID')
    expect(await reasonOf({ name: 'pisp-2', type: 'DFSP' })).toBe('INVALID')
    expect(await reasonOf({ name: 'Hub' })).toBe('NAME_RESERVED')
  })
})

test('A name of a service or of a gateway, and one that differs in case only, is reserved', async () => {
  const own = await openWorld({ EDGE_GATEWAY_SUBJECTS: 'edge-gateway, Other-Gateway' })
  try {
    await openHubAccounts(own)
    const reasonOf = async (name: string) => {
      const { participants } = own
      const dfsp = await participants.CreateParticipant({ name, currency, createdBy })
      const pisp = { name, createdBy, type: 'PISP' } as const
      const asPisp = await participants.CreateParticipant(pisp)
      return [dfsp.refusal?.reason, asPisp.refusal?.reason]
    }
    const reserved = ['NAME_RESERVED', 'NAME_RESERVED']
    for (const name of ['edge-gateway', 'other-gateway', 'fspiop-api', 'Auth-Service', 'hub']) {
      expect([name, await reasonOf(name)]).toEqual([name, reserved])
    }
    succeeded(await own.participants.CreateParticipant({ name: 'redbank', currency, createdBy }))
    expect(await reasonOf('RedBank')).toEqual(reserved)
    expect(await requestedAs(own, 'REDBANK')).toBe('NAME_RESERVED')
  } finally {
    await own.stop()
  }
})

test('Addresses of services behind the firewall are refused when they are registered', async () => {
  const own = await openWorld({ FSP_HOST: '0.0.0.0' })
  try {
    await openHubAccounts(own)
    const name = 'redbank'
    succeeded(await own.participants.CreateParticipant({ name, currency, createdBy }))
    const type = 'FSPIOP_CALLBACK_URL'
    const set = async (value: string) => {
      const endpoint = { name, type, value, createdBy }
      return (await own.participants.UpdateEndpoint(endpoint)).refusal?.reason ?? 'SET'
    }
    for (const value of [
      'http://203.0.113.7/',
      'https://169.254.169.254/',
      'https://[fd00:ec2::254]/',
      'https://127.0.0.1:4190/dead-letters/replay',
      'https://10.0.0.1/{{transferId}}',
      'https://localhost/',
    ]) {
      expect([value, await set(value)]).toEqual([value, 'INVALID'])
      const content = { participantId: name, endpoints: [{ type, value }] }
      expect(wordOf(await own.approvals.request('UpdateEndpoints', content))).toBe('INVALID')
    }
    expect(await set('https://203.0.113.7/')).toBe('SET')
  } finally {
    await own.stop()
  }
})

test('Each change in the life of a participant publishes an event with the next version', async () => {
  const name = 'greenbank'
  const participants = hub.participants
  const { participant } = succeeded(
    await participants.CreateParticipant({ name, currency, createdBy }),
  )
  expect(participant).toMatchObject({ name, isActive: false, isHub: false, version: 1, createdBy })
  expect(participant?.accounts).toMatchObject([
    { ledgerAccountType: 'POSITION', currency, isActive: false },
    { ledgerAccountType: 'SETTLEMENT', currency, isActive: false },
  ])
  expect(participant?.accounts.map(({ limit }) => limit ?? 'none')).toEqual(['none', 'none'])
  const initial = { name, currency, limit: limitOf('600') }
  succeeded(await participants.SetInitialPositionAndLimits(initial))
  succeeded(await participants.UpdateParticipantState({ name, isActive: true }))
  const endpoint = { name, type: 'FSPIOP_CALLBACK_URL_QUOTES', createdBy }
  succeeded(await participants.UpdateEndpoint({ ...endpoint, value: 'https://old.example' }))
  succeeded(await participants.UpdateEndpoint({ ...endpoint, value: 'https://new.example' }))
  const { limit } = succeeded(
    await participants.UpdateParticipantAccountLimit({
      name,
      currency,
      limit: limitOf('700', '20'),
    }),
  )
  expect(limit).toMatchObject(limitOf('700', '20'))
  const accountId = participant?.accounts[0]?.id ?? 0
  succeeded(await participants.UpdateAccountStatus({ name, accountId, isActive: false }))

  const info = await infoOf(name)
  expect(info).toMatchObject({ isActive: true, version: 10 })
  expect(info.accounts[0]).toMatchObject({ isActive: false, limit: limitOf('700', '20') })
  expect(info.accounts[1]).toMatchObject({ isActive: true })
  expect(info.endpoints).toEqual([{ type: endpoint.type, value: 'https://new.example' }])
  const events = await eventsAbout(name, 10)
  expect(events.map((event) => [event.name, event.payload.version])).toEqual([
    ['ParticipantCreated', 1],
    ['ParticipantAccountLimitUpdated', 2],
    ['ParticipantAccountEnabled', 3],
    ['ParticipantAccountEnabled', 4],
    ['ParticipantStateUpdated', 5],
    ['ParticipantEndpointsUpdated', 6],
    ['ParticipantEndpointsUpdated', 7],
    ['ParticipantAccountLimitUpdated', 8],
    ['ParticipantAccountThresholdUpdated', 9],
    ['ParticipantAccountDisabled', 10],
  ])
  expect(events[0]?.payload).toMatchObject({ type: 'DFSP', currencies: ['USD'], isActive: false })
})

test('A repeated command changes nothing, publishes nothing and gets the same answer', async () => {
  const name = 'idle'
  await onboard(hub, name)
  const [account] = (await infoOf(name)).accounts
  const accountId = account?.id ?? 0
  const endpoint = {
    name,
    type: 'FSPIOP_CALLBACK_URL_QUOTES',
    value: 'https://idle.example/quotes',
  }
  const transferId = randomUUID()
  const commands = [
    () => hub.participants.UpdateParticipantState({ name, isActive: false }),
    () => hub.participants.UpdateParticipantState({ name, isActive: true }),
    () =>
      hub.participants.UpdateParticipantAccountLimit({ name, currency, limit: limitOf('7', '8') }),
    () => hub.participants.UpdateAccountStatus({ name, accountId, isActive: false }),
    () => hub.participants.UpdateAccountStatus({ name, accountId, isActive: true }),
    () => hub.participants.UpdateEndpoint({ ...endpoint, createdBy }),
    () => depositTo(hub.participants, name, '10', transferId),
  ]
  for (const command of commands) {
    const first = succeeded(await command())
    const { version } = await infoOf(name)
    expect(await command()).toEqual(first)
    expect((await infoOf(name)).version).toBe(version)
  }
  const history = await hub.sql<{ count: string }>(`select count(*) from limits
    where account_id = ${accountId} union all select count(*) from endpoints
    where value = '${endpoint.value}'`)
  expect(history.map(({ count }) => count)).toEqual(['2', '1'])
  expect(await valueOf(hub, name, 'SETTLEMENT')).toBe('-1010')
})

test('An endpoint has a type of the closed list and a value valid for it', async () => {
  await onboard(hub, 'reached')
  const endpoints = [
    ['FSPIOP_CALLBACK_URL_TRANSFER_PUT', 'https://fsp.example/transfers/{{transferId}}'],
    ['NET_DEBIT_CAP_ADJUSTMENT_EMAIL', 'desk@fsp.example'],
    ['FSPIOP_CALLBACK_URL_NOTHING', 'https://fsp.example'],
    ['FSPIOP_CALLBACK_URL_QUOTES', 'ftp://fsp.example'],
    ['FSPIOP_CALLBACK_URL_QUOTES', ''],
    ['FSPIOP_CALLBACK_URL_QUOTES', `https://fsp.example/${'x'.repeat(2_000)}`],
    ['FSPIOP_CALLBACK_URL_QUOTES', 'https://fsp.example/?tenant=1'],
    ['FSPIOP_CALLBACK_URL_TRANSFER_PUT', 'https://fsp.example/{{quoteId}}'],
    ['NET_DEBIT_CAP_ADJUSTMENT_EMAIL', 'https://fsp.example'],
  ] as const
  const answers = []
  for (const [type, value] of endpoints) {
    const endpoint = { name: 'reached', type, value, createdBy }
    answers.push((await hub.participants.UpdateEndpoint(endpoint)).refusal?.reason ?? 'DONE')
  }
  expect(answers.slice(0, 2)).toEqual(['DONE', 'DONE'])
  expect(new Set(answers.slice(2))).toEqual(new Set(['INVALID']))
  expect((await infoOf('reached')).endpoints).toHaveLength(3)
})

test('A new settlement model adds its accounts to participants with its currency, once', async () => {
  await onboard(hub, 'redpay')
  const pair = {
    currency,
    ledgerAccountType: 'INTERCHANGE_FEE',
    settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
  }
  await hub.participants.AddModelAccounts(pair)
  await hub.participants.AddModelAccounts(pair)
  const { accounts } = await infoOf('redpay')
  expect(accounts.slice(2)).toMatchObject([
    { ledgerAccountType: 'INTERCHANGE_FEE', isActive: false },
    { ledgerAccountType: 'INTERCHANGE_FEE_SETTLEMENT', isActive: false },
  ])
  expect((await infoOf('Hub')).accounts).toHaveLength(2)
})

test('A second currency adds accounts to the existing participant', async () => {
  await onboard(hub, 'twice')
  await openHubAccounts(hub, 'EUR')
  hub.models.push({ ...deferredNet, id: 2, name: 'EUROS', currency: 'EUR' })
  const creation = { name: 'twice', createdBy }
  const { participant } = succeeded(
    await hub.participants.CreateParticipant({ ...creation, currency: 'EUR' }),
  )
  expect(participant?.accounts.map((account) => account.currency)).toEqual([
    'USD',
    'USD',
    'EUR',
    'EUR',
  ])
})

test('A default model serves currencies that have none of their own', async () => {
  await openHubAccounts(hub, 'JPY')
  const creation = { name: 'yen', currency: 'JPY', createdBy }
  const refused = await hub.participants.CreateParticipant(creation)
  expect(refused.refusal?.reason).toBe('NO_SETTLEMENT_MODEL')
  hub.models.push({ ...deferredNet, id: 3, name: 'DEFAULT', currency: undefined })
  succeeded(await hub.participants.CreateParticipant(creation))
  hub.models.pop()
})

describe('an initial position', () => {
  test('An initial position above zero is a debt, below zero a credit, and the books balance', async () => {
    for (const [name, initialPosition] of [
      ['debtor', '70.5'],
      ['creditor', '-20'],
    ] as const) {
      succeeded(await hub.participants.CreateParticipant({ name, currency, createdBy }))
      const initial = { name, currency, limit: limitOf('600'), initialPosition }
      succeeded(await hub.participants.SetInitialPositionAndLimits(initial))
      expect(await valueOf(hub, name, 'POSITION')).toBe(initialPosition)
    }
    expect((await infoOf('Hub')).accounts.map((one) => one.ledgerAccountType)).not.toContain(
      'HUB_OPENING_BALANCE',
    )
    expect(await differencesIn(hub)).toEqual([])
  })

  test('An initial position can be set once', async () => {
    const initial = { name: 'debtor', currency, limit: limitOf('600'), initialPosition: '1' }
    const { refusal } = await hub.participants.SetInitialPositionAndLimits(initial)
    expect(refusal?.reason).toBe('LIMITS_EXIST')
    expect(await valueOf(hub, 'debtor', 'POSITION')).toBe('70.5')
  })
})

describe('funds in', () => {
  test('Funds in are posted once, and other content under the same id is refused', async () => {
    await onboard(hub, 'funded', '600', '0')
    const id = randomUUID()
    for (let times = 0; times < 3; times++) {
      succeeded(await depositTo(hub.participants, 'funded', '10', id))
    }
    expect(await valueOf(hub, 'funded', 'SETTLEMENT')).toBe('-10')
    const other = await depositTo(hub.participants, 'funded', '11', id)
    expect(other.refusal?.reason).toBe('MODIFIED')
    const { entries } = await hub.ledger.GetLedgerEntries({ ids: [id] })
    expect(entries).toMatchObject([
      { kind: 'FUNDS_IN', outcome: 'POSTED', amount: '10', payerFsp: 'funded' },
    ])
  })

  test('Funds in in another currency than that of the account are refused as such', async () => {
    await onboard(hub, 'dollars', '600', '0')
    const account = (await infoOf('dollars')).accounts.find(
      (one) => one.ledgerAccountType === 'SETTLEMENT',
    )
    const instruction = {
      transferId: randomUUID(),
      name: 'dollars',
      accountId: account?.id ?? 0,
      kind: 'DEPOSIT',
      amount: '10',
    } as const
    for (const other of ['EUR', 'CHF']) {
      const { refusal } = await hub.participants.ManageFundsCreditDebitPairInstruction({
        ...instruction,
        currency: other,
      })
      expect(refusal?.reason).toBe('CURRENCY_MISMATCH')
    }
    expect(await valueOf(hub, 'dollars', 'SETTLEMENT')).toBe('0')
    const right = { ...instruction, currency }
    succeeded(await hub.participants.ManageFundsCreditDebitPairInstruction(right))
  })

  test('Funds in raise the cover for the next prepare', async () => {
    await onboard(hub, 'thin', '600', '10')
    const item = prepareItem({ payerFsp: 'thin', payeeFsp: 'funded', amount: '15' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['REFUSED COVER_SHORT'])
    succeeded(await depositTo(hub.participants, 'thin', '5'))
    const again = { ...item, transferId: randomUUID() }
    expect(wordsOf(await prepare(hub, again))).toEqual(['RESERVED'])
  })
})

test('Refusals name their reason', async () => {
  const { participants } = hub
  const nobody = { name: 'nobody', currency }
  const greenbank = { name: 'greenbank', currency }
  const answers = {
    reserved: await participants.CreateParticipant({ name: 'Hub', currency, createdBy }),
    again: await participants.CreateParticipant({ ...greenbank, createdBy }),
    badName: await participants.CreateParticipant({ name: 'a b', currency, createdBy }),
    badCurrency: await participants.CreateParticipant({ name: 'xx', currency: 'ABC', createdBy }),
    noHubAccounts: await participants.CreateParticipant({ name: 'xx', currency: 'CHF', createdBy }),
    unknown: await participants.UpdateParticipantState({ name: 'nobody', isActive: true }),
    hub: await participants.UpdateParticipantState({ name: 'Hub', isActive: false }),
    notHub: await participants.CreateHubAccount({
      ...greenbank,
      ledgerAccountType: 'HUB_RECONCILIATION',
      createdBy,
    }),
    accountExists: await participants.CreateHubAccount({
      name: 'Hub',
      currency,
      ledgerAccountType: 'HUB_RECONCILIATION',
      createdBy,
    }),
    noAccount: await participants.UpdateAccountStatus({
      name: 'greenbank',
      accountId: 999,
      isActive: true,
    }),
    negative: await participants.UpdateParticipantAccountLimit({
      ...greenbank,
      limit: limitOf('-1'),
    }),
    percentage: await participants.UpdateParticipantAccountLimit({
      ...greenbank,
      limit: limitOf('1', '100.1'),
    }),
    positions: await participants.RequestAccountsPositions(nobody),
  }
  const reasons = Object.entries(answers).map(([name, { refusal }]) => [name, refusal?.reason])
  expect(Object.fromEntries(reasons)).toEqual({
    reserved: 'NAME_RESERVED',
    again: 'CURRENCY_EXISTS',
    badName: 'INVALID',
    badCurrency: 'INVALID',
    noHubAccounts: 'HUB_ACCOUNTS_MISSING',
    unknown: 'PARTICIPANT_UNKNOWN',
    hub: 'HUB_UNCHANGEABLE',
    notHub: 'NOT_HUB',
    accountExists: 'ACCOUNT_EXISTS',
    noAccount: 'ACCOUNT_UNKNOWN',
    negative: 'INVALID',
    percentage: 'INVALID',
    positions: 'PARTICIPANT_UNKNOWN',
  })
})

test.each(['..', 'prototype', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
  'No participant has the name %s, registered at once or by request',
  async (name) => {
    const created = await hub.participants.CreateParticipant({ name, currency, createdBy })
    expect(created.refusal?.reason).toBe('INVALID')
    expect(await requestedAs(hub, name)).toBe('INVALID')
  },
)

test('With COMPATIBILITY=mojaloop a participant is active at once', async () => {
  const other = await openWorld({ COMPATIBILITY: 'mojaloop', HUB_NAME: 'Switch' })
  for (const ledgerAccountType of ['HUB_RECONCILIATION', 'HUB_MULTILATERAL_SETTLEMENT']) {
    const account = { name: 'Switch', currency, ledgerAccountType, createdBy }
    succeeded(await other.participants.CreateHubAccount(account))
  }
  const { participant } = succeeded(
    await other.participants.CreateParticipant({ name: 'greenbank', currency, createdBy }),
  )
  expect(participant?.isActive).toBe(true)
  await other.stop()
})
