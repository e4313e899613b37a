/**
 * The callbacks of the events of a bulk transfer. The payee FSP receives the payer FSP's message byte
 * for byte when every item is reserved; everything else is a message of the hub. FSPIOP 6.10.
 */
import type { DomainEvent, EventName, Payload, Relay } from '@causeway/events'
import { renumberedEncryption } from '@causeway/fspiop'
import {
  callbacksOf,
  errorContent,
  versionOf,
  type Callback,
  type CallbackContent,
} from '../callbacks/callback.ts'
import type { CallbackRules } from '../transfers/callbacks.ts'

const { post, put, putError } = callbacksOf('bulkTransfers')

/** Each event that causes callbacks, with its report event. */
export const bulkTransferReports = {
  BulkTransferPrepared: 'BulkTransferPrepareCallbackReport',
  BulkTransferPrepareRefused: 'BulkTransferPrepareRefusedCallbackReport',
  BulkTransferCompleted: 'BulkTransferCompletedCallbackReport',
  BulkTransferRejected: 'BulkTransferRejectedCallbackReport',
  BulkTransferQueryResponse: 'BulkTransferQueryResponseCallbackReport',
} as const satisfies Partial<Record<EventName, EventName>>

export type BulkTransferCallbackEvent = DomainEvent<keyof typeof bulkTransferReports>

export function bulkTransferCallbacks(
  event: BulkTransferCallbackEvent,
  rules: CallbackRules,
): readonly Callback[] {
  switch (event.name) {
    case 'BulkTransferPrepared':
      return [prepared(event.payload, event.relay)]
    case 'BulkTransferPrepareRefused':
      return [refused(event.payload)]
    case 'BulkTransferCompleted':
      return ended(event.payload, 'COMPLETED', rules)
    case 'BulkTransferRejected':
      return ended(event.payload, 'REJECTED', rules)
    case 'BulkTransferQueryResponse':
      return [answered(event.payload)]
  }
}

function prepared(payload: Payload<'BulkTransferPrepared'>, relay: Relay | undefined): Callback {
  const { bulkTransferId, payeeFsp, expiration, leftOut } = payload
  if (relay === undefined) throw new Error(`${bulkTransferId} has no message for the payee FSP`)
  return post({
    role: 'PAYEE',
    fspId: payeeFsp,
    id: bulkTransferId,
    content: leftOut.length === 0 ? { type: 'RELAYED', relay } : withoutItems(payload, relay),
    deadline: expiration,
  })
}

const list = 'individualTransfers'

/** The payer FSP's message without the items that are not reserved, as a message of the hub. */
function withoutItems(
  { leftOut, version }: Payload<'BulkTransferPrepared'>,
  { body, headers }: Relay,
): CallbackContent {
  const request = JSON.parse(body.toString('utf8')) as { readonly [list]: readonly object[] }
  const missing = new Set(leftOut)
  const positions = request[list].map((_item, at) => at).filter((at) => !missing.has(at))
  const encryption = renumberedEncryption(encryptionIn(headers), list, positions, true)
  return {
    type: 'CREATED',
    version: versionOf('bulkTransfers', version),
    body: { ...request, [list]: request[list].filter((_item, at) => !missing.has(at)) },
    ...(encryption === undefined ? {} : { encryption }),
  }
}

function encryptionIn(headers: Buffer | undefined): string | undefined {
  if (headers === undefined) return undefined
  const all = JSON.parse(headers.toString('utf8')) as Readonly<Record<string, unknown>>
  const header = all['fspiop-encryption']
  return typeof header === 'string' ? header : undefined
}

function refused({
  bulkTransferId,
  requesterFspId,
  version,
  errorInformation,
}: Payload<'BulkTransferPrepareRefused'>): Callback {
  const content = errorContent('bulkTransfers', errorInformation, version)
  return putError({ role: 'PAYER', fspId: requesterFspId, id: bulkTransferId, content })
}

type BulkEndPayload = Payload<'BulkTransferCompleted'> | Payload<'BulkTransferRejected'>

/** The payer FSP receives a result for each item, the payee FSP for each item that it was sent. */
function ended(
  payload: BulkEndPayload,
  bulkTransferState: 'COMPLETED' | 'REJECTED',
  { notifyPayeeOnTimeout }: CallbackRules,
): readonly Callback[] {
  const { bulkTransferId, payerFsp, payeeFsp, payerVersion, completedTimestamp, payee } = payload
  const { individualTransferResults: results } = payload
  const payer = { role: 'PAYER', fspId: payerFsp, id: bulkTransferId } as const
  const error = 'errorInformation' in payload ? payload.errorInformation : undefined
  const toPayer =
    error === undefined
      ? put({
          ...payer,
          content: {
            type: 'CREATED',
            version: versionOf('bulkTransfers', payerVersion),
            body: {
              completedTimestamp,
              individualTransferResults: results,
              bulkTransferState,
            },
          },
        })
      : putError({ ...payer, content: errorContent('bulkTransfers', error, payerVersion) })
  // A payee FSP that never answered is notified under the same rule as for a single transfer.
  if (payee === undefined || (!payee.hasSpoken && !notifyPayeeOnTimeout)) return [toPayer]
  const missing = new Set(payee.leftOut)
  const body = {
    completedTimestamp,
    individualTransferResults: results.filter((_result, at) => !missing.has(at)),
    bulkTransferState,
  }
  const version = versionOf('bulkTransfers', payee.version)
  const content = { type: 'CREATED', version, body } as const
  return [toPayer, put({ role: 'PAYEE', fspId: payeeFsp, id: bulkTransferId, content })]
}

function answered(payload: Payload<'BulkTransferQueryResponse'>): Callback {
  const { bulkTransferId, requesterFspId: fspId, legRole: role, version } = payload
  const { errorInformation, bulkTransferState, completedTimestamp } = payload
  const { individualTransferResults } = payload
  const to = { role, fspId, id: bulkTransferId } as const
  if (errorInformation !== undefined) {
    return putError({ ...to, content: errorContent('bulkTransfers', errorInformation, version) })
  }
  const body = {
    ...(completedTimestamp === undefined ? {} : { completedTimestamp }),
    ...(individualTransferResults === undefined ? {} : { individualTransferResults }),
    bulkTransferState,
  }
  return put({
    ...to,
    content: { type: 'CREATED', version: versionOf('bulkTransfers', version), body },
  })
}
