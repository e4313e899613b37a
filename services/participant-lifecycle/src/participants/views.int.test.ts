/** Queries and pushes about participants, by the names of the reference architecture. */
import { randomUUID } from 'node:crypto'
import type { Calls } from '@causeway/grpc'
import { eventually } from '@causeway/process/testing'
import {
  accountsService,
  authServiceParticipantStatesService,
  notificationsParticipantStatesService,
  participantViewsService,
  settlementsParticipantStatesService,
  transfersParticipantStatesService,
  type Participant,
  type ParticipantStateChange,
} from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { collectAudit, type AuditLog } from '../testing/audited.ts'
import { patient } from '../testing/items.ts'
import { onboard, openHubAccounts, succeeded } from '../testing/scheme.ts'
import { openWorld, type ParticipantLifecycleWorld } from '../testing/world.ts'

let hub: ParticipantLifecycleWorld
let views: Calls<typeof participantViewsService>
let accounts: Calls<typeof accountsService>
let audit: AuditLog
const pushed: string[] = []

beforeAll(async () => {
  hub = await openWorld()
  const { grpc } = hub.parts
  views = grpc.client(participantViewsService, 'participant-lifecycle')
  accounts = grpc.client(accountsService, 'participant-lifecycle')
  audit = await collectAudit(hub)
  const hearing = (who: string) => ({
    ParticipantStateUpdated: ({ participantId, newStateName, version }: ParticipantStateChange) => {
      pushed.push(`${who} ${participantId} ${newStateName} ${version}`)
      return Promise.resolve({ version })
    },
  })
  grpc.serve(transfersParticipantStatesService, hearing('transfers'))
  grpc.serve(settlementsParticipantStatesService, hearing('settlements'))
  grpc.serve(notificationsParticipantStatesService, hearing('notifications'))
  grpc.serve(authServiceParticipantStatesService, hearing('auth-service'))
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
}, 60_000)

afterAll(() => hub.stop())

async function infoOf(name: string): Promise<Participant> {
  const { participants } = await hub.participants.GetParticipantInfo({ names: [name] })
  if (participants[0] === undefined) throw new Error(`${name} is unknown`)
  return participants[0]
}

test('A new state is pushed to four services at once, with its version', async () => {
  const name = 'greenbank'
  pushed.length = 0
  const change = { name, isActive: false, stateName: 'SUSPENDED', actor: 'ada' }
  succeeded(await hub.participants.UpdateParticipantState(change, patient))
  const { version } = await infoOf(name)
  const received = await eventually(() => (pushed.length >= 4 ? pushed : undefined), 'four calls')
  expect(received.toSorted()).toEqual(
    ['auth-service', 'notifications', 'settlements', 'transfers'].map(
      (who) => `${who} greenbank SUSPENDED ${version}`,
    ),
  )
  succeeded(await hub.participants.UpdateParticipantState({ name, isActive: true }, patient))
})

describe('a view', () => {
  test('The view for transfers answers for each name, known or not', async () => {
    const { participants } = await views.GetParticipantsTransfersData({
      names: ['nobody', 'greenbank'],
      currency: 'USD',
    })
    expect(participants).toMatchObject([
      { name: 'nobody', exists: false, isActive: false, accounts: [] },
      {
        name: 'greenbank',
        exists: true,
        isActive: true,
        stateName: 'ACTIVE',
        accounts: [
          { ledgerAccountType: 'POSITION', limit: { value: '600' } },
          { ledgerAccountType: 'SETTLEMENT' },
        ],
      },
    ])
  })

  test('The views for callbacks and quotes contain the address and the currencies', async () => {
    const endpointType = 'FSPIOP_CALLBACK_URL_QUOTES'
    const value = 'https://greenbank.example'
    await hub.participants.UpdateEndpoint({
      name: 'greenbank',
      type: endpointType,
      value,
      createdBy: 'ada',
    })
    const asking = (name: string) => views.GetParticipantCallbackInfo({ name, endpointType })
    expect(await asking('greenbank')).toMatchObject({ participantExists: true, url: value })
    expect(await asking('nobody')).toEqual({ participantExists: false })
    expect(await views.GetParticipantQuoteData({ names: ['greenbank', 'nobody'] })).toEqual({
      participants: [
        { name: 'greenbank', exists: true, isActive: true, currencies: ['USD'] },
        { name: 'nobody', exists: false, isActive: false, currencies: [] },
      ],
    })
  })
})

describe('accounts', () => {
  const wanted = (ledgerAccountType: string, limit?: string) => ({
    clientAccountKey: `my ${ledgerAccountType}`,
    ledgerAccountType,
    currency: 'EUR',
    limit,
  })

  test('Accounts are opened with their limits, all or none, once per request', async () => {
    await openHubAccounts(hub, 'EUR')
    const [model] = hub.models
    if (model === undefined) throw new Error('no model')
    hub.models.push({ ...model, id: 9, name: 'EURONET', currency: 'EUR' })
    const name = 'greenbank'
    const request = {
      requestId: randomUUID(),
      name,
      accounts: [wanted('POSITION', '50'), wanted('SETTLEMENT')],
      actor: 'ada',
    }
    const wrong = { ...request, accounts: [wanted('POSITION'), wanted('HUB_FEE')] }
    const refused = await accounts.CreateParticipantAccountsWithLimits(wrong, patient)
    expect(refused.refusal?.reason).toBe('ACCOUNT_TYPE_WRONG')
    const made = await accounts.CreateParticipantAccountsWithLimits(request, patient)
    expect(made.accounts.map(({ clientAccountKey }) => clientAccountKey)).toEqual([
      'my POSITION',
      'my SETTLEMENT',
    ])
    expect(await accounts.CreateParticipantAccountsWithLimits(request, patient)).toEqual(made)
    const again = { ...request, requestId: randomUUID() }
    const other = await accounts.CreateParticipantAccountsWithLimits(again, patient)
    expect(other.refusal?.reason).toBe('ACCOUNT_EXISTS')
    const opened = (await infoOf(name)).accounts.filter(({ currency }) => currency === 'EUR')
    expect(opened).toMatchObject([
      { id: made.accounts[0]?.accountId, isActive: true, limit: { value: '50' } },
      { id: made.accounts[1]?.accountId, isActive: true },
    ])
  })

  test('The method for one account opens exactly one', async () => {
    await openHubAccounts(hub, 'KES')
    const [model] = hub.models
    if (model === undefined) throw new Error('no model')
    hub.models.push({ ...model, id: 10, name: 'KENYANET', currency: 'KES' })
    const name = 'oneatatime'
    await onboard(hub, name)
    const one = { ...wanted('POSITION', '70'), currency: 'KES' }
    const other = { ...wanted('SETTLEMENT'), currency: 'KES' }
    const request = { requestId: randomUUID(), name, accounts: [one], actor: 'ada' }
    for (const wrong of [[], [one, other]]) {
      const asked = { ...request, accounts: wrong }
      const refused = await accounts.CreateParticipantAccountWithLimits(asked, patient)
      expect(refused).toMatchObject({ accounts: [], refusal: { reason: 'INVALID' } })
    }
    const made = await accounts.CreateParticipantAccountWithLimits(request, patient)
    expect(made.accounts.map((each) => each.clientAccountKey)).toEqual(['my POSITION'])
    expect(await accounts.CreateParticipantAccountWithLimits(request, patient)).toEqual(made)
    const again = { ...request, requestId: randomUUID() }
    const refused = await accounts.CreateParticipantAccountWithLimits(again, patient)
    expect(refused.refusal?.reason).toBe('ACCOUNT_EXISTS')
    const opened = (await infoOf(name)).accounts.filter(({ currency }) => currency === 'KES')
    expect(opened).toMatchObject([
      {
        id: made.accounts[0]?.accountId,
        ledgerAccountType: 'POSITION',
        isActive: true,
        limit: { value: '70' },
      },
    ])
  })

  test('Accounts are switched, and their thresholds set, by their ids, each with an audit entry', async () => {
    await onboard(hub, 'switched')
    const account = (await infoOf('switched')).accounts[0]
    const accountId = account?.id ?? 0
    const message = { requestId: randomUUID(), accountId, actor: 'ada' }
    succeeded(await accounts.DisabledParticipantAccount(message, patient))
    expect((await infoOf('switched')).accounts[0]?.isActive).toBe(false)
    succeeded(await accounts.EnabledParticipantAccount(message, patient))
    const threshold = { ...message, alarmPercentage: '25' }
    expect(await accounts.UpdateParticipantAccountThreshold(threshold, patient)).toMatchObject({
      old: '10',
      new: '25',
    })
    const unknown = await accounts.EnabledParticipantAccount({ ...message, accountId: 999_999 })
    expect(unknown.refusal?.reason).toBe('ACCOUNT_UNKNOWN')
    const entries = await audit.about('participants/switched', 6)
    expect(
      entries.slice(-3).map(({ actionType, before, after }) => [actionType, before, after]),
    ).toEqual([
      [
        'DisabledParticipantAccount',
        { accounts: { 'POSITION USD': { isActive: true } } },
        { accounts: { 'POSITION USD': { isActive: false } } },
      ],
      [
        'EnabledParticipantAccount',
        { accounts: { 'POSITION USD': { isActive: false } } },
        { accounts: { 'POSITION USD': { isActive: true } } },
      ],
      [
        'UpdateParticipantAccountThreshold',
        { limits: { USD: { value: '600', alarmPercentage: '10' } } },
        { limits: { USD: { value: '600', alarmPercentage: '25' } } },
      ],
    ])
  })
})

test('Every change of a participant writes exactly one audit entry, with its actor', async () => {
  const name = 'recorded'
  const currency = 'USD'
  const limit = { type: 'NET_DEBIT_CAP', value: '5' }
  const { participants } = hub
  await participants.CreateParticipant({ name, currency, createdBy: 'ada' }, patient)
  const initial = { name, currency, limit, actor: 'ben' }
  await participants.SetInitialPositionAndLimits(initial, patient)
  await participants.UpdateParticipantState({ name, isActive: true, actor: 'cleo' }, patient)
  await participants.UpdateParticipantState({ name, isActive: true, actor: 'cleo' }, patient)
  await participants.UpdateParticipantAccountLimit(
    { name, currency, limit: { ...limit, value: '6' } },
    patient,
  )
  const type = 'FSPIOP_CALLBACK_URL_QUOTES'
  const value = 'https://recorded.example'
  await participants.UpdateEndpoint({ name, type, value, createdBy: 'eve' }, patient)
  const entries = await audit.about(`participants/${name}`, 5)
  expect(
    entries.map(({ actionType, securityContext }) => [actionType, securityContext.userId]),
  ).toEqual([
    ['CreateParticipant', 'ada'],
    ['SetInitialPositionAndLimits', 'ben'],
    ['UpdateParticipantState', 'cleo'],
    ['UpdateParticipantAccountLimit', 'unknown'],
    ['UpdateEndpoint', 'eve'],
  ])
  expect(entries[0]).toMatchObject({ before: null, after: { type: 'DFSP' } })
  expect(entries[2]).toMatchObject({
    before: { state: { name: 'INACTIVE' } },
    after: { state: { name: 'ACTIVE', isActive: true } },
  })
})

test('A start that changes the permissions of a state publishes a state change for its participants', async () => {
  const before = await openWorld()
  await openHubAccounts(before)
  await onboard(before, 'changing')
  // As an earlier setting of the states would have left it.
  await before.sql(`update participants set state = 'SUSPENDED' where name = 'changing'`)
  const after = await before.restart()
  try {
    const found = await eventually(async () => {
      const { participants } = await after.participants.GetParticipantInfo({ names: ['changing'] })
      return participants.find(({ isActive }) => !isActive)
    }, 'the new meaning of the state')
    expect(found).toMatchObject({ stateName: 'SUSPENDED', isActive: false })
  } finally {
    await after.stop()
  }
}, 60_000)
