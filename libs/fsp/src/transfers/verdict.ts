/**
 * What a message means for a payer FSP's transfer. Only a proven or explicit outcome is final: a
 * fault of the hub or of the network proves nothing about the money.
 */
import {
  type ErrorInformation,
  errorInformation,
  fulfils,
  type PutTransfersAnswer,
} from '@causeway/fspiop'
import { extensionsIn } from '../message.ts'

export type TransferVerdict =
  | {
      readonly state: 'COMMITTED'
      readonly fulfilment: string
      readonly completedTimestamp: string | undefined
      readonly extensions: ReadonlyMap<string, string>
    }
  | { readonly state: 'ABORTED'; readonly error: ErrorInformation }
  | { readonly state: 'OPEN'; readonly error: ErrorInformation | undefined }
  | { readonly state: 'DISBELIEVED'; readonly why: string }

/**
 * For PUT /transfers/{ID}: a commit counts only with the fulfilment of the transfer's condition.
 */
export function verdictOfState(body: PutTransfersAnswer, condition: string): TransferVerdict {
  switch (body.transferState) {
    case 'COMMITTED': {
      const { fulfilment, completedTimestamp } = body
      if (fulfilment === undefined || !fulfils(fulfilment, condition)) {
        return { state: 'DISBELIEVED', why: 'COMMITTED without the fulfilment of the condition' }
      }
      const extensions = extensionsIn(body.extensionList)
      return { state: 'COMMITTED', fulfilment, completedTimestamp, extensions }
    }
    case 'ABORTED':
      return { state: 'ABORTED', error: causeIn(body) }
    default:
      return { state: 'OPEN', error: undefined }
  }
}

/**
 * 1xxx and 2xxx are faults of the network and of servers; 3208 answers a GET that was received
 * early.
 */
export function verdictOfError(error: ErrorInformation): TransferVerdict {
  return /^[12]|^3208$/.test(error.errorCode)
    ? { state: 'OPEN', error }
    : { state: 'ABORTED', error }
}

const causePattern = /^([1-9]\d{3}): (.+)$/s

/** An aborted state carries its error as the extension `cause`: "3303: Transfer expired". */
function causeIn({ extensionList }: PutTransfersAnswer): ErrorInformation {
  const cause = extensionList?.extension.find(({ key }) => key === 'cause')?.value
  const [, errorCode, errorDescription] = causePattern.exec(cause ?? '') ?? []
  return errorCode === undefined || errorDescription === undefined
    ? errorInformation('3000', 'aborted without a cause')
    : { errorCode, errorDescription }
}
