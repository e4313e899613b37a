/** GET /bulkTransfers/{ID}: the stored state to the two FSPs whom it concerns. */
import type { Work } from '../work.ts'
import { bulkAnswerTo, type BulkQueryEvent, type BulkShown } from './contract.ts'
import { itemsOf, type Bulk } from './domain/bulk.ts'
import { decideBulkQuery } from './domain/decide.ts'

export async function queryBulk(work: Work, event: BulkQueryEvent): Promise<void> {
  const { bulkTransferId, requesterFspId } = event.payload
  const bulk = await work.bulks.read(bulkTransferId)
  const keptSince = new Date(work.now().getTime() - work.rejectedBulksKept_ms).toISOString()
  const decision = decideBulkQuery(bulk, requesterFspId, keptSince)
  const isShown = bulk !== undefined && decision.error === undefined
  const shown = isShown ? await readShown(work, bulk) : undefined
  await work.bulks.say([bulkAnswerTo(event, decision, shown)])
}

/** A bulk with its items where it is final: before, nobody is told of them. */
export async function readShown(work: Work, bulk: Bulk): Promise<BulkShown> {
  if (bulk.end === undefined) return { bulk, items: [] }
  return { bulk, items: itemsOf(bulk, await work.store.read(bulk.transferIds)) }
}
