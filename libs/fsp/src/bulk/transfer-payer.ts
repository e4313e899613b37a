/**
 * The payer's side of a bulk transfer: it is posted, the outcome of all items comes as one callback, and
 * after a silence the hub is asked.
 */
import {
  errorBody,
  fulfils,
  type IndividualTransferResult,
  type PutBulkTransfers,
  putBulkTransfers,
} from '@causeway/fspiop'
import { moneyOf } from '../amount.ts'
import { openQuestions } from '../asking.ts'
import { informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type Hear, type Hearing, idOf, type Received } from '../inbound.ts'
import { extensionListOf, extensionsIn, type Outgoing, writeMessage } from '../message.ts'
import { verdictOfError } from '../transfers/verdict.ts'
import type { BulkTransferOrder, BulkTransferResult, BulkTransferWord, ItemEnd } from './order.ts'

export interface BulkPayerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
  /** So long after the expiration the outcome is still waited for. */
  readonly margin_ms: number
}

export interface BulkPayer {
  transfer(order: BulkTransferOrder): Promise<BulkTransferResult>
  readonly hearOutcome: Hear
  readonly hearError: Hear
  close(): void
}

export function openBulkPayer(options: BulkPayerOptions): BulkPayer {
  const { name, hubName, link, silence_ms, margin_ms } = options
  const questions = openQuestions<BulkTransferOrder, BulkTransferWord>(link, silence_ms)

  function askedBy({ source }: Received, id: string): BulkTransferOrder | Hearing {
    const order = questions.open(id)
    if (order === undefined) return 'NOT_MINE'
    return source === hubName || source === order.payeeFsp
      ? order
      : { disbelieved: `${source} has no part in the bulk transfer` }
  }

  return {
    transfer(order) {
      const { bulkTransferId, payeeFsp, expiration } = order
      const route = { from: name, to: payeeFsp }
      return questions.ask({
        key: bulkTransferId,
        request: requestMessage(name, order),
        until_ms: expiration.getTime(),
        reminder: () => writeMessage('GET', `/bulkTransfers/${bulkTransferId}`, route),
        deadline_ms: expiration.getTime() + margin_ms,
        context: order,
      })
    },
    hearOutcome(message) {
      const id = idOf(message)
      const order = askedBy(message, id)
      if (typeof order === 'string' || 'disbelieved' in order) return order
      const reading = bodyOf(putBulkTransfers, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const { bulkTransferState: state } = reading.value
      if (state !== 'COMPLETED' && state !== 'REJECTED') {
        questions.note(id, undefined)
        return 'HEARD'
      }
      const items = itemsOf(order, reading.value)
      if ('disbelieved' in items) return items
      questions.answer(id, { state, items })
      return 'HEARD'
    },
    hearError(message) {
      const id = idOf(message)
      const order = askedBy(message, id)
      if (typeof order === 'string' || 'disbelieved' in order) return order
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const error = informationIn(reading.value)
      const isOpen = error.errorCode === '3210' || verdictOfError(error).state === 'OPEN'
      if (isOpen) questions.note(id, error)
      else questions.answer(id, { state: 'ABORTED', error })
      return 'HEARD'
    },
    close: () => questions.close(),
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
    expiration: expiration.toISOString(),
  })
}

/** A commit counts only with the fulfilment of the item's condition. */
function itemsOf(
  order: BulkTransferOrder,
  { individualTransferResults = [] }: PutBulkTransfers,
): ReadonlyMap<string, ItemEnd> | { readonly disbelieved: string } {
  const results = new Map(individualTransferResults.map((item) => [item.transferId, item]))
  const ends = new Map<string, ItemEnd>()
  for (const { transferId, condition } of order.items) {
    const end = endIn(results.get(transferId), condition)
    if (end === undefined) return { disbelieved: `${transferId} has no fulfilment and no error` }
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
