/** Two people with their own tokens change participants over HTTP by each call. */
import { randomUUID } from 'node:crypto'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { operatorsService } from '@causeway/protos'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openWorld, type ApiResponse, type AdminWorld } from '../testing/world.ts'
import { accountOf, deferredNet, onboard, openScheme } from '../testing/scheme.ts'

const services = [authService, participantLifecycle, settlements] as const
const patient = { deadline_ms: 20_000 }

let admin: AdminWorld
/** The administration API with each person's token. */
let root: AdminWorld
let ada: AdminWorld
let grace: AdminWorld

beforeAll(async () => {
  admin = await openWorld(services, { OPERATOR_IDENTITY: 'token' })
  root = await signedIn('root', ['administrator'])
  ada = await signedIn('ada', ['maker'])
  grace = await signedIn('grace', ['maker', 'checker'])
  await openScheme(root)
  await onboard(root, 'greenbank')
}, 120_000)

afterAll(() => admin.stop())

/** A person who has changed the initial password and logged in. */
async function signedIn(name: string, roles: string[]): Promise<AdminWorld> {
  const operators = admin.parts.grpc.client(operatorsService, 'auth-service')
  const made = await operators.CreateOperator(
    { name, kind: 'PERSON', roles, actor: 'test' },
    patient,
  )
  const secret = randomUUID()
  const oldPassword = made.operator?.secret ?? ''
  await operators.ChangePassword({ name, oldPassword, newPassword: secret }, patient)
  const session = await admin.call('POST', '/app-basic-auth', { id: name, secret })
  const { accessToken } = session.json as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}` }
  return { ...admin, call: (method, path, body) => admin.call(method, path, body, headers) }
}

function wordOf({ status, json }: ApiResponse): string {
  const { errorInformation, state } = json as {
    readonly errorInformation?: { readonly errorCode: string }
    readonly state?: string
  }
  return `${status} ${errorInformation?.errorCode ?? state ?? ''}`.trim()
}

async function pending(list: string): Promise<readonly { readonly requestId: string }[]> {
  return (await grace.call('GET', `/${list}`)).json as readonly { readonly requestId: string }[]
}

async function coverAccount(): Promise<number> {
  return (await accountOf(root, 'greenbank', 'SETTLEMENT')).id
}

async function positionAccount(): Promise<number> {
  return (await accountOf(root, 'greenbank', 'POSITION')).id
}

type Row = readonly [
  maker: string,
  list: string,
  checker: string,
  body: () => Promise<Readonly<Record<string, unknown>>>,
]

const participantId = 'greenbank'

const calls: readonly Row[] = [
  [
    'CreateParticipant',
    'GetPendingParticipants',
    'ApproveParticipant',
    () =>
      Promise.resolve({
        name: 'newbank',
        type: 'DFSP',
        currencies: ['USD'],
        accounts: [{ ledgerAccountType: 'POSITION', currency: 'USD', limit: '500' }],
        endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: 'https://newbank.example' }],
      }),
  ],
  [
    'ManageFunds',
    'GetPendingManageFunds',
    'ApproveManageFunds',
    async () => ({
      participantId,
      accountId: await coverAccount(),
      direction: 'DEPOSIT',
      amount: { amount: '1000', currency: 'USD' },
      externalReference: 'bank 1',
      reason: 'liquidity',
    }),
  ],
  [
    'ReserveLiquidityCover',
    'GetPendingLiquidityCoverReservations',
    'ApproveLiquidityCoverReservation',
    () => Promise.resolve({ participantId, currency: 'USD', mode: 'PERCENT', value: 10 }),
  ],
  [
    'UpdateAccountLimit',
    'GetPendingAccountsWithLimitUpdates',
    'ApproveAccountLimitUpdate',
    async () => ({
      participantId,
      accountId: await positionAccount(),
      type: 'NET_DEBIT_CAP',
      value: '700',
    }),
  ],
  [
    'UpdateAccountThreshold',
    'GetPendingAccountsWithThresholdUpdates',
    'ApproveAccountThresholdUpdate',
    async () => ({ participantId, accountId: await positionAccount(), alarmPercentage: 20 }),
  ],
  [
    'UpdateEndpoints',
    'GetPendingEndpointUpdates',
    'ApproveEndpointsUpdate',
    () =>
      Promise.resolve({
        participantId,
        endpoints: [{ type: 'NET_DEBIT_CAP_ADJUSTMENT_EMAIL', value: 'ops@greenbank.example' }],
      }),
  ],
  [
    'UpdateAccountStatus',
    'GetPendingAccountsWithStatusUpdates',
    'ApproveAccountStatusUpdate',
    async () => ({ participantId, accountId: await positionAccount(), isActive: false }),
  ],
  [
    'UpdateParticipantState',
    'GetPendingStateUpdates',
    'ApproveParticipantStateUpdate',
    () => Promise.resolve({ participantId, newState: 'SUSPENDED', reason: 'as agreed' }),
  ],
  [
    'UpdateLiquidityCheck',
    'GetPendingLiquidityCheckUpdates',
    'ApproveLiquidityCheckUpdate',
    async () => {
      const settlementModel = 'OPENNET'
      const open = { ...deferredNet, name: settlementModel, requireLiquidityCheck: false }
      expect((await root.call('POST', '/settlementModels', open)).status).toBe(201)
      return { settlementModel, requireLiquidityCheck: false, reason: 'as agreed' }
    },
  ],
  [
    'AddParticipantAccount',
    'GetPendingParticipantsAccounts',
    'ApproveParticipantAccount',
    () =>
      Promise.resolve({
        participantId: 'Hub',
        ledgerAccountType: 'HUB_RECONCILIATION',
        currency: 'EUR',
      }),
  ],
]

describe('each change', () => {
  test.each(calls)(
    'Each change, %s, is requested, listed in %s, and decided by %s',
    async (...row) => {
      const [maker, list, checker, body] = row
      const requestId = randomUUID()
      const asked = await ada.call('POST', `/${maker}`, { requestId, ...(await body()) })
      expect(wordOf(asked)).toBe('202 PEND-APPROVAL')
      expect(asked.json).toMatchObject({ requestId, type: maker, createdBy: 'ada' })
      expect((await pending(list)).map((one) => one.requestId)).toEqual([requestId])
      const verdict = { requestId, decision: 'APPROVE' }
      expect(wordOf(await ada.call('POST', `/${checker}`, verdict))).toBe('403 3000')
      const decided = await grace.call('POST', `/${checker}`, verdict)
      expect(wordOf(decided)).toBe('200 APPROVED')
      expect(decided.json).toMatchObject({ decidedBy: 'grace' })
      expect(await pending(list)).toEqual([])
    },
  )
})

test('One person cannot make and decide the same request', async () => {
  const requestId = randomUUID()
  const body = { requestId, participantId: 'newbank', newState: 'CLOSED', reason: 'gone' }
  expect(wordOf(await grace.call('POST', '/UpdateParticipantState', body))).toBe(
    '202 PEND-APPROVAL',
  )
  const verdict = { requestId, decision: 'APPROVE' }
  expect(wordOf(await grace.call('POST', '/ApproveParticipantStateUpdate', verdict))).toBe(
    '403 3000',
  )
  expect(wordOf(await grace.call('POST', '/ApproveManageFunds', verdict))).toBe('404 3200')
  const rejected = { requestId, decision: 'REJECT', note: 'not yet' }
  expect(wordOf(await root.call('POST', '/ApproveParticipantStateUpdate', rejected))).toBe(
    '200 REJECTED',
  )
  expect(wordOf(await grace.call('POST', '/ApproveParticipantStateUpdate', verdict))).toBe(
    '400 3100',
  )
})

test('A list with more entries names the next page', async () => {
  const names = ['oldbank', 'midbank', 'latebank']
  for (const name of names) await ada.call('POST', '/CreateParticipant', { name, type: 'PISP' })
  const seen: { readonly requestId: string; readonly change: { readonly name: string } }[] = []
  let path: string | undefined = '/GetPendingParticipants?limit=2'
  while (path !== undefined) {
    const { json, headers } = await grace.call('GET', path)
    seen.push(...(json as typeof seen))
    path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(seen.map(({ change }) => change.name)).toEqual(names.toReversed())
  for (const { requestId } of seen) {
    const verdict = { requestId, decision: 'REJECT' }
    expect(wordOf(await grace.call('POST', '/ApproveParticipant', verdict))).toBe('200 REJECTED')
  }
})

test('A refusal names its reason', async () => {
  const funds = {
    participantId: 'newbank',
    accountId: (await accountOf(root, 'newbank', 'SETTLEMENT')).id,
    direction: 'WITHDRAWAL',
    amount: { amount: '1', currency: 'USD' },
    externalReference: 'bank 2',
    reason: 'none there',
  }
  await root.call('PUT', '/participants/newbank', { isActive: true })
  expect(wordOf(await ada.call('POST', '/ManageFunds', funds))).toBe('400 4001')
  const nobody = { participantId: 'nobody', newState: 'ACTIVE', reason: 'who' }
  expect(wordOf(await ada.call('POST', '/UpdateParticipantState', nobody))).toBe('404 3200')
  const empty = { participantId, newState: 'ACTIVE' }
  expect(wordOf(await ada.call('POST', '/UpdateParticipantState', empty))).toBe('400 3102')
})

test('The cover of a participant is shown with its history and its exclusions', async () => {
  const query = 'participantId=greenbank&currency=USD'
  expect((await ada.call('GET', `/GetLiquidityCoverCurrentState?${query}`)).json).toMatchObject({
    liquidity: 1000,
    excluded: 100,
    netDebitCap: 700,
    available: 700,
    withdrawable: 900,
  })
  expect((await ada.call('GET', `/GetLiquidityCoverHistory?${query}`)).json).toMatchObject({
    changes: [{ change: -1000, value: -1000, causeType: 'FUNDS_IN' }],
    cursor: null,
  })
  expect((await ada.call('GET', `/GetReservations?${query}`)).json).toMatchObject([
    { mode: 'PERCENT', value: 10, resolvedAmount: 100 },
  ])
  expect((await ada.call('GET', '/GetParticipantInfo?participantId=greenbank')).json).toMatchObject(
    {
      name: 'greenbank',
      type: 'DFSP',
      state: 'SUSPENDED',
      isActive: 0,
      accounts: [
        { ledgerAccountType: 'POSITION', limit: { value: 700, alarmPercentage: 20 } },
        { ledgerAccountType: 'SETTLEMENT', limit: null },
      ],
    },
  )
})
