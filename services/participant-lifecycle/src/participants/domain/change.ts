/** What can change about a participant. */
import { refuse } from '@causeway/services'
import type { RefusedChange } from '../../domain/refusal.ts'
import type { Limit } from './participant.ts'

export type ParticipantChange =
  | {
      readonly type: 'OPEN_ACCOUNT'
      readonly accountType: string
      readonly currency: string
      readonly isActive: boolean
      readonly createdBy: string
    }
  | {
      readonly type: 'SET_STATE'
      readonly state: string
      readonly old: string
      readonly isActive: boolean
    }
  | {
      readonly type: 'SET_ACCOUNT_STATUS'
      readonly accountId: number
      readonly currency: string
      readonly isActive: boolean
    }
  | {
      readonly type: 'SET_LIMIT'
      readonly accountId: number
      readonly currency: string
      readonly limit: Limit
      /** Null for the first one. */
      readonly old: Limit | null
    }
  | {
      readonly type: 'SET_ENDPOINT'
      readonly endpointType: string
      readonly value: string
      /** Null for the first one of its type. */
      readonly old: string | null
      readonly createdBy: string
    }

/** An empty list: the requested state is already in place. */
export interface Changed {
  readonly type: 'CHANGE'
  readonly changes: readonly ParticipantChange[]
}

export type Decision = RefusedChange | Changed

export function change(...changes: readonly ParticipantChange[]): Changed {
  return { type: 'CHANGE', changes }
}

/** Of a participant that is neither a DFSP nor the hub. */
export function withoutAccounts({ name, type }: { readonly name: string; readonly type: string }) {
  const what = type === 'PISP' ? 'a PISP' : 'the auth service of the hub'
  return refuse('ACCOUNT_TYPE_WRONG', `${name} is ${what}, which has no accounts`)
}
