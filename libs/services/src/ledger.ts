/** What the ledger learns of a transfer, and why it has ended one: closed sets that services share. */

/** How a transfer is settled; decided when it is allocated. */
export const settlementKinds = ['NET', 'GROSS_IMMEDIATE', 'GROSS_DEFERRED'] as const

/** Why the ledger refuses to reserve, in the order in which it checks. */
export const reserveRefusals = [
  'PAYER_UNKNOWN',
  'PAYEE_UNKNOWN',
  'PAYER_INACTIVE',
  'PAYEE_INACTIVE',
  'PAYER_NO_ACCOUNT',
  'PAYEE_NO_ACCOUNT',
  'EXPIRED',
  'COVER_SHORT',
  'CAP_SHORT',
] as const

/** Why a reservation, or an id that was never reserved, is voided. */
export const voidReasons = [
  'TIMEOUT',
  'REJECTED',
  'INVALID_FULFILMENT',
  'MISDIRECTED_FULFIL',
  'NO_SETTLEMENT_MODEL',
] as const

export type SettlementKind = (typeof settlementKinds)[number]
export type ReserveRefusal = (typeof reserveRefusals)[number]
export type VoidReason = (typeof voidReasons)[number]
