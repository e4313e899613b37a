/** Four-eyes control of changes, on a real database. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { eventually } from '@causeway/process/testing'
import {
  lifecycleService,
  type Change,
  type ChangeRecord,
  type Participant,
} from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { collectAudit, type AuditLog } from '../testing/audited.ts'
import { patient, prepare, prepareItem, wordsOf } from '../testing/items.ts'
import { onboard, openHubAccounts } from '../testing/scheme.ts'
import { differencesIn, openWorld, valueOf, type World } from '../testing/world.ts'

let hub: World
let lifecycle: Calls<typeof lifecycleService>
let audit: AuditLog
const states: { readonly participantId: string; readonly version: number }[] = []
const requests: Payload<'ParticipantChangeRequested' | 'ParticipantChangeDecided'>[] = []

beforeAll(async () => {
  hub = await openWorld()
  lifecycle = hub.parts.grpc.client(lifecycleService, 'participant-lifecycle')
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

type Answer = {
  readonly record?: ChangeRecord | null
  readonly refusal?: { readonly reason: string } | null
}

function wordOf({ record, refusal }: Answer): string {
  return refusal ? refusal.reason : (record?.state ?? '')
}

async function ask(change: Change, requestId: string = randomUUID(), actor = 'ada') {
  return wordOf(await lifecycle.RequestChange({ requestId, actor, change }, patient))
}

async function decide(requestId: string, actor = 'grace', decision = 'APPROVE', type = '') {
  const message = { requestId, type, decision, note: '', actor }
  return wordOf(await lifecycle.DecideChange(message, patient))
}

/** Requests the change and approves it. */
async function changed(change: Change): Promise<string> {
  const id = randomUUID()
  const asked = await ask(change, id)
  return asked === 'PEND-APPROVAL' ? decide(id) : asked
}

async function infoOf(name: string): Promise<Participant | undefined> {
  const { participants } = await hub.participants.GetParticipantInfo({ names: [name] })
  return participants[0]
}

async function accountOf(name: string, type: string): Promise<number> {
  const accounts = (await infoOf(name))?.accounts
  return accounts?.find(({ ledgerAccountType }) => ledgerAccountType === type)?.id ?? 0
}

function stateOf(participantId: string, newState: string): Change {
  return { updateParticipantState: { participantId, newState, reason: 'as agreed' } }
}

const noAccount = { clientAccountKey: '', alarmPercentage: '' }
const creation = (name: string): Change => ({
  createParticipant: {
    name,
    type: 'DFSP',
    currencies: ['USD'],
    accounts: [{ ...noAccount, ledgerAccountType: 'POSITION', currency: 'USD', limit: '500' }],
    endpoints: [{ type: 'FSPIOP_CALLBACK_URL_QUOTES', value: 'https://new.example' }],
  },
})

describe('a new participant', () => {
  test('A new participant exists only after another person approves, with everything requested', async () => {
    const id = randomUUID()
    expect(await ask(creation('newbank'), id)).toBe('PEND-APPROVAL')
    expect(await infoOf('newbank')).toBeUndefined()
    expect(await decide(id)).toBe('APPROVED')
    const info = await infoOf('newbank')
    expect(info).toMatchObject({ state: 'INACTIVE', type: 'DFSP', createdBy: 'ada' })
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
    expect(entries[1]?.before).toEqual({ request: 'PEND-APPROVAL' })
    expect(entries[1]?.labels).toContainEqual({ key: 'maker', value: 'ada' })
  })

  test('A rejected participant leaves its name free', async () => {
    const id = randomUUID()
    await ask(creation('oncebank'), id)
    expect(await decide(id, 'grace', 'REJECT')).toBe('REJECTED')
    expect(await infoOf('oncebank')).toBeUndefined()
    expect(await changed(creation('oncebank'))).toBe('APPROVED')
    expect(await ask(creation('oncebank'))).toBe('PARTICIPANT_EXISTS')
  })

  test('A new participant can be a PISP without accounts', async () => {
    const name = 'shop'
    const pisp = { name, type: 'PISP', currencies: [], accounts: [], endpoints: [] }
    expect(await changed({ createParticipant: pisp })).toBe('APPROVED')
    expect(await infoOf(name)).toMatchObject({ type: 'PISP', accounts: [] })
  })
})

describe('four eyes', () => {
  test('The maker cannot decide, and the attempt is audited', async () => {
    await onboard(hub, 'eyebank')
    const id = randomUUID()
    await ask(stateOf('eyebank', 'SUSPENDED'), id)
    expect(await decide(id, 'ada')).toBe('SAME_PERSON')
    expect(await decide(id, 'ada', 'REJECT')).toBe('SAME_PERSON')
    expect(await infoOf('eyebank')).toMatchObject({ state: 'ACTIVE' })
    const failed = await eventually(async () => {
      const entries = await audit.about('participants/eyebank', 1)
      const found = entries.filter(({ actionSuccessful }) => !actionSuccessful)
      return found.length === 2 ? found : undefined
    }, 'both attempts')
    expect(failed.map(({ securityContext }) => securityContext.userId)).toEqual(['ada', 'ada'])
    expect(await decide(id)).toBe('APPROVED')
  })

  test('An unknown actor cannot approve the request of an unknown actor', async () => {
    const id = randomUUID()
    await onboard(hub, 'darkbank')
    await ask(stateOf('darkbank', 'SUSPENDED'), id, '')
    expect(await decide(id, '')).toBe('SAME_PERSON')
  })

  test('Two concurrent approvals apply a change exactly once', async () => {
    await onboard(hub, 'racebank')
    const accountId = await accountOf('racebank', 'SETTLEMENT')
    for (let round = 0; round < 30; round++) {
      const id = randomUUID()
      const before = Number(await valueOf(hub, 'racebank', 'SETTLEMENT'))
      const change = {
        manageFunds: {
          participantId: 'racebank',
          accountId,
          direction: 'DEPOSIT',
          amount: '1',
          currency: 'USD',
          externalReference: `bank ${round}`,
          reason: 'race',
        },
      }
      expect(await ask(change, id)).toBe('PEND-APPROVAL')
      const answers = await Promise.all([
        decide(id, 'grace'),
        decide(id, 'joan'),
        decide(id, 'mary', 'REJECT'),
      ])
      const isApproved = answers.includes('APPROVED')
      expect(answers.filter((word) => word === 'REQUEST_DECIDED')).toHaveLength(2)
      expect(Number(await valueOf(hub, 'racebank', 'SETTLEMENT'))).toBe(
        before - (isApproved ? 1 : 0),
      )
    }
  }, 120_000)

  test('A repeated decision by the same person changes nothing', async () => {
    await onboard(hub, 'calmbank')
    const id = randomUUID()
    await ask(stateOf('calmbank', 'SUSPENDED'), id)
    expect(await decide(id)).toBe('APPROVED')
    expect(await decide(id)).toBe('APPROVED')
    expect(await decide(id, 'grace', 'REJECT')).toBe('REQUEST_DECIDED')
    expect(await decide(id, 'joan')).toBe('REQUEST_DECIDED')
    expect(await decide(randomUUID())).toBe('REQUEST_UNKNOWN')
  })

  test("A checker's call finds only requests of its own type", async () => {
    await onboard(hub, 'kindbank')
    const id = randomUUID()
    await ask(stateOf('kindbank', 'SUSPENDED'), id)
    expect(await decide(id, 'grace', 'APPROVE', 'ManageFunds')).toBe('REQUEST_UNKNOWN')
    expect(await decide(id, 'grace', 'APPROVE', 'UpdateParticipantState')).toBe('APPROVED')
  })
})

describe('a request', () => {
  test('A request publishes an event when it is made and when it is decided, not when it is refused', async () => {
    await onboard(hub, 'toldbank')
    const id = randomUUID()
    await ask(stateOf('toldbank', 'SUSPENDED'), id)
    await ask(stateOf('toldbank', 'SUSPENDED'), id)
    expect(await ask(stateOf('toldbank', 'DORMANT'))).toBe('STATE_UNKNOWN')
    await decide(id, 'ada')
    await decide(id, 'grace', 'REJECT')
    await decide(id, 'grace', 'REJECT')
    const head = { participantId: 'toldbank', requestId: id, createdBy: 'ada' }
    const [asked, decided, ...more] = await eventually(() => {
      const found = requests.filter(({ participantId }) => participantId === 'toldbank')
      return found.length < 2 ? undefined : found
    }, 'both events')
    expect(asked).toMatchObject({ ...head, approvedWith: 'APPROVE_PARTICIPANT_STATE_UPDATE' })
    expect(decided).toMatchObject({ ...head, state: 'REJECTED', decidedBy: 'grace' })
    expect(more).toEqual([])
  })

  test('A request is unique by its id, and no two equal requests are pending', async () => {
    await onboard(hub, 'askbank')
    const id = randomUUID()
    expect(await ask(stateOf('askbank', 'SUSPENDED'), id)).toBe('PEND-APPROVAL')
    expect(await ask(stateOf('askbank', 'SUSPENDED'), id)).toBe('PEND-APPROVAL')
    expect(await ask(stateOf('askbank', 'CLOSED'), id)).toBe('MODIFIED')
    expect(await ask(stateOf('askbank', 'SUSPENDED'))).toBe('REQUEST_PENDING')
    await decide(id)
    expect(await ask(stateOf('askbank', 'SUSPENDED'), id)).toBe('APPROVED')
  })

  test('The id of a request cannot equal a generated entry id', async () => {
    await onboard(hub, 'namebank')
    const wanted = stateOf('namebank', 'SUSPENDED')
    for (const id of [`fee-${randomUUID()}`, 'r-1', ''])
      expect(await ask(wanted, id)).toBe('INVALID')
    expect(await ask(wanted, '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('PEND-APPROVAL')
  })

  test('A request that could not be approved now is refused at once and stores nothing', async () => {
    await onboard(hub, 'nowbank')
    const participantId = 'nowbank'
    const accountId = await accountOf(participantId, 'SETTLEMENT')
    const funds = { participantId, accountId, currency: 'USD', externalReference: '', reason: '' }
    const id = randomUUID()
    const large = { ...funds, direction: 'WITHDRAWAL', amount: '1001' }
    expect(await ask({ manageFunds: large }, id)).toBe('COVER_SHORT')
    expect(await ask(stateOf('nowbank', 'DORMANT'))).toBe('STATE_UNKNOWN')
    expect(await ask(stateOf('nobody', 'ACTIVE'))).toBe('PARTICIPANT_UNKNOWN')
    expect(await ask({})).toBe('INVALID')
    const { entries } = await hub.ledger.GetLedgerEntries({ ids: [id] })
    expect(entries).toEqual([])
  })

  test('A request is checked again at its approval, and stays pending when it is refused', async () => {
    await onboard(hub, 'latebank')
    const participantId = 'latebank'
    const accountId = await accountOf(participantId, 'SETTLEMENT')
    const funds = { participantId, accountId, currency: 'USD', externalReference: '', reason: '' }
    const id = randomUUID()
    await ask({ manageFunds: { ...funds, direction: 'WITHDRAWAL', amount: '700' } }, id)
    const item = prepareItem({ payerFsp: 'latebank', amount: '400' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['RESERVED'])
    expect(await decide(id)).toBe('COVER_SHORT')
    expect(await valueOf(hub, 'latebank', 'SETTLEMENT')).toBe('-1000')
    await changed({ manageFunds: { ...funds, direction: 'DEPOSIT', amount: '100' } })
    expect(await decide(id)).toBe('APPROVED')
    expect(await valueOf(hub, 'latebank', 'SETTLEMENT')).toBe('-400')
  })

  test('Requests are listed by type and state, in pages', async () => {
    const query = { type: 'CreateParticipant', state: '', cursor: '', limit: 1 }
    const seen: string[] = []
    for (const name of ['listbank-1', 'listbank-2']) await ask(creation(name))
    for (let cursor = ''; ;) {
      const page = await lifecycle.ListChanges({ ...query, state: 'PEND-APPROVAL', cursor })
      seen.push(...page.changes.map(({ change }) => change?.createParticipant?.name ?? ''))
      if (page.cursor === '') break
      ;({ cursor } = page)
    }
    expect(seen).toEqual(['listbank-2', 'listbank-1'])
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
    const type = 'NET_DEBIT_CAP'
    await changed({ updateAccountLimit: { participantId, accountId, type, value: '70' } })
    await changed({ updateAccountThreshold: { participantId, accountId, alarmPercentage: '20' } })
    const position = async () =>
      (await infoOf(participantId))?.accounts.find(({ id }) => id === accountId)
    expect((await position())?.limit).toMatchObject({ value: '70', alarmPercentage: '20' })
    await changed({ updateAccountStatus: { participantId, accountId, isActive: false } })
    expect((await position())?.isActive).toBe(false)
    const unknown = { participantId, accountId: 999_999, isActive: true }
    expect(await ask({ updateAccountStatus: unknown })).toBe('ACCOUNT_UNKNOWN')
  })

  test('A further account can be added once per type and currency', async () => {
    hub.models.push({
      ...(hub.models[0] ?? ({} as never)),
      id: 2,
      name: 'FEES',
      ledgerAccountType: 'INTERCHANGE_FEE',
      settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
    })
    await hub.participants.GetParticipantInfo({ names: [] })
    const account = {
      participantId: 'bluewallet',
      ledgerAccountType: 'INTERCHANGE_FEE',
      currency: 'USD',
      limit: '',
      alarmPercentage: '',
    }
    expect(await changed({ addParticipantAccount: account })).toBe('APPROVED')
    expect(await ask({ addParticipantAccount: account })).toBe('ACCOUNT_EXISTS')
    const wrong = { ...account, ledgerAccountType: 'HUB_FEE' }
    expect(await ask({ addParticipantAccount: wrong })).toBe('ACCOUNT_TYPE_WRONG')
    hub.models.pop()
  })

  test('A part of the cover can be excluded', async () => {
    await onboard(hub, 'keepbank')
    const participantId = 'keepbank'
    const exclusion = { participantId, currency: 'USD', mode: 'PERCENT', value: '50' }
    expect(await changed({ reserveLiquidityCover: exclusion })).toBe('APPROVED')
    const item = prepareItem({ payerFsp: 'keepbank', amount: '501' })
    expect(wordsOf(await prepare(hub, item))).toEqual(['REFUSED COVER_SHORT'])
  })

  test('Endpoints can be changed if they accept a connection', async () => {
    await onboard(hub, 'callbank')
    const participantId = 'callbank'
    const server = await listening()
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const type = 'FSPIOP_CALLBACK_URL_TRANSFER_POST'
    const value = `http://127.0.0.1:${port}/transfers`
    expect(
      await changed({ updateEndpoints: { participantId, endpoints: [{ type, value }] } }),
    ).toBe('APPROVED')
    await closed(server)
    const gone = { type, value: `${value}/{{transferId}}` }
    const mail = { type: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL', value: 'ops@callbank.example' }
    expect(await changed({ updateEndpoints: { participantId, endpoints: [gone, mail] } })).toBe(
      'ENDPOINT_UNREACHABLE',
    )
    expect(await changed({ updateEndpoints: { participantId, endpoints: [mail] } })).toBe(
      'APPROVED',
    )
    expect((await infoOf(participantId))?.endpoints).toEqual([{ type, value }, mail])
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
