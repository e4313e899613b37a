/** Messages about bulks, as the FSPIOP API has them, and what callbacks say. */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type { HttpRequest } from '@causeway/http'
import { chance, now_ms } from '../virtual/world.ts'
import type { BulkRecord } from './bulks.ts'
import { extended, isSameList, listOf } from './plan/lists.ts'
import { fulfilmentOf, messageOf, priceOf, refusedByPayee, termsOfItem } from './messages.ts'
import type { PlannedBulk } from './plan/plan.ts'

/** Of each item of a bulk. */
export const itemAmount = '0.5'

interface Result {
  readonly transferId: string
  readonly fulfilment?: string
  readonly errorInformation?: ErrorInformation
  readonly extensionList?: ExtensionList
}

/** How a bulk has ended for an FSP: the results in the order of the request, or refused as a whole. */
export type BulkOutcome = readonly Result[] | 'REFUSED'

interface RequestedItem {
  readonly transferId: string
  readonly extensionList?: ExtensionList
}

export interface BulkContent {
  readonly bulkTransferId?: string
  readonly bulkTransferState?: string
  readonly errorInformation?: ErrorInformation
  readonly individualTransfers?: readonly RequestedItem[]
  readonly individualTransferResults?: readonly Result[]
}

export function contentOf({ body }: HttpRequest): BulkContent {
  return JSON.parse(body?.toString() ?? '{}') as BulkContent
}

/** Undefined: it says nothing about the end. */
export function outcomeIn(content: BulkContent): BulkOutcome | undefined {
  if (content.errorInformation !== undefined) return 'REFUSED'
  const { bulkTransferState: state, individualTransferResults: results = [] } = content
  return state === 'COMPLETED' || state === 'REJECTED' ? results : undefined
}

export function bulkOf(
  { id, planned, requested, itemIds, expires_ms }: BulkRecord,
  bulkQuoteId: string,
): HttpRequest {
  const { payer, payee, currency, lists } = planned
  return messageOf('POST', '/bulkTransfers', payer, payee, {
    bulkTransferId: id,
    bulkQuoteId,
    payerFsp: payer,
    payeeFsp: payee,
    individualTransfers: requested.map((transferId) => ({
      transferId,
      transferAmount: priceOf(itemAmount, currency),
      ...termsOfItem,
      ...extended(listOf(lists, 'PAYER', itemIds.indexOf(transferId))),
    })),
    expiration: new Date(expires_ms).toISOString(),
  })
}

/** What is wrong with the request that reaches the payee FSP: each id once, with the list of the payer FSP. */
export function requestListsIn(
  { id, itemIds, planned: { lists } }: BulkRecord,
  { individualTransfers = [] }: BulkContent,
): readonly string[] {
  const asked = individualTransfers.map(({ transferId }) => transferId)
  const found = individualTransfers
    .filter(({ transferId, extensionList }) => {
      const list = listOf(lists, 'PAYER', itemIds.indexOf(transferId))
      return !isSameList(extensionList, list)
    })
    .map(({ transferId }) => `the item ${transferId} reached the payee FSP with another list`)
  const isTwice = new Set(asked).size < asked.length
  return isTwice ? [...found, `the bulk ${id} reached the payee FSP with an id twice`] : found
}

/** Of which ids the payee FSP speaks in each of its messages; the last one may repeat all of them. */
export function partsOf(
  { parts, speaks }: PlannedBulk,
  ids: readonly string[],
): readonly (readonly string[])[] {
  if (speaks === 'REJECT') return [ids]
  const size = Math.max(1, Math.ceil(ids.length / (parts + 1)))
  const all = Array.from({ length: parts + 1 }, (_, at) => ids.slice(at * size, (at + 1) * size))
  if (speaks === 'PARTLY') return all.slice(0, Math.max(1, parts))
  return chance().happens(0.5) ? all : [...all.slice(0, -1), ids]
}

/** Its number among the items decides about the list of a result. */
export function resultOf(
  { planned: { items, lists }, itemIds }: BulkRecord,
  transferId: string,
): Result {
  const n = itemIds.indexOf(transferId)
  const item = items[n] ?? 'REJECT'
  const list = extended(listOf(lists, 'PAYEE', n))
  if (item === 'REJECT') return { transferId, errorInformation: { ...refusedByPayee, ...list } }
  return { transferId, fulfilment: fulfilmentOf(item), ...list }
}

export function answerOfBulk(
  record: BulkRecord,
  names: readonly string[],
  bulkTransferState: 'PROCESSING' | 'COMPLETED',
): HttpRequest {
  const { payer, payee } = record.planned
  return messageOf('PUT', `/bulkTransfers/${record.id}`, payee, payer, {
    completedTimestamp: new Date(now_ms()).toISOString(),
    bulkTransferState,
    individualTransferResults: names.map((transferId) => resultOf(record, transferId)),
  })
}

export function refusalOfBulk({ id, planned: { payer, payee, lists } }: BulkRecord): HttpRequest {
  return messageOf('PUT', `/bulkTransfers/${id}/error`, payee, payer, {
    errorInformation: { ...refusedByPayee, ...extended(listOf(lists, 'PAYEE')) },
  })
}
