/**
 * A requested change. It is stored as JSON with its amounts as canonical decimal strings, so that
 * two requests with equal content are equal.
 */
import type { Refused } from '@causeway/ledger/domain'
import {
  currencyUseFault,
  decimalsFault,
  type DecimalsOf,
} from '../../participants/domain/scheme.ts'

export interface WantedAccount {
  readonly type: string
  readonly currency: string
  /** '' means none. */
  readonly limit: string
  /** '' means the default. */
  readonly alarmPercentage: string
}

export interface WantedEndpoint {
  readonly type: string
  readonly value: string
}

export type Wanted =
  | {
      readonly type: 'CreateParticipant'
      readonly participant: string
      readonly participantType: 'DFSP' | 'PISP'
      readonly currencies: readonly string[]
      readonly accounts: readonly WantedAccount[]
      readonly endpoints: readonly WantedEndpoint[]
    }
  | {
      readonly type: 'ManageFunds'
      readonly participant: string
      readonly accountId: number
      readonly direction: 'DEPOSIT' | 'WITHDRAWAL'
      readonly amount: string
      readonly currency: string
      readonly externalReference: string
      readonly reason: string
    }
  | {
      readonly type: 'ReserveLiquidityCover'
      readonly participant: string
      readonly currency: string
      readonly mode: 'AMOUNT' | 'PERCENT'
      readonly value: string
    }
  | {
      readonly type: 'UpdateParticipantState'
      readonly participant: string
      readonly newState: string
      readonly reason: string
    }
  | ({ readonly type: 'AddParticipantAccount'; readonly participant: string } & {
      readonly account: WantedAccount
    })
  | {
      readonly type: 'UpdateAccountStatus'
      readonly participant: string
      readonly accountId: number
      readonly isActive: boolean
    }
  | {
      readonly type: 'UpdateAccountLimit'
      readonly participant: string
      readonly accountId: number
      readonly value: string
    }
  | {
      readonly type: 'UpdateAccountThreshold'
      readonly participant: string
      readonly accountId: number
      readonly alarmPercentage: string
    }
  | {
      readonly type: 'UpdateEndpoints'
      readonly participant: string
      readonly endpoints: readonly WantedEndpoint[]
    }

export type WantedType = Wanted['type']

/** The checker's operation for each operation of the maker. */
export const checkerCalls = {
  CreateParticipant: 'ApproveParticipant',
  ManageFunds: 'ApproveManageFunds',
  ReserveLiquidityCover: 'ApproveLiquidityCoverReservation',
  UpdateParticipantState: 'ApproveParticipantStateUpdate',
  AddParticipantAccount: 'ApproveParticipantAccount',
  UpdateAccountStatus: 'ApproveAccountStatusUpdate',
  UpdateAccountLimit: 'ApproveAccountLimitUpdate',
  UpdateAccountThreshold: 'ApproveAccountThresholdUpdate',
  UpdateEndpoints: 'ApproveEndpointsUpdate',
} as const satisfies Record<WantedType, string>

/** The currencies whose settlement models affect the change. */
export function currenciesOf(wanted: Wanted): readonly string[] {
  switch (wanted.type) {
    case 'CreateParticipant':
      return [...new Set([...wanted.currencies, ...wanted.accounts.map((one) => one.currency)])]
    case 'AddParticipantAccount':
      return [wanted.account.currency]
    case 'ManageFunds':
      return [wanted.currency]
    default:
      return []
  }
}

/** Why a change does not fit the currencies of the scheme. */
export function schemeFault(decimalsOf: DecimalsOf, wanted: Wanted): Refused | undefined {
  if (wanted.type === 'ManageFunds') {
    return decimalsFault(decimalsOf, wanted.currency, wanted.amount)
  }
  return currenciesOf(wanted)
    .map((currency) => currencyUseFault(decimalsOf, currency))
    .find((fault) => fault !== undefined)
}
