/** GET /bulkTransfers/{ID}: the stored state to the two FSPs whom it concerns. */
import type { BulkDeps } from '../deps.ts'
import { bulkAnswerTo, type BulkQueryEvent, type BulkShown } from './contract.ts'
import { itemsOf, type Bulk } from './domain/bulk.ts'
import { decideBulkQuery } from './domain/decide.ts'

export async function queryBulk(deps: BulkDeps, event: BulkQueryEvent): Promise<void> {
  const { bulkTransferId, requesterFspId } = event.payload
  const bulk = await deps.bulks.read(bulkTransferId)
  const keptSince = new Date(deps.now().getTime() - deps.rejectedBulksKept_ms).toISOString()
  const decision = decideBulkQuery(bulk, requesterFspId, keptSince)
  const isShown = bulk !== undefined && decision.error === undefined
  const shown = isShown ? await readShown(deps, bulk) : undefined
  await deps.bulks.announce([bulkAnswerTo(deps, event, decision, shown)])
}

/** A bulk, with its items only if it is final: their outcomes are not reported before. */
export async function readShown(deps: BulkDeps, bulk: Bulk): Promise<BulkShown> {
  if (bulk.end === undefined) return { bulk, items: [] }
  await deps.giveWay()
  return { bulk, items: itemsOf(bulk, await deps.store.read(bulk.transferIds)) }
}
