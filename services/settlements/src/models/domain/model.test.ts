import { describe, expect, test } from '@jest/globals'
import { changed, decideModel, scheduleOf, type Model, type Proposal } from './model.ts'

const deferredNet: Proposal = {
  name: 'DEFERREDNET',
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  autoPositionReset: true,
}
const gross = { granularity: 'GROSS', interchange: 'BILATERAL', delay: 'IMMEDIATE' } as const
const now = new Date('2026-01-01T12:00:00Z')

type Words = [Proposal['granularity'], Proposal['interchange'], Proposal['delay']]

describe('a settlement model', () => {
  test.each<[...Words, boolean]>([
    ['GROSS', 'BILATERAL', 'IMMEDIATE', true],
    ['GROSS', 'BILATERAL', 'DEFERRED', true],
    ['GROSS', 'MULTILATERAL', 'IMMEDIATE', true],
    ['GROSS', 'MULTILATERAL', 'DEFERRED', true],
    ['NET', 'BILATERAL', 'IMMEDIATE', false],
    ['NET', 'BILATERAL', 'DEFERRED', true],
    ['NET', 'MULTILATERAL', 'IMMEDIATE', false],
    ['NET', 'MULTILATERAL', 'DEFERRED', true],
  ])('%s %s %s is legal: %s', (granularity, interchange, delay, legal) => {
    const decision = decideModel({ ...deferredNet, granularity, interchange, delay }, now)
    if (legal) expect(decision).toMatchObject({ type: 'create' })
    else expect(decision).toMatchObject({ reason: 'MODEL_INVALID' })
  })

  test.each<[Proposal['ledgerAccountType'], string]>([
    ['POSITION', 'SETTLEMENT'],
    ['INTERCHANGE_FEE', 'INTERCHANGE_FEE_SETTLEMENT'],
    ['SETTLEMENT', 'SETTLEMENT'],
  ])('A model of %s accounts settles to %s by default', (ledgerAccountType, type) => {
    expect(decideModel({ ...deferredNet, ledgerAccountType }, now)).toMatchObject({
      draft: { settlementAccountType: type },
    })
    const settlementAccountType = 'INTERCHANGE_FEE_SETTLEMENT'
    expect(
      decideModel({ ...deferredNet, ledgerAccountType, settlementAccountType }, now),
    ).toMatchObject({ draft: { settlementAccountType } })
  })

  test('Positions that are settled at once are settled between the accounts of deposits', () => {
    const settlementAccountType = 'INTERCHANGE_FEE_SETTLEMENT' as const
    const atOnce = { ...deferredNet, ...gross, settlementAccountType }
    expect(decideModel(atOnce, now)).toMatchObject({ reason: 'MODEL_INVALID' })
    expect(decideModel({ ...atOnce, delay: 'DEFERRED' }, now)).toMatchObject({ type: 'create' })
    expect(decideModel({ ...atOnce, settlementAccountType: undefined }, now)).toMatchObject({
      draft: { settlementAccountType: 'SETTLEMENT' },
    })
  })

  test('A model without a currency is the default model', () => {
    expect(decideModel({ ...deferredNet, currency: undefined }, now)).toMatchObject({
      type: 'create',
      draft: { currency: '' },
    })
  })

  test('A model has a fee only in its own currency', () => {
    const fees = {
      ...deferredNet,
      ledgerAccountType: 'INTERCHANGE_FEE',
      interchangeFeePercentage: '0.6',
    } as const
    expect(decideModel(fees, now)).toMatchObject({ draft: { feePercentage: 6_000n } })
    expect(decideModel({ ...fees, currency: undefined }, now)).toMatchObject({
      reason: 'MODEL_INVALID',
    })
  })

  test.each<[string, Partial<Proposal>]>([
    ['INVALID', { name: 'X' }],
    ['INVALID', { name: 'X'.repeat(31) }],
    ['INVALID', { name: 'DEFERRED-NET' }],
    ['INVALID', { currency: 'usd' }],
    ['INVALID', { windowCron: 'at noon' }],
    ['INVALID', { windowCron: '0 0 30 2 *' }],
    ['MODEL_INVALID', { ...gross, windowCron: '0 22 * * *' }],
  ])('A model is refused as %s with %j', (reason, changes) => {
    expect(decideModel({ ...deferredNet, ...changes }, now)).toMatchObject({
      type: 'REFUSE',
      reason,
    })
  })
})

describe('the schedule of a model', () => {
  const asked = { ...deferredNet, windowCron: '0 22 * * *' }
  const decision = decideModel(asked, now)
  if (decision.type === 'REFUSE') throw new Error(decision.detail)
  const model: Model = { id: 1, isActive: true, ...decision.draft }
  const keep = { isActive: true, windowCron: undefined }

  test('A schedule changes only when a change names it', () => {
    expect(changed(model, keep, now)).toBe(model)
    const hourly = { isActive: true, windowCron: '0 * * * *' }
    expect(changed(model, hourly, now)).toEqual({ ...model, windowCron: '0 * * * *' })
    expect(changed(model, { isActive: true, windowCron: 'never' }, now)).toMatchObject({
      reason: 'INVALID',
    })
  })

  test('An inactive model and a removed schedule close no window', () => {
    expect(scheduleOf(model)).toBe('0 22 * * *')
    const off = changed(model, { isActive: false, windowCron: undefined }, now)
    expect(off).toEqual({ ...model, isActive: false })
    expect(scheduleOf({ ...model, isActive: false })).toBe('')
    expect(changed(model, { isActive: true, windowCron: '' }, now)).toEqual({
      ...model,
      windowCron: '',
    })
    expect(scheduleOf({ ...model, windowCron: '' })).toBe('')
    expect(scheduleOf(undefined)).toBe('')
  })
})
