/**
 * The answers to one FSP next to the callbacks that every transfer has: the answer to a
 * question, to a repeated message, or to one that came too late. It changes nothing.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { LegRole, RefusedMessageReason } from '@causeway/protos'
import type { Transfer } from './transfer.ts'

/** PUT: the state; PATCH: the state to a payee FSP that asked with RESERVED; ERROR: PUT …/error. */
export type Notice = 'PUT' | 'PATCH' | 'ERROR'

/** Why the sender gets an error instead of the state, or with it. */
export type AnswerReason = Exclude<RefusedMessageReason, 'NOT_ACCEPTED'>

/** What is shown of the stored transfer. */
export interface Shown {
  readonly transferState: Transfer['state']
  readonly completedTimestamp?: string
  readonly fulfilment?: string
  /** Why it was aborted. */
  readonly cause?: ErrorInformation
}

export interface TransferAnswer {
  readonly type: 'answer'
  readonly legRole: LegRole
  readonly notices: readonly Notice[]
  /** undefined: the receiver learns nothing of the stored transfer. */
  readonly shows: Shown | undefined
  /** There exactly when the notices hold ERROR. */
  readonly error: AnswerReason | ErrorInformation | undefined
}

/** No answer: the sender has one already, or will get it. */
export interface Silence {
  readonly type: 'silence'
}

export const silence: Silence = { type: 'silence' }

export function shownOf(transfer: Transfer): Shown {
  switch (transfer.state) {
    case 'RECEIVED':
    case 'RESERVED':
      return { transferState: transfer.state }
    case 'COMMITTED': {
      const { state, completedTimestamp, fulfilment } = transfer
      return { transferState: state, completedTimestamp, fulfilment }
    }
    case 'ABORTED': {
      const { state, completedTimestamp, error } = transfer
      return { transferState: state, completedTimestamp, cause: error }
    }
  }
}

/** An error and nothing else. */
export function refusal(legRole: LegRole, error: AnswerReason): TransferAnswer {
  return { type: 'answer', legRole, notices: ['ERROR'], shows: undefined, error }
}
