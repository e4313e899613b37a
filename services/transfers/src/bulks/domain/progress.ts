/**
 * Progress of a bulk: each transaction that moves items counts them down, and the one that leaves no item
 * open ends the bulk. So in every committed state the bulk is final exactly when all its items are.
 */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type { AbortReason } from '@causeway/protos'
import { isOpen, type OpenState, type Transfer } from '../../domain/transfer.ts'
import { type Bulk, type BulkEnd, type CommonReason, type Counts, type BulkItem } from './bulk.ts'
import { withinBound } from './extensions.ts'

/** What one transaction has moved of a bulk's items. */
export interface MovedItems {
  readonly bulkTransferId: string
  readonly decided: number
  readonly ended: number
  readonly committed: number
}

/** The steps of the bulks whose items moved, in the order of their ids; `moved` holds their states before. */
export function stepsOf(
  moved: ReadonlyMap<string, OpenState>,
  after: readonly Transfer[],
): readonly MovedItems[] {
  const steps = new Map<string, MovedItems>()
  for (const transfer of after) {
    const { bulkTransferId, transferId, state } = transfer
    const from = moved.get(transferId)
    if (from === undefined || bulkTransferId === undefined) continue
    const step = steps.get(bulkTransferId)
    steps.set(bulkTransferId, {
      bulkTransferId,
      decided: (step?.decided ?? 0) + (from === 'RECEIVED' ? 1 : 0),
      ended: (step?.ended ?? 0) + (isOpen(transfer) ? 0 : 1),
      committed: (step?.committed ?? 0) + (state === 'COMMITTED' ? 1 : 0),
    })
  }
  return [...steps.values()].toSorted((a, b) => (a.bulkTransferId < b.bulkTransferId ? -1 : 1))
}

/** What the statement that counts does. */
export function counted(
  counts: Counts,
  { decided, ended, committed }: Omit<MovedItems, 'bulkTransferId'>,
): Counts {
  return {
    items: counts.items,
    undecided: counts.undecided - decided,
    open: counts.open - ended,
    committed: counts.committed + committed,
  }
}

/**
 * How a bulk ends of which no item is open any more. FSPIOP 6.10.4: COMPLETED when something was paid,
 * or when time ran out before anybody refused; REJECTED when the payee FSP refused or nothing could be
 * reserved. `refusal`: nothing was tried to be.
 */
export function endOf(
  bulk: Pick<Bulk, 'counts' | 'leftOut' | 'lastWord'>,
  items: readonly BulkItem[],
  now: string,
  refusal?: CommonReason,
): BulkEnd {
  const completed = { state: 'COMPLETED', completedTimestamp: now, reason: undefined } as const
  const rejected = { ...completed, state: 'REJECTED' } as const
  if (refusal !== undefined) return { ...rejected, reason: refusal }
  if (bulk.counts.committed > 0) return completed
  if (bulk.lastWord?.refuses === true) return rejected
  if (bulk.leftOut === undefined) {
    const reason = commonReasonOf(items)
    if (reason !== undefined) return { ...rejected, reason }
  }
  return items.some((item) => reasonOf(item) === 'TIMEOUT') ? completed : rejected
}

/** The reasons of an item that can be those of its bulk. */
const commonOf: Partial<Record<AbortReason, CommonReason>> = {
  PAYER_UNKNOWN: 'PAYER_UNKNOWN',
  PAYEE_UNKNOWN: 'PAYEE_UNKNOWN',
  PAYER_INACTIVE: 'PAYER_INACTIVE',
  PAYEE_INACTIVE: 'PAYEE_INACTIVE',
  PAYEE_UNREACHABLE: 'PAYEE_UNREACHABLE',
  EXPIRED: 'EXPIRED',
} satisfies Record<Extract<AbortReason, CommonReason>, CommonReason>

function commonReasonOf(items: readonly BulkItem[]): CommonReason | undefined {
  const [reason, ...others] = new Set(items.map(reasonOf))
  return reason === undefined || others.length > 0 ? undefined : commonOf[reason]
}

function reasonOf({ transfer }: BulkItem): AbortReason | undefined {
  return transfer?.state === 'ABORTED' ? transfer.reason : undefined
}

/** The result of an item for FSPs. */
export interface ItemResult {
  readonly transferId: string
  readonly fulfilment?: string
  readonly errorInformation?: ErrorInformation
  readonly extensionList?: ExtensionList
}

/**
 * One result for each item, in the order of the request; `withoutTransfer` is the error of one that has
 * none. Their extension lists are bounded together. Throws while one of them is open.
 */
export function resultsOf(
  items: readonly BulkItem[],
  withoutTransfer: ErrorInformation,
): readonly ItemResult[] {
  const results = items.map(({ transferId, transfer }): ItemResult => {
    if (transfer === undefined) return { transferId, errorInformation: withoutTransfer }
    if (isOpen(transfer)) {
      throw new Error(`${transferId} is reported as ended, but is ${transfer.state}`)
    }
    const { extensionList } = transfer
    return {
      transferId,
      ...(transfer.state === 'COMMITTED'
        ? { fulfilment: transfer.fulfilment }
        : { errorInformation: transfer.error }),
      ...(extensionList === undefined ? {} : { extensionList }),
    }
  })
  return withinBound(results)
}
