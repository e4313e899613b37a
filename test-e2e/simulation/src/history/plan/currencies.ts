/**
 * The currencies of the scheme, each with a settlement model of its own kind, and what a payment in each of
 * them moves: written without the code of the hub.
 */

/** USD settles net, later; EUR gross, at once, and has interchange fees; KES gross, later. */
export const currencies = ['USD', 'EUR', 'KES'] as const
export type Currency = (typeof currencies)[number]

/** Models whose payments are settled later, by their names. */
export const models = ['DEFERREDNET', 'FEES', 'GROSSLATER'] as const
export type Model = (typeof models)[number]

/** As an operator creates them; the first ones belong to POSITION accounts. */
const position = { ledgerAccountType: 'POSITION', requireLiquidityCheck: true } as const
export const modelsToCreate = [
  { name: 'GROSSNOW', currency: 'EUR', granularity: 'GROSS', delay: 'IMMEDIATE', ...position },
  { name: 'GROSSLATER', currency: 'KES', granularity: 'GROSS', delay: 'DEFERRED', ...position },
  {
    name: 'FEES',
    currency: 'EUR',
    granularity: 'NET',
    interchange: 'MULTILATERAL',
    delay: 'DEFERRED',
    ledgerAccountType: 'INTERCHANGE_FEE',
    requireLiquidityCheck: false,
    interchangeFeePercentage: '1',
  },
] as const

export type AccountType =
  | 'POSITION'
  | 'SETTLEMENT'
  | 'INTERCHANGE_FEE'
  | 'INTERCHANGE_FEE_SETTLEMENT'

/** The accounts that an FSP has in a currency. */
export function accountTypesOf(currency: Currency): readonly AccountType[] {
  return currency === 'EUR'
    ? ['POSITION', 'SETTLEMENT', 'INTERCHANGE_FEE', 'INTERCHANGE_FEE_SETTLEMENT']
    : ['POSITION', 'SETTLEMENT']
}

interface Debit {
  readonly type: AccountType
  readonly units: bigint
}

/** What the accounts of the payer FSP are debited by a payment, and those of the payee FSP credited. */
export function paid(currency: Currency, units: bigint): readonly Debit[] {
  if (currency !== 'EUR') return [{ type: 'POSITION', units }]
  return [
    { type: 'SETTLEMENT', units },
    { type: 'INTERCHANGE_FEE', units: feeOf(units) },
  ]
}

/** What the accounts of an FSP are debited when its net is settled. */
export function settled(model: string, net: bigint): readonly Debit[] {
  switch (model as Model) {
    case 'DEFERREDNET':
      // FSPs pay each other at their bank.
      return [{ type: 'POSITION', units: -net }]
    case 'FEES':
      return [
        { type: 'INTERCHANGE_FEE', units: -net },
        { type: 'INTERCHANGE_FEE_SETTLEMENT', units: net },
      ]
    case 'GROSSLATER':
      return [
        { type: 'POSITION', units: -net },
        { type: 'SETTLEMENT', units: net },
      ]
  }
}

/** A percent, in ten-thousandths, rounded half up to cents. */
function feeOf(units: bigint): bigint {
  return ((units + 5_000n) / 10_000n) * 100n
}
