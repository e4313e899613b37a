/**
 * A payer FSP's bulk becomes transfers: its id is claimed together with those of its items, the items
 * are reserved slice by slice in the order of the request, and once the ledger has decided all of them
 * the request is sent to the payee FSP. A crash may follow any step; the next message about the bulk
 * continues from the stored state.
 */
import { writableTime } from '@causeway/fspiop'
import type { AccountHints } from '../ledger.ts'
import { isOpen, type Claimed, type Open } from '../domain/transfer.ts'
import { move, throwUnfinished, type Unfinished } from '../move.ts'
import { reserve } from '../prepare.ts'
import {
  bulkAnswerTo,
  endedBulk,
  modifiedBulk,
  preparedBulk,
  requestOf,
  transfersOf,
  type BulkPrepareEvent,
} from './contract.ts'
import { itemsOf, type Bulk } from './domain/bulk.ts'
import { decideBulkPrepare } from './domain/decide.ts'
import { readShown } from './query.ts'
import type { BulkDeps } from '../deps.ts'

/**
 * Items that the ledger decides at once: single transfers take turns with slices. (Measured next to ten
 * payments per second, in single short runs: their p50 and p95 were not higher than alone with 50 and
 * slightly higher with 100; an item costs somewhat more CPU time with 50.)
 */
const slice_items = 50

/** All steps. */
export async function split(deps: BulkDeps, event: BulkPrepareEvent): Promise<void> {
  const undecided = await claimBulk(deps, event)
  if (undecided === undefined) return
  await reserveItems(deps, event, undecided)
  await acceptBulk(deps, event)
}

/**
 * (a) Stores a new bulk with its items; the items that are to be reserved, in the order of the request,
 * or undefined when there is nothing to go on with.
 */
async function claimBulk(
  deps: BulkDeps,
  event: BulkPrepareEvent,
): Promise<readonly (Claimed & Open)[] | undefined> {
  const request = requestOf(event)
  const refusal = await deps.bulkQuotes.refusalOf(request)
  const transfers = refusal === undefined ? transfersOf(event, request) : []
  const sweepAt = writableTime(Date.parse(request.expiresAt) + deps.expiryGrace_ms)
  const claim = { request, transfers, sweepAt, relay: event.relay, refusal }
  await deps.giveWay()
  const claimed = await deps.bulks.claim(claim, deps.now(), ({ ended }) =>
    ended === undefined ? [] : [endedBulk(ended, event.traceparent, deps.compatibility)],
  )
  if (claimed !== undefined) {
    if (claimed.ended !== undefined) return undefined
    return transfers.filter(({ transferId }) => claimed.transferIds.has(transferId))
  }
  const bulk = await deps.bulks.read(request.bulkTransferId)
  if (bulk === undefined) throw new Error(`${request.bulkTransferId} is claimed, but not stored`)
  const decision = decideBulkPrepare(bulk, request)
  switch (decision.type) {
    case 'continue':
      return undecidedOf(deps, bulk)
    case 'silence':
      return undefined
    case 'answer':
      await deps.bulks.announce([bulkAnswerTo(deps, event, decision, await readShown(deps, bulk))])
      return undefined
    case 'refuse':
      await refuse(deps, event, bulk)
      return undefined
  }
}

async function undecidedOf(deps: BulkDeps, bulk: Bulk): Promise<readonly (Claimed & Open)[]> {
  const items = itemsOf(bulk, await deps.store.read(bulk.transferIds))
  return items.flatMap(({ transfer }) =>
    transfer !== undefined && isOpen(transfer) && transfer.state === 'RECEIVED' ? [transfer] : [],
  )
}

async function refuse(deps: BulkDeps, event: BulkPrepareEvent, { state }: Bulk): Promise<void> {
  const { bulkTransferId, payerFsp: fspId, receivedAt } = event.payload
  const refusal = {
    eventId: event.id,
    transferId: bulkTransferId,
    kind: 'PREPARE',
    fspId,
    receivedAt,
    reason: 'CONTENT_MODIFIED',
    state,
  } as const
  await deps.store.storeRefused([refusal], deps.now())
  await deps.bulks.announce([modifiedBulk(deps, event)])
}

/** (b) Asks the ledger, slice by slice; each slice is moved by its answers before the next one. */
async function reserveItems(
  deps: BulkDeps,
  event: BulkPrepareEvent,
  undecided: readonly (Claimed & Open)[],
): Promise<void> {
  const hintsOf = accountHints(event)
  const unfinished: Unfinished[] = []
  for (const slice of slicesOf(undecided)) {
    await deps.giveWay()
    const { traceparent } = event
    const toReserve = slice.map((transfer) => ({
      transfer,
      hints: hintsOf(transfer.currency),
      traceparent,
    }))
    unfinished.push(...(await move(deps, await reserve(deps, toReserve))))
  }
  throwUnfinished(unfinished)
}

/** (c) The payee FSP is asked for what is reserved. */
async function acceptBulk(deps: BulkDeps, event: BulkPrepareEvent): Promise<void> {
  const { payload, relay, traceparent } = event
  await deps.giveWay()
  await deps.bulks.accept(payload.bulkTransferId, (bulk) => [
    preparedBulk(bulk, relay, { now: deps.now(), traceparent }),
  ])
}

function accountHints({ payload }: BulkPrepareEvent): (currency: string) => AccountHints {
  const hints = new Map(
    payload.allocations.map(({ currency, payerAccountId, payeeAccountId }) => [
      currency,
      { payerAccountId, payeeAccountId },
    ]),
  )
  return (currency) => hints.get(currency) ?? {}
}

export function slicesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const slices: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += slice_items) {
    slices.push(items.slice(from, from + slice_items))
  }
  return slices
}
