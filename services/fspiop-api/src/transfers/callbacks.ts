/**
 * The callbacks of the events of a transfer. An FSP's own message is relayed byte for byte; everything
 * else is a message of the hub. FSPIOP 6.7.3, 6.7.4, 6.7.5.
 */
import type { DomainEvent, EventName, LegRole, Payload, Relay } from '@causeway/events'
import { causeOf, type ErrorInformation, type Version } from '@causeway/fspiop'
import {
  callbacksOf,
  errorContent,
  versionOf,
  type Callback,
  type CallbackContent,
  type Notice,
} from '../callbacks/callback.ts'

const { post, put, putError } = callbacksOf('transfers')

/** Each event that causes callbacks, with its report event. */
export const transferReports = {
  TransferPrepared: 'TransferPrepareCallbackReport',
  TransferCommittedFulfiled: 'TransferFulfilCommittedCallbackReport',
  TransferRejectRequestProcessed: 'TransferRejectRequestProcessedCallbackReport',
  TransferQueryResponse: 'TransferQueryResponseCallbackReport',
  TransferPrepareRequestTimedout: 'TransferPrepareRequestTimedoutCallbackReport',
  TransferFulfilComitRequestTimedout: 'TransferFulfilCommitRequestTimedoutCallbackReport',
  TransferPrepareDuplicateCheckFailed: 'TransferPrepareDuplicateCheckFailedCallbackReport',
  TransferPrepareLiquidityCheckFailed: 'TransferPrepareLiquidityCheckFailedCallbackReport',
  TransferPrepareInvalidPayerCheckFailed: 'TransferPrepareInvalidPayerCheckFailedCallbackReport',
  TransferPrepareInvalidPayeeCheckFailed: 'TransferPrepareInvalidPayeeCheckFailedCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export type TransferCallbackEvent = DomainEvent<keyof typeof transferReports>

export interface CallbackRules {
  readonly notifyPayeeOnTimeout: boolean
}

export function transferCallbacks(
  event: TransferCallbackEvent,
  rules: CallbackRules,
): readonly Callback[] {
  switch (event.name) {
    case 'TransferPrepared':
      return [prepared(event.payload, event.relay)]
    case 'TransferCommittedFulfiled':
      return committed(event.payload, event.relay)
    case 'TransferRejectRequestProcessed':
      return rejected(event.payload, event.relay)
    case 'TransferQueryResponse':
      return answered(event.payload)
    case 'TransferPrepareRequestTimedout':
      return [payerTimeout(event.payload)]
    case 'TransferFulfilComitRequestTimedout':
      return timedOut(event.payload, rules)
    case 'TransferPrepareDuplicateCheckFailed':
      return [refused(event.payload, 'REQUESTER')]
    case 'TransferPrepareLiquidityCheckFailed':
    case 'TransferPrepareInvalidPayerCheckFailed':
    case 'TransferPrepareInvalidPayeeCheckFailed':
      return [refused(event.payload, 'PAYER')]
  }
}

function prepared(payload: Payload<'TransferPrepared'>, relay: Relay | undefined): Callback {
  if (relay === undefined) throw new Error(`${payload.transferId} has no message for the payee FSP`)
  const { transferId, payeeFsp, expiration } = payload
  const content: CallbackContent = { type: 'RELAYED', relay }
  const toPayee = { role: 'PAYEE', fspId: payeeFsp, id: transferId, content } as const
  return { ...post({ ...toPayee, deadline: expiration }), keepsDestination: true }
}

/** A payee FSP that waits for a PATCH sent RESERVED, which is not relayed to the payer FSP. */
function committed(
  payload: Payload<'TransferCommittedFulfiled'>,
  relay: Relay | undefined,
): readonly Callback[] {
  const { transferId, payerFsp, payeeFsp, fulfilment, completedTimestamp, notifyPayee } = payload
  const { extensionList } = payload
  const version = versionOf('transfers', payload.payerVersion)
  const content: CallbackContent =
    relay !== undefined && !notifyPayee
      ? { type: 'RELAYED', relay }
      : {
          type: 'CREATED',
          version,
          body: {
            fulfilment,
            completedTimestamp,
            transferState: 'COMMITTED',
            ...(extensionList === undefined ? {} : { extensionList }),
          },
        }
  const toPayer = put({ role: 'PAYER', fspId: payerFsp, id: transferId, content })
  if (!notifyPayee) return [toPayer]
  const body = { completedTimestamp, transferState: 'COMMITTED' }
  const payeeVersion = versionOf('transfers', payload.payeeVersion)
  return [toPayer, patch({ role: 'PAYEE', fspId: payeeFsp, id: transferId, body }, payeeVersion)]
}

function rejected(
  payload: Payload<'TransferRejectRequestProcessed'>,
  relay: Relay | undefined,
): readonly Callback[] {
  const { transferId, payerFsp, payeeFsp, errorInformation, completedTimestamp } = payload
  const content: CallbackContent =
    relay === undefined
      ? errorContent('transfers', errorInformation, payload.payerVersion)
      : { type: 'RELAYED', relay }
  const toPayer = putError({ role: 'PAYER', fspId: payerFsp, id: transferId, content })
  const payee = { role: 'PAYEE', fspId: payeeFsp, id: transferId } as const
  const { payeeVersion } = payload
  switch (payload.payeeNotice) {
    case 'NONE':
      return [toPayer]
    case 'ERROR':
      return [
        toPayer,
        putError({ ...payee, content: errorContent('transfers', errorInformation, payeeVersion) }),
      ]
    case 'PATCH':
      return [
        toPayer,
        patchAborted(payee, { errorInformation, completedTimestamp, version: payeeVersion }),
      ]
  }
}

/** FSPIOP 6.7.4: to a payee FSP that sent RESERVED. */
function patchAborted(
  payee: Recipient,
  { errorInformation, completedTimestamp, version }: TransferFailure,
): Callback {
  const extension = [{ key: 'cause', value: causeOf(withoutUndefined(errorInformation)) }]
  const body = { completedTimestamp, transferState: 'ABORTED', extensionList: { extension } }
  return patch({ ...payee, body }, versionOf('transfers', version))
}

interface TransferFailure {
  readonly errorInformation: ErrorInformation
  readonly completedTimestamp: string
  readonly version: string | undefined
}

function answered(payload: Payload<'TransferQueryResponse'>): readonly Callback[] {
  const { transferId, requesterFspId, legRole, notices, transferState, errorInformation } = payload
  const { completedTimestamp, fulfilment, extensionList } = payload
  const to = { role: legRole, fspId: requesterFspId, id: transferId } as const
  const version = versionOf('transfers', payload.version)
  const state = {
    ...(completedTimestamp === undefined ? {} : { completedTimestamp }),
    transferState,
    ...(extensionList === undefined ? {} : { extensionList }),
  }
  return notices.map((notice) => {
    switch (notice) {
      case 'PUT': {
        const body = { ...(fulfilment === undefined ? {} : { fulfilment }), ...state }
        return put({ ...to, content: { type: 'CREATED', version, body } })
      }
      case 'PATCH':
        return patch({ ...to, body: state }, version)
      case 'ERROR': {
        if (errorInformation === undefined)
          throw new Error(`${transferId} has no error for the error callback`)
        return putError({ ...to, content: errorContent('transfers', errorInformation, version) })
      }
    }
  })
}

function payerTimeout(payload: Payload<'TransferPrepareRequestTimedout'>): Callback {
  const { transferId, payerFsp, errorInformation, payerVersion } = payload
  const content = errorContent('transfers', errorInformation, payerVersion)
  return putError({ role: 'PAYER', fspId: payerFsp, id: transferId, content })
}

/**
 * A payee FSP that has answered always receives a callback. One that has not receives it, if the rules
 * say so, in the version of the request.
 */
function timedOut(
  payload: Payload<'TransferFulfilComitRequestTimedout'>,
  { notifyPayeeOnTimeout }: CallbackRules,
): readonly Callback[] {
  const toPayer = payerTimeout(payload)
  const { transferId, payeeFsp, payerVersion, errorInformation, payeeAnswer } = payload
  const payee = { role: 'PAYEE', fspId: payeeFsp, id: transferId } as const
  if (payeeAnswer === undefined) {
    const content = errorContent('transfers', errorInformation, payerVersion)
    return notifyPayeeOnTimeout ? [toPayer, putError({ ...payee, content })] : [toPayer]
  }
  const { version, notices, completedTimestamp } = payeeAnswer
  const toPayee = notices.map((notice) =>
    notice === 'ERROR'
      ? putError({ ...payee, content: errorContent('transfers', errorInformation, version) })
      : patchAborted(payee, { errorInformation, completedTimestamp, version }),
  )
  return [toPayer, ...toPayee]
}

function refused(payload: Payload<'TransferPrepareDuplicateCheckFailed'>, role: LegRole): Callback {
  const { transferId, requesterFspId, errorInformation, version } = payload
  const content = errorContent('transfers', errorInformation, version)
  return putError({ role, fspId: requesterFspId, id: transferId, content })
}

type Recipient = Pick<Notice, 'role' | 'fspId' | 'id'>

function patch({ body, ...to }: Recipient & { readonly body: object }, version: Version): Callback {
  return {
    ...put({ ...to, content: { type: 'CREATED', version, body } }),
    name: `${to.role} PATCH`,
    method: 'PATCH',
    operation: 'PATCH /transfers/{ID}',
  }
}

function withoutUndefined({ errorCode, errorDescription }: ErrorInformation) {
  return { errorCode, errorDescription }
}
