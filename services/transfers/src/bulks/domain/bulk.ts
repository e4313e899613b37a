/**
 * The state of one bulk transfer. Its items are transfers like any other: each has the state that the
 * ledger gave it. The bulk holds their order, the numbers of undecided and open items, and the payee
 * FSP's final message about all of them.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { BulkTransferState, BulkTransferSummaryReason } from '@causeway/protos'
import type { Transfer } from '../../domain/transfer.ts'

/** Written when the id is claimed, never changed. */
export interface BulkRequest {
  readonly bulkTransferId: string
  readonly bulkQuoteId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  /** ISO 8601 UTC. */
  readonly expiresAt: string
  /** SHA-256 of the canonical request, base64url. */
  readonly requestHash: string
  readonly payerVersion: string
  /** The event that claimed the id; the same one again is a redelivery. */
  readonly prepareEventId: string
  /** ISO 8601 UTC. */
  readonly receivedAt: string
  /** In the order of the request, in which they are decided. */
  readonly transferIds: readonly string[]
}

/** Of its items. One whose id is used otherwise is decided and ended from the beginning. */
export interface Counts {
  readonly items: number
  /** The ledger has not decided yet whether it reserves them. */
  readonly undecided: number
  /** Not final. */
  readonly open: number
  readonly committed: number
}

/** The payee FSP's message after which none is taken: an answer for all items, or a refusal. */
export interface LastWord {
  readonly eventId: string
  readonly hash: string
  readonly version: string
  readonly refuses: boolean
  /** Of PUT …/error. */
  readonly error: ErrorInformation | undefined
}

/** Why nothing could be reserved, where that is one reason of the quote, the FSPs or the time. */
export type CommonReason = BulkTransferSummaryReason

/** How it ended. */
export interface BulkEnd {
  readonly state: 'COMPLETED' | 'REJECTED'
  /** ISO 8601 UTC, of the hub. */
  readonly completedTimestamp: string
  /** undefined: each item has its own result, or the payee FSP refused the bulk. */
  readonly reason: CommonReason | undefined
}

export interface Bulk extends BulkRequest {
  readonly counts: Counts
  readonly state: BulkTransferState
  /** Positions of the items that the payee FSP was not asked for; undefined: it was not asked at all. */
  readonly leftOut: readonly number[] | undefined
  readonly lastWord: LastWord | undefined
  /** There exactly when the state is COMPLETED or REJECTED. */
  readonly end: BulkEnd | undefined
}

/** A transfer of the request; undefined: its id belongs to another transfer, or to an item before it. */
export interface BulkItem {
  readonly position: number
  readonly transferId: string
  readonly transfer: Transfer | undefined
}

/** The items in the order of the request, out of the stored transfers that have their ids. */
export function itemsOf(
  { bulkTransferId, transferIds }: Pick<Bulk, 'bulkTransferId' | 'transferIds'>,
  stored: ReadonlyMap<string, Transfer>,
): readonly BulkItem[] {
  const seen = new Set<string>()
  return transferIds.map((transferId, position) => {
    const found = seen.has(transferId) ? undefined : stored.get(transferId)
    seen.add(transferId)
    const transfer = found?.bulkTransferId === bulkTransferId ? found : undefined
    return { position, transferId, transfer }
  })
}

/** The positions of the items that are not reserved at this moment: they are not asked for. */
export function leftOutOf(items: readonly BulkItem[]): readonly number[] {
  return items
    .filter(({ transfer }) => transfer?.state !== 'RESERVED')
    .map(({ position }) => position)
}

/** Whether the payee FSP was asked for the item. */
export function wasAsked({ leftOut }: Pick<Bulk, 'leftOut'>, { position }: BulkItem): boolean {
  return leftOut !== undefined && !leftOut.includes(position)
}

/** The ids that the payee FSP was asked for, each once; the hub alone ends the other items. */
export function askedIds(bulk: Pick<Bulk, 'transferIds' | 'leftOut'>): readonly string[] {
  if (bulk.leftOut === undefined) return []
  const leftOut = new Set(bulk.leftOut)
  const positions = new Map<string, number>()
  for (const [position, transferId] of bulk.transferIds.entries()) {
    if (!positions.has(transferId)) positions.set(transferId, position)
  }
  return [...positions].filter(([, at]) => !leftOut.has(at)).map(([transferId]) => transferId)
}
