/** The state of a movement of funds, in the terms of the administration API. */
import type { FundsMovementState } from '@causeway/protos'
import type { Entry } from '../../domain/entry.ts'
import { fundsTimeout } from '../../domain/withdraw.ts'

export function stateOf({
  outcome,
  reason,
}: Pick<Entry, 'outcome' | 'reason'>): FundsMovementState {
  switch (outcome) {
    case 'RESERVED':
      return 'RESERVED'
    case 'POSTED':
      return 'COMMITTED'
    case 'REFUSED':
      return 'ABORTED_REJECTED'
    case 'VOIDED':
      return reason === fundsTimeout ? 'EXPIRED' : 'ABORTED_REJECTED'
  }
}
