import type { Draft } from '../models/domain/model.ts'

/** A model of interchange fees: 0.6 % of each transfer in USD. */
export const fees: Draft = {
  name: 'FEES',
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  delay: 'DEFERRED',
  currency: 'USD',
  requireLiquidityCheck: true,
  ledgerAccountType: 'INTERCHANGE_FEE',
  settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
  autoPositionReset: true,
  feePercentage: 6_000n,
  windowCron: null,
}
