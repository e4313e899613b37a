/** Every kind of change that two persons make, from its request to its decision, over HTTP. */
import { randomUUID } from 'node:crypto'
import { schemaOf } from '@causeway/runtime'
import * as authService from '@causeway/auth-service'
import * as config from '@causeway/config'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { statement } from '@causeway/postgres'
import * as quoting from '@causeway/quoting'
import type { ApprovalKind } from '@causeway/protos'
import { approvalKinds } from '@causeway/services'
import * as settlements from '@causeway/settlements'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accountOf, deferredNet, onboard, openScheme } from '../testing/scheme.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

type Request = readonly [method: 'POST' | 'PUT', path: string, body: object]

/** The call of the maker; operations, which are any other call, are tested with four eyes for all. */
type OwnKind = Exclude<ApprovalKind, 'Operation'>

let admin: AdminWorld
let position: number
let settlement: number
const month = '2024-03'

beforeAll(async () => {
  admin = await openWorld([authService, config, participantLifecycle, settlements, quoting], {
    SCHEME_RULES_FOUR_EYES: 'on',
    EGRESS_HTTP: 'accepted',
  })
  await openScheme(admin)
  await admin.call('POST', '/settlementModels', {
    ...deferredNet,
    name: 'OPENNET',
    currency: 'EUR',
    requireLiquidityCheck: false,
  })
  await onboard(admin, 'greenbank')
  for (const type of ['HUB_MULTILATERAL_SETTLEMENT', 'HUB_RECONCILIATION']) {
    await admin.call('POST', '/participants/Hub/accounts', { currency: 'EUR', type })
  }
  position = (await accountOf(admin, 'greenbank', 'POSITION')).id
  settlement = (await accountOf(admin, 'greenbank', 'SETTLEMENT')).id
  const component = { boundedContextId: 'billing', schemaVersion: '1.0.0' }
  const rate = { name: 'RATE', type: 'INT_NUMBER', description: 'a rate', defaultValue: 1 }
  await admin.call('POST', '/config/schemas', { ...component, parameters: [rate] }, by('billing'))
  const keys = [{ name: 'TOKEN', description: 'a token' }]
  const secrets = { boundedContextId: 'billing', version: '1.0.0', keys }
  await admin.call('POST', '/config/secrets', secrets, by('billing'))
  await oldMonth()
})

afterAll(() => admin.stop())

const by = (operator: string) => ({ 'x-operator': operator })

/** As if messages of that month had been encrypted. */
async function oldMonth(): Promise<void> {
  const db = await admin.parts.openDatabase({
    url: '',
    ...schemaOf('auth-service'),
    connections_max: 1,
  })
  const insert = statement(`insert into month_keys (month, sealed, created_at)
    values (to_date($1, 'YYYY-MM'), '\\x00', now())`)
  await db.query(insert, [month])
  await db.close()
}

const participant = { participantId: 'greenbank' }

const requests: Readonly<Record<OwnKind, () => Request>> = {
  CreateParticipant: () => ['POST', '/CreateParticipant', { name: 'bluewallet', type: 'PISP' }],
  ManageFunds: () => [
    'POST',
    '/ManageFunds',
    {
      ...participant,
      accountId: settlement,
      direction: 'DEPOSIT',
      amount: { amount: '10', currency: 'USD' },
      externalReference: 'slip 1',
      reason: 'a deposit',
    },
  ],
  ReserveLiquidityCover: () => [
    'POST',
    '/ReserveLiquidityCover',
    { ...participant, currency: 'USD', mode: 'AMOUNT', value: '0' },
  ],
  UpdateParticipantState: () => [
    'POST',
    '/UpdateParticipantState',
    { ...participant, newState: 'SUSPENDED', reason: 'a check' },
  ],
  AddParticipantAccount: () => [
    'POST',
    '/AddParticipantAccount',
    { ...participant, ledgerAccountType: 'POSITION', currency: 'EUR', limit: '100' },
  ],
  UpdateAccountStatus: () => [
    'POST',
    '/UpdateAccountStatus',
    { ...participant, accountId: position, isActive: false },
  ],
  UpdateAccountLimit: () => [
    'POST',
    '/UpdateAccountLimit',
    { ...participant, accountId: position, value: '900' },
  ],
  UpdateAccountThreshold: () => [
    'POST',
    '/UpdateAccountThreshold',
    { ...participant, accountId: position, alarmPercentage: '20' },
  ],
  UpdateEndpoints: () => [
    'POST',
    '/UpdateEndpoints',
    {
      ...participant,
      endpoints: [{ type: 'FSPIOP_CALLBACK_URL', value: 'https://other.greenbank.example' }],
    },
  ],
  UpdateLiquidityCheck: () => [
    'POST',
    '/UpdateLiquidityCheck',
    { settlementModel: 'OPENNET', requireLiquidityCheck: true, reason: 'a scheme of members' },
  ],
  ConfigurationValues: () => [
    'POST',
    '/config/schemas/billing',
    { schemaVersion: '1.0.0', iterationNumber: 0, newValues: [{ name: 'RATE', value: 2 }] },
  ],
  SecretValues: () => [
    'POST',
    '/config/secrets/billing',
    { newValues: [{ name: 'TOKEN', value: 'a secret text' }] },
  ],
  SchemeRules: () => [
    'PUT',
    '/scheme-rules/large',
    { type: 'AMOUNT', currency: 'USD', max: '5000' },
  ],
  CryptoAdapter: () => ['POST', '/crypto-adapter-set', { adapter: 'NODE' }],
  MonthErasure: () => ['POST', '/CreateMonthErasure', { month }],
  PersonErasure: () => [
    'POST',
    '/CreatePersonErasure',
    { partyIdType: 'MSISDN', partyIdentifier: '15551234567' },
  ],
}

interface Shown {
  readonly requestId: string
  readonly type: string
  readonly state: string
  readonly decide: string
}

async function pending(): Promise<readonly Shown[]> {
  const { json } = await admin.call('GET', '/GetPendingApprovals')
  return (json as { readonly requests: readonly Shown[] }).requests
}

/** The code of the error, or the state of the request. */
async function decided(kind: OwnKind, person: string, decision: string, requestId: string) {
  const path = `/${approvalKinds[kind].decide}`
  const { json } = await admin.call('POST', path, { requestId, decision }, by(person))
  const { errorInformation, state } = json as {
    readonly errorInformation?: { readonly errorDescription: string }
    readonly state?: string
  }
  return errorInformation?.errorDescription ?? state
}

const kinds = (Object.keys(requests) as readonly OwnKind[]).filter(
  // New keys are made there already.
  (kind) => kind !== 'CryptoAdapter',
)

test.each(kinds)(
  'A request %s is listed once, not decided by its maker, and rejected',
  async (kind) => {
    const [method, path, body] = requests[kind]()
    const { status, json } = await admin.call(method, path, body, by('ada'))
    expect([status, json]).toMatchObject([202, { type: kind, state: 'PEND-APPROVAL' }])
    const { requestId } = json as Shown
    const { decide } = approvalKinds[kind]
    expect(await pending()).toMatchObject([{ requestId, type: kind, decide, createdBy: 'ada' }])
    expect(JSON.stringify(await pending())).not.toMatch(/a secret text|15551234567/)
    for (const decision of ['APPROVE', 'REJECT']) {
      expect(await decided(kind, 'ada', decision, requestId)).toMatch(/another person must decide/)
    }
    expect(await decided(kind, 'grace', 'REJECT', requestId)).toBe('REJECTED')
    expect(await decided(kind, 'grace', 'APPROVE', requestId)).toMatch(/is REJECTED/)
    expect(await pending()).toEqual([])
  },
)

test.each(kinds)('A request %s is approved by another person, once', async (kind) => {
  const [method, path, body] = requests[kind]()
  const { json } = await admin.call(method, path, body, by('ada'))
  const { requestId } = json as Shown
  // The address of the example answers nothing.
  if (kind === 'UpdateEndpoints') return
  expect(await decided(kind, 'grace', 'APPROVE', requestId)).toBe('APPROVED')
  expect(await decided(kind, 'grace', 'APPROVE', requestId)).toBe('APPROVED')
  expect(await decided(kind, 'joan', 'APPROVE', requestId)).toMatch(/is APPROVED/)
})

test('Each call that decides knows its own kinds alone', async () => {
  const { json } = await admin.call('POST', '/CreatePersonErasure', {
    partyIdType: 'MSISDN',
    partyIdentifier: '15551234567',
  })
  const { requestId } = json as Shown
  for (const kind of kinds) {
    if (approvalKinds[kind].decide === 'ApproveErasure') continue
    expect(await decided(kind, 'grace', 'APPROVE', requestId)).toMatch(/there is no request/)
  }
  expect(await decided('PersonErasure', 'grace', 'APPROVE', randomUUID())).toMatch(/there is no/)
})
