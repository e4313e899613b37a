/** A participant with all its data, on which decisions about it are made. */
import type { AccountType } from '@causeway/ledger/domain'
import type { ParticipantType } from '@causeway/protos'

/** Ten-thousandths; the percentage too. */
export interface Limit {
  readonly value: bigint
  readonly alarmPercentage: bigint
}

export interface ParticipantAccount {
  readonly id: number
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  readonly createdAt: Date
  readonly createdBy: string
  /** The active NET_DEBIT_CAP of a POSITION account; null before the first one. */
  readonly limit: Limit | null
}

export interface Endpoint {
  readonly type: string
  readonly value: string
}

export interface Participant {
  readonly id: number
  readonly name: string
  readonly isHub: boolean
  readonly type: ParticipantType
  /** One of the scheme's states. */
  readonly state: string
  /** Whether the state permits transfers. */
  readonly isActive: boolean
  /** Grows by one with every change that is announced. */
  readonly version: number
  readonly createdAt: Date
  readonly createdBy: string
  readonly accounts: readonly ParticipantAccount[]
  readonly endpoints: readonly Endpoint[]
}

export type HubAccountType = 'HUB_RECONCILIATION' | 'HUB_MULTILATERAL_SETTLEMENT'

export const hubAccountTypes: readonly string[] = [
  'HUB_RECONCILIATION',
  'HUB_MULTILATERAL_SETTLEMENT',
] satisfies HubAccountType[]

/** The contra account of initial positions, visible only to the ledger. */
export const openingBalance = 'HUB_OPENING_BALANCE' satisfies AccountType

/** Only DFSPs and the hub have accounts. */
export function hasAccounts({ type }: Pick<Participant, 'type'>): boolean {
  return type === 'DFSP' || type === 'HUB'
}

export function accountIn(
  { accounts }: Participant,
  type: string,
  currency: string,
): ParticipantAccount | undefined {
  return accounts.find((account) => account.type === type && account.currency === currency)
}
