/**
 * The payer's side of a bulk transfer: sends it, receives the outcome of all items as one callback, and
 * asks the hub when no callback arrives.
 */
import {
  errorBody,
  fulfils,
  type IndividualTransferResult,
  type PutBulkTransfers,
  putBulkTransfers,
  writeDateTime,
} from '@causeway/fspiop'
import { moneyOf } from '../amount.ts'
import { openPendingRequests } from '../pending-requests.ts'
import { informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type InboundHandler, type HandlerResult, idOf, type Received } from '../inbound.ts'
import { extensionListOf, extensionsIn, type Outgoing, writeMessage } from '../message.ts'
import { verdictOfError } from '../transfers/verdict.ts'
import type {
  BulkTransferOrder,
  BulkTransferResult,
  BulkTransferOutcome,
  ItemEnd,
} from './order.ts'

export interface BulkPayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
  /** How long after the expiration the outcome is still awaited. */
  readonly margin_ms: number
}

export interface BulkPayer {
  transfer(order: BulkTransferOrder): Promise<BulkTransferResult>
  readonly handleOutcome: InboundHandler
  readonly handleError: InboundHandler
  close(): void
}

export function openBulkPayer(options: BulkPayerOptions): BulkPayer {
  const { name, hubName, link, resendAfter_ms, margin_ms } = options
  const pending = openPendingRequests<BulkTransferOrder, BulkTransferOutcome>(link, resendAfter_ms)

  function askedBy({ source }: Received, id: string): BulkTransferOrder | HandlerResult {
    const order = pending.contextOf(id)
    if (order === undefined) return 'NOT_MINE'
    return source === hubName || source === order.payeeFsp
      ? order
      : { rejected: `${source} is not a party to the bulk transfer` }
  }

  return {
    transfer(order) {
      const { bulkTransferId, payeeFsp, expiration } = order
      const route = { from: name, to: payeeFsp }
      return pending.send({
        key: bulkTransferId,
        request: requestMessage(name, order),
        until_ms: expiration.getTime(),
        reminder: () => writeMessage('GET', `/bulkTransfers/${bulkTransferId}`, route),
        deadline_ms: expiration.getTime() + margin_ms,
        context: order,
      })
    },
    handleOutcome(message) {
      const id = idOf(message)
      const order = askedBy(message, id)
      if (typeof order === 'string' || 'rejected' in order) return order
      const reading = bodyOf(putBulkTransfers, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { bulkTransferState: state } = reading.value
      if (state !== 'COMPLETED' && state !== 'REJECTED') {
        pending.noteError(id, undefined)
        return 'HANDLED'
      }
      const items = itemsOf(order, reading.value)
      if ('rejected' in items) return items
      pending.answer(id, { state, items })
      return 'HANDLED'
    },
    handleError(message) {
      const id = idOf(message)
      const order = askedBy(message, id)
      if (typeof order === 'string' || 'rejected' in order) return order
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { rejected: reading.detail }
      const error = informationIn(reading.value)
      const isOpen = error.errorCode === '3210' || verdictOfError(error).state === 'OPEN'
      if (isOpen) pending.noteError(id, error)
      else pending.answer(id, { state: 'ABORTED', error })
      return 'HANDLED'
    },
    close: () => pending.close(),
  }
}

function requestMessage(
  payerFsp: string,
  { bulkTransferId, bulkQuoteId, payeeFsp, items, expiration }: BulkTransferOrder,
): Outgoing {
  const route = { from: payerFsp, to: payeeFsp }
  return writeMessage('POST', '/bulkTransfers', route, {
    bulkTransferId,
    bulkQuoteId,
    payerFsp,
    payeeFsp,
    individualTransfers: items.map(({ transferId, amount, ilpPacket, condition, extensions }) => ({
      transferId,
      transferAmount: moneyOf(amount),
      ilpPacket,
      condition,
      ...extensionListOf(extensions),
    })),
    expiration: writeDateTime(expiration),
  })
}

/** A commit counts only with the fulfilment of the item's condition. */
function itemsOf(
  order: BulkTransferOrder,
  { individualTransferResults = [] }: PutBulkTransfers,
): ReadonlyMap<string, ItemEnd> | { readonly rejected: string } {
  const results = new Map(individualTransferResults.map((item) => [item.transferId, item]))
  const ends = new Map<string, ItemEnd>()
  for (const { transferId, condition } of order.items) {
    const end = endIn(results.get(transferId), condition)
    if (end === undefined) return { rejected: `${transferId} has no fulfilment and no error` }
    ends.set(transferId, end)
  }
  return ends
}

function endIn(
  result: IndividualTransferResult | undefined,
  condition: string,
): ItemEnd | undefined {
  if (result?.errorInformation !== undefined) {
    const error = informationIn({ errorInformation: result.errorInformation })
    return { state: 'ABORTED', error }
  }
  if (result?.fulfilment === undefined) return undefined
  const { fulfilment, extensionList } = result
  return fulfils(fulfilment, condition)
    ? { state: 'COMMITTED', fulfilment, extensions: extensionsIn(extensionList) }
    : undefined
}
