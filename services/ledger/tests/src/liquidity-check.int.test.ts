/** The check of cover is switched off by two persons alone, for a model that asks for it. */
import {
  type AuditLog,
  collectAudit,
  differencesIn,
  onboard,
  openHubAccounts,
  openWorld,
  patient,
  prepare,
  prepareItem,
  succeeded,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { wordOf } from '@causeway/approvals/testing'
import type { ModelRule } from '@causeway/protos'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld
let audit: AuditLog

/** The model that `prepareItem` names. */
const open: ModelRule = {
  settlementModelId: 1,
  settlementModel: 'OPENNET',
  currency: 'USD',
  isActive: true,
  coverType: 'SETTLEMENT',
  requireLiquidityCheck: false,
  isCheckOff: false,
}

beforeAll(async () => {
  hub = await openWorld()
  audit = await collectAudit(hub)
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank', '600', '0')
  await onboard(hub, 'bluewallet')
  for (const rule of [
    open,
    { ...open, settlementModelId: 2, settlementModel: 'CLOSEDNET', requireLiquidityCheck: true },
  ]) {
    succeeded(await hub.ledger.SetModelRule(rule, patient))
  }
}, 60_000)

afterAll(async () => {
  expect(await differencesIn(hub)).toEqual([])
  await hub.stop()
}, 60_000)

async function ask(settlementModel: string, requireLiquidityCheck: boolean, requestId: string) {
  const content = { settlementModel, requireLiquidityCheck, reason: 'as agreed' }
  return wordOf(await hub.approvals.request('UpdateLiquidityCheck', content, { requestId }))
}

async function decide(requestId: string, actor: string) {
  return wordOf(await hub.approvals.decide('UpdateLiquidityCheck', requestId, { actor }))
}

async function outcomeOf(amount: string): Promise<string | undefined> {
  return wordsOf(await prepare(hub, prepareItem({ amount })))[0]
}

async function isOff(): Promise<boolean | undefined> {
  const { rules } = await hub.ledger.ListModelRules({}, patient)
  return rules.find(({ settlementModel }) => settlementModel === 'OPENNET')?.isCheckOff
}

test('A model that asks for no check is checked until two persons have switched the check off', async () => {
  const id = randomUUID()
  expect(await outcomeOf('1')).toBe('REFUSED COVER_SHORT')
  expect(await ask('OPENNET', false, id)).toBe('PENDING')
  expect(await outcomeOf('1')).toBe('REFUSED COVER_SHORT')
  expect(await decide(id, 'ada')).toBe('SAME_PERSON')
  expect(await outcomeOf('1')).toBe('REFUSED COVER_SHORT')
  expect(await decide(id, 'grace')).toBe('APPROVED')
  expect(await isOff()).toBe(true)
  expect(await outcomeOf('600.0001')).toBe('REFUSED CAP_SHORT')
  expect(await outcomeOf('599')).toBe('RESERVED')
  expect(await outcomeOf('2')).toBe('REFUSED CAP_SHORT')
  const [entry] = await audit.about('settlementModels/OPENNET', 1)
  expect(entry).toMatchObject({
    actionType: 'ApproveLiquidityCheckUpdate',
    before: { coverIsChecked: true },
    after: { coverIsChecked: false },
  })
})

test('A push of the model changes nothing about the check, and another model is still checked', async () => {
  await hub.ledger.SetModelRule({ ...open, isActive: true }, patient)
  expect(await isOff()).toBe(true)
  const items = [prepareItem({ settlementModelId: 2 }), prepareItem({ settlementModelId: 3 })]
  expect(wordsOf(await prepare(hub, ...items))).toEqual([
    'REFUSED COVER_SHORT',
    'REFUSED COVER_SHORT',
  ])
})

test('A restart of the hub changes nothing about the check', async () => {
  hub = await hub.restart()
  expect(await outcomeOf('1')).toBe('RESERVED')
})

test('Two persons switch the check on again, and what was reserved meanwhile stays reserved', async () => {
  const id = randomUUID()
  expect(await ask('OPENNET', true, id)).toBe('PENDING')
  expect(await decide(id, 'grace')).toBe('APPROVED')
  expect(await outcomeOf('0.1')).toBe('REFUSED COVER_SHORT')
  const query = { name: 'greenbank', currency: 'USD' }
  const { balances } = await hub.participants.RequestAccountsPositions(query, patient)
  const position = balances?.accounts.find((one) => one.ledgerAccountType === 'POSITION')
  expect(position).toMatchObject({ value: '600', reservedValue: '600' })
})

test('The check of a model that requires it, or of an unknown one, cannot be switched off', async () => {
  expect(await ask('CLOSEDNET', false, randomUUID())).toBe('INVALID')
  expect(await ask('NOSUCHNET', false, randomUUID())).toBe('MODEL_UNKNOWN')
})

test('A rule that names an account of another kind is refused', async () => {
  const { refusal } = await hub.ledger.SetModelRule({ ...open, coverType: 99 as never }, patient)
  expect(refusal?.reason).toBe('INVALID')
})
