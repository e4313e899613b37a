import { describe, expect, test } from '@jest/globals'
import { decideModel, type Proposal } from './model.ts'

const deferredNet: Proposal = {
  name: 'DEFERREDNET',
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'POSITION',
  settlementAccountType: '',
  autoPositionReset: true,
  interchangeFeePercentage: '',
}

describe('a settlement model', () => {
  test.each([
    ['GROSS', 'BILATERAL', 'IMMEDIATE', true],
    ['GROSS', 'BILATERAL', 'DEFERRED', true],
    ['GROSS', 'MULTILATERAL', 'IMMEDIATE', false],
    ['GROSS', 'MULTILATERAL', 'DEFERRED', false],
    ['NET', 'BILATERAL', 'IMMEDIATE', false],
    ['NET', 'BILATERAL', 'DEFERRED', true],
    ['NET', 'MULTILATERAL', 'IMMEDIATE', false],
    ['NET', 'MULTILATERAL', 'DEFERRED', true],
  ])('%s %s %s is legal: %s', (granularity, interchange, delay, legal) => {
    const decision = decideModel({ ...deferredNet, granularity, interchange, delay })
    if (legal) expect(decision).toMatchObject({ type: 'create' })
    else expect(decision).toMatchObject({ refusal: { reason: 'MODEL_INVALID' } })
  })

  test.each([
    ['POSITION', 'SETTLEMENT'],
    ['INTERCHANGE_FEE', 'INTERCHANGE_FEE_SETTLEMENT'],
    ['SETTLEMENT', 'SETTLEMENT'],
  ])('of %s accounts settles to %s unless it says otherwise', (ledgerAccountType, type) => {
    expect(decideModel({ ...deferredNet, ledgerAccountType })).toMatchObject({
      draft: { settlementAccountType: type },
    })
    const settlementAccountType = 'INTERCHANGE_FEE_SETTLEMENT'
    expect(decideModel({ ...deferredNet, ledgerAccountType, settlementAccountType })).toMatchObject(
      { draft: { settlementAccountType } },
    )
  })

  test('without a currency is the default model', () => {
    expect(decideModel({ ...deferredNet, currency: '' })).toMatchObject({
      type: 'create',
      draft: { currency: '' },
    })
  })

  test('has a fee in its own currency alone', () => {
    const fees = {
      ...deferredNet,
      ledgerAccountType: 'INTERCHANGE_FEE',
      interchangeFeePercentage: '0.6',
    }
    expect(decideModel(fees)).toMatchObject({ draft: { feePercentage: 6_000n } })
    expect(decideModel({ ...fees, currency: '' })).toMatchObject({
      refusal: { reason: 'MODEL_INVALID' },
    })
  })

  test.each([
    ['INVALID', { name: 'X' }],
    ['INVALID', { name: 'X'.repeat(31) }],
    ['INVALID', { name: 'DEFERRED-NET' }],
    ['INVALID', { granularity: 'COARSE' }],
    ['INVALID', { interchange: 'TRILATERAL' }],
    ['INVALID', { delay: 'NEVER' }],
    ['INVALID', { currency: 'usd' }],
    ['ACCOUNT_TYPE_UNKNOWN', { ledgerAccountType: 'HUB_RECONCILIATION' }],
    ['ACCOUNT_TYPE_UNKNOWN', { settlementAccountType: 'POSITION' }],
  ])('is refused as %s with %j', (reason, changes) => {
    expect(decideModel({ ...deferredNet, ...changes })).toMatchObject({
      type: 'refuse',
      refusal: { reason },
    })
  })
})
