/** Changes that two persons make, on a real database. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { wordOf } from '@causeway/approvals/testing'
import { onEvents, type Payload } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import type { Participant } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { collectAudit, type AuditLog } from '../testing/audited.ts'
import { prepare, prepareItem, wordsOf } from '../testing/items.ts'
import { onboard, openHubAccounts } from '../testing/scheme.ts'
import {
  differencesIn,
  openWorld,
  valueOf,
  type ParticipantLifecycleWorld,
} from '../testing/world.ts'
import type { ChangeName } from './content.ts'

let hub: ParticipantLifecycleWorld
let audit: AuditLog
const states: { readonly participantId: string; readonly version: number }[] = []
const requests: Payload<'ParticipantChangeRequested' | 'ParticipantChangeDecided'>[] = []

beforeAll(async () => {
  hub = await openWorld()
  audit = await collectAudit(hub)
  await onEvents(hub.parts.bus, 'test_states', ['ParticipantStateUpdated'], (events) => {
    states.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  const requestEvents = ['ParticipantChangeRequested', 'ParticipantChangeDecided'] as const
  await onEvents(hub.parts.bus, 'test_requests', requestEvents, (events) => {
    requests.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await openHubAccounts(hub)
  await onboard(hub, 'bluewallet')
}, 60_000)

afterAll(async () => {
  expect(await differencesIn(hub)).toEqual([])
  await hub.stop()
}, 60_000)

type Change = readonly [kind: ChangeName, content: object]

async function request([kind, content]: Change, requestId?: string): Promise<string> {
  return wordOf(await hub.approvals.request(kind, content, requestId ? { requestId } : {}))
}

async function decide(
  kind: ChangeName,
  requestId: string,
  decision: Parameters<ParticipantLifecycleWorld['approvals']['decide']>[2] = {},
): Promise<string> {
  return wordOf(await hub.approvals.decide(kind, requestId, decision))
}

/** Requests the change and approves it. */
async function changed(change: Change): Promise<string> {
  return wordOf(await hub.approvals.make(...change))
}

async function infoOf(name: string): Promise<Participant | undefined> {
  const { participants } = await hub.participants.GetParticipantInfo({ names: [name] })
  return participants[0]
}

async function accountOf(name: string, type: string): Promise<number> {
  const accounts = (await infoOf(name))?.accounts
  return accounts?.find(({ ledgerAccountType }) => ledgerAccountType === type)?.id ?? 0
}

async function limitOf(name: string): Promise<string | undefined> {
  const accounts = (await infoOf(name))?.accounts
  return accounts?.find((one) => one.ledgerAccountType === 'POSITION')?.limit?.value
}

function stateOf(participantId: string, newState: string): Change {
  return ['UpdateParticipantState', { participantId, newState, reason: 'as agreed' }]
}

const creation = (name: string): Change => [
  'CreateParticipant',
  {
    name,
    type: 'DFSP',
    currencies: ['USD'],
    accounts: [{ ledgerAccountType: 'POSITION', currency: 'USD', limit: '500' }],
    endpoints: [{ type: 'FSPIOP_CALLBACK_URL_QUOTES', value: 'https://new.example' }],
  },
]

describe('a new participant', () => {
  test('A new participant exists only after another person approves, with everything requested', async () => {
    const requestId = randomUUID()
    expect(await request(creation('newbank'), requestId)).toBe('PENDING')
    expect(await infoOf('newbank')).toBeUndefined()
    expect(await decide('CreateParticipant', requestId)).toBe('APPROVED')
    const info = await infoOf('newbank')
    expect(info).toMatchObject({ stateName: 'INACTIVE', type: 'DFSP', createdBy: 'ada' })
    expect(info?.accounts).toMatchObject([
      { ledgerAccountType: 'POSITION', isActive: true, limit: { value: '500' } },
      { ledgerAccountType: 'SETTLEMENT', isActive: true },
    ])
    expect(info?.endpoints).toEqual([
      { type: 'FSPIOP_CALLBACK_URL_QUOTES', value: 'https://new.example' },
    ])
    const entries = await audit.about('participants/newbank', 2)
    expect(entries.map((one) => [one.actionType, one.securityContext.userId])).toEqual([
      ['CreateParticipant', 'ada'],
      ['ApproveParticipant', 'grace'],
    ])
    expect(entries[0]?.after).toMatchObject({ change: { name: 'newbank', currencies: ['USD'] } })
    expect(entries[1]?.before).toEqual({ request: 'PEND-APPROVAL' })
    expect(entries[1]?.after).toMatchObject({ type: 'DFSP', request: 'APPROVED' })
  })

  test('A rejected participant leaves its name free', async () => {
    const requestId = randomUUID()
    await request(creation('oncebank'), requestId)
    const rejection = { verdict: 'REJECT' } as const
    expect(await decide('CreateParticipant', requestId, rejection)).toBe('REJECTED')
    expect(await infoOf('oncebank')).toBeUndefined()
    expect(await changed(creation('oncebank'))).toBe('APPROVED')
    expect(await request(creation('oncebank'))).toBe('PARTICIPANT_EXISTS')
  })

  test('A new participant can be a PISP without accounts', async () => {
    const name = 'shop'
    const pisp = { name, type: 'PISP', currencies: [], accounts: [], endpoints: [] }
    expect(await changed(['CreateParticipant', pisp])).toBe('APPROVED')
    expect(await infoOf(name)).toMatchObject({ type: 'PISP', accounts: [] })
  })
})

describe('a request', () => {
  test('Two concurrent approvals apply a change exactly once', async () => {
    await onboard(hub, 'racebank')
    const accountId = await accountOf('racebank', 'SETTLEMENT')
    for (let round = 0; round < 30; round++) {
      const requestId = randomUUID()
      const before = Number(await valueOf(hub, 'racebank', 'SETTLEMENT'))
      const content = {
        participantId: 'racebank',
        accountId,
        direction: 'DEPOSIT',
        amount: '1',
        currency: 'USD',
        externalReference: `bank ${round}`,
        reason: 'race',
      }
      expect(await request(['ManageFunds', content], requestId)).toBe('PENDING')
      const answers = await Promise.all([
        decide('ManageFunds', requestId),
        decide('ManageFunds', requestId, { actor: 'joan' }),
        decide('ManageFunds', requestId, { actor: 'mary', verdict: 'REJECT' }),
      ])
      const isApproved = answers.includes('APPROVED')
      expect(answers.filter((word) => word === 'REQUEST_DECIDED')).toHaveLength(2)
      expect(Number(await valueOf(hub, 'racebank', 'SETTLEMENT'))).toBe(
        before - (isApproved ? 1 : 0),
      )
    }
  }, 120_000)

  test('A request publishes an event when it is made and when it is decided, not when it is refused', async () => {
    await onboard(hub, 'toldbank')
    const requestId = randomUUID()
    const [kind] = stateOf('toldbank', 'SUSPENDED')
    await request(stateOf('toldbank', 'SUSPENDED'), requestId)
    await request(stateOf('toldbank', 'SUSPENDED'), requestId)
    expect(await request(stateOf('toldbank', 'DORMANT'))).toBe('STATE_UNKNOWN')
    await decide(kind, requestId, { actor: 'ada' })
    await decide(kind, requestId, { verdict: 'REJECT', note: 'not yet' })
    await decide(kind, requestId, { verdict: 'REJECT', note: 'not yet' })
    const head = { participantId: 'toldbank', requestId, type: kind, createdBy: 'ada' }
    const [made, decided, ...more] = await eventually(() => {
      const found = requests.filter(({ participantId }) => participantId === 'toldbank')
      return found.length < 2 ? undefined : found
    }, 'both events')
    expect(made).toMatchObject({ ...head, approvedWith: 'APPROVE_PARTICIPANT_STATE_UPDATE' })
    const decision = { state: 'REJECTED', decidedBy: 'grace', note: 'not yet' }
    expect(decided).toMatchObject({ ...head, ...decision })
    expect(more).toEqual([])
  })

  test('No two equal requests are pending, in whatever order they name currencies', async () => {
    await openHubAccounts(hub, 'EUR')
    const base = hub.models[0] ?? ({} as never)
    hub.models.push({ ...base, id: 3, name: 'EURNET', currency: 'EUR' })
    const inOrder = (...currencies: readonly string[]): Change => {
      const bare = { type: 'DFSP', accounts: [], endpoints: [] }
      return ['CreateParticipant', { name: 'equalbank', ...bare, currencies }]
    }
    expect(await request(inOrder('USD', 'EUR'))).toBe('PENDING')
    expect(await request(inOrder('EUR', 'USD', 'EUR'))).toBe('REQUEST_PENDING')
    expect(await request(inOrder('EUR'))).toBe('PENDING')
    hub.models.pop()
  })

  test('A request that could not be approved now is refused at once and stores nothing', async () => {
    await onboard(hub, 'nowbank')
    const participantId = 'nowbank'
    const accountId = await accountOf(participantId, 'SETTLEMENT')
    const funds = { participantId, accountId, currency: 'USD', externalReference: '', reason: '' }
    const requestId = randomUUID()
    const large = { ...funds, direction: 'WITHDRAWAL', amount: '1001' }
    expect(await request(['ManageFunds', large], requestId)).toBe('COVER_SHORT')
    expect(await request(stateOf('nowbank', 'DORMANT'))).toBe('STATE_UNKNOWN')
    expect(await request(stateOf('nobank', 'ACTIVE'))).toBe('PARTICIPANT_UNKNOWN')
    expect(await request(['ManageFunds', {}])).toBe('INVALID')
    const { entries } = await hub.ledger.GetLedgerEntries({ ids: [requestId] })
    expect(entries).toEqual([])
  })

  test('A request is checked again at its approval, and stays pending when it is refused', async () => {
    await onboard(hub, 'latebank')
    const participantId = 'latebank'
    const accountId = await accountOf(participantId, 'SETTLEMENT')
    const funds = { participantId, accountId, currency: 'USD', externalReference: '', reason: '' }
    const requestId = randomUUID()
    const large = { ...funds, direction: 'WITHDRAWAL', amount: '700' }
    await request(['ManageFunds', large], requestId)
    const item = prepareItem({ payerFsp: 'latebank', amount: '400' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['RESERVED'])
    expect(await decide('ManageFunds', requestId)).toBe('COVER_SHORT')
    expect(await valueOf(hub, 'latebank', 'SETTLEMENT')).toBe('-1000')
    await changed(['ManageFunds', { ...funds, direction: 'DEPOSIT', amount: '100' }])
    expect(await decide('ManageFunds', requestId)).toBe('APPROVED')
    expect(await valueOf(hub, 'latebank', 'SETTLEMENT')).toBe('-400')
  })
})

describe('an update', () => {
  test('An update is refused where what it replaces has changed since it was requested', async () => {
    await onboard(hub, 'stalebank')
    const participantId = 'stalebank'
    const accountId = await accountOf(participantId, 'POSITION')
    const limit = (value: string): Change => [
      'UpdateAccountLimit',
      { participantId, accountId, type: 'NET_DEBIT_CAP', value },
    ]
    const requestId = randomUUID()
    await request(limit('5000'), requestId)
    const [shown] = await hub.approvals.pending('UpdateAccountLimit')
    expect(JSON.parse(shown?.replacesJson ?? '')).toEqual({
      limits: { USD: { value: '600', alarmPercentage: '10' } },
    })
    expect(await changed(limit('10'))).toBe('APPROVED')
    const { refusal } = await hub.approvals.decide('UpdateAccountLimit', requestId)
    expect(refusal).toMatchObject({ reason: 'STALE' })
    expect(refusal?.detail).toContain('"value":"600"')
    expect(await limitOf(participantId)).toBe('10')
    const rejection = { verdict: 'REJECT' } as const
    expect(await decide('UpdateAccountLimit', requestId, rejection)).toBe('REJECTED')
  })

  test('An update to the present value is refused where that value has changed since', async () => {
    await onboard(hub, 'samebank')
    const requestId = randomUUID()
    await request(stateOf('samebank', 'ACTIVE'), requestId)
    expect(await changed(stateOf('samebank', 'SUSPENDED'))).toBe('APPROVED')
    expect(await decide('UpdateParticipantState', requestId)).toBe('STALE')
    expect(await infoOf('samebank')).toMatchObject({ stateName: 'SUSPENDED' })
  })

  test('To stop a participant is never too late', async () => {
    await onboard(hub, 'stopbank')
    const requestId = randomUUID()
    await request(stateOf('stopbank', 'SUSPENDED'), requestId)
    expect(await changed(stateOf('stopbank', 'INACTIVE'))).toBe('APPROVED')
    expect(await decide('UpdateParticipantState', requestId)).toBe('APPROVED')
    expect(await infoOf('stopbank')).toMatchObject({ stateName: 'SUSPENDED' })
  })

  test('A request that only takes something out of use waits beside all others', async () => {
    await onboard(hub, 'restbank')
    const accountId = await accountOf('restbank', 'POSITION')
    const status = (isActive: boolean): Change => [
      'UpdateAccountStatus',
      { participantId: 'restbank', accountId, isActive },
    ]
    const table = [
      [stateOf('restbank', 'SUSPENDED'), true],
      [stateOf('restbank', 'ACTIVE'), false],
      [status(false), true],
      [status(true), false],
    ] as const
    for (const [change, withdraws] of table) {
      const requestId = randomUUID()
      expect(await request(change, requestId)).toBe('PENDING')
      const rows = await hub.sql(
        `select withdraws from approvals where request_id = '${requestId}'`,
      )
      expect(rows).toEqual([{ withdraws }])
    }
  })
})

describe('what can be changed', () => {
  test('A changed state stops transfers at once, and its event carries the next version', async () => {
    await onboard(hub, 'statebank')
    const { version = 0 } = (await infoOf('statebank')) ?? {}
    expect(await changed(stateOf('statebank', 'SUSPENDED'))).toBe('APPROVED')
    const item = prepareItem({ payerFsp: 'statebank' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['REFUSED PAYER_INACTIVE'])
    const event = await eventually(
      () => states.find((one) => one.participantId === 'statebank' && one.version === version + 1),
      'the new state',
    )
    expect(event).toMatchObject({ oldState: 'ACTIVE', newState: 'SUSPENDED', isActive: false })
    expect(await changed(stateOf('Hub', 'SUSPENDED'))).toBe('HUB_UNCHANGEABLE')
  })

  test('Limit, threshold and status of an account can be changed', async () => {
    await onboard(hub, 'limitbank')
    const participantId = 'limitbank'
    const accountId = await accountOf(participantId, 'POSITION')
    const of = { participantId, accountId }
    const type = 'NET_DEBIT_CAP'
    await changed(['UpdateAccountLimit', { ...of, type, value: '70' }])
    await changed(['UpdateAccountThreshold', { ...of, alarmPercentage: '20' }])
    const position = async () =>
      (await infoOf(participantId))?.accounts.find(({ id }) => id === accountId)
    expect((await position())?.limit).toMatchObject({ value: '70', alarmPercentage: '20' })
    await changed(['UpdateAccountStatus', { ...of, isActive: false }])
    expect((await position())?.isActive).toBe(false)
    const unknown = { participantId, accountId: 999_999, isActive: true }
    expect(await request(['UpdateAccountStatus', unknown])).toBe('ACCOUNT_UNKNOWN')
  })

  test('A further account can be added once per type and currency', async () => {
    hub.models.push({
      ...(hub.models[0] ?? ({} as never)),
      id: 2,
      name: 'FEES',
      ledgerAccountType: 'INTERCHANGE_FEE',
      settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
    })
    const account = {
      participantId: 'bluewallet',
      ledgerAccountType: 'INTERCHANGE_FEE',
      currency: 'USD',
    }
    expect(await changed(['AddParticipantAccount', account])).toBe('APPROVED')
    expect(await request(['AddParticipantAccount', account])).toBe('ACCOUNT_EXISTS')
    const wrong = { ...account, ledgerAccountType: 'HUB_FEE' }
    expect(await request(['AddParticipantAccount', wrong])).toBe('ACCOUNT_TYPE_WRONG')
    hub.models.pop()
  })

  test('A part of the cover can be excluded', async () => {
    await onboard(hub, 'keepbank')
    const participantId = 'keepbank'
    const exclusion = { participantId, currency: 'USD', mode: 'PERCENT', value: '50' }
    expect(await changed(['ReserveLiquidityCover', exclusion])).toBe('APPROVED')
    const item = prepareItem({ payerFsp: 'keepbank', amount: '501' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['REFUSED COVER_SHORT'])
  })

  test('Endpoints can be changed if they accept a connection', async () => {
    await onboard(hub, 'callbank')
    const server = await listening()
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const type = 'FSPIOP_CALLBACK_URL_TRANSFER_POST'
    const value = `http://127.0.0.1:${port}/transfers`
    const update = (...endpoints: readonly object[]): Change => [
      'UpdateEndpoints',
      { participantId: 'callbank', endpoints },
    ]
    expect(await changed(update({ type, value }))).toBe('APPROVED')
    await closed(server)
    const gone = { type, value: `${value}/{{transferId}}` }
    const mail = { type: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL', value: 'ops@callbank.example' }
    expect(await changed(update(gone, mail))).toBe('ENDPOINT_UNREACHABLE')
    expect(await changed(update(mail))).toBe('APPROVED')
    const base = { type: 'FSPIOP_CALLBACK_URL', value: 'https://callbank.example' }
    expect((await infoOf('callbank'))?.endpoints).toEqual([base, { type, value }, mail])
  })
})

async function listening(): Promise<Server> {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
