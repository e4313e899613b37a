/**
 * A bulk whose request the payee FSP has refused by its HTTP answer ends at once instead of at its expiry.
 * The ledger decides, item by item: what was posted first stands.
 */
import type { Delivery } from '../delivery-store.ts'
import { isOpen } from '../domain/transfer.ts'
import { refusalIn, type Delivery as Judged } from '../domain/undelivered.ts'
import { move, throwUnfinished, type Unfinished } from '../move.ts'
import { answeredBy } from '../prepare.ts'
import type { Work } from '../work.ts'
import { itemsOf, wasAsked } from './domain/bulk.ts'
import { slicesOf } from './split.ts'

/** The delivery is of POST /bulkTransfers. */
export async function abortRefusedBulk(work: Work, delivery: Delivery & Judged): Promise<void> {
  const errorInformation = refusalIn(delivery)
  if (errorInformation === undefined) return
  const bulk = await work.bulks.read(delivery.entityId)
  if (bulk === undefined || bulk.end !== undefined) return
  if (bulk.payeeFsp !== delivery.destinationFspId) return
  const completedTimestamp = work.now().toISOString()
  const items = itemsOf(bulk, await work.store.read(bulk.transferIds))
  const reserved = items.flatMap((item) => {
    const { transfer } = item
    if (transfer === undefined || !isOpen(transfer) || !wasAsked(bulk, item)) return []
    return [{ transfer }]
  })
  const unfinished: Unfinished[] = []
  for (const slice of slicesOf(reserved)) {
    const answers = await work.ledger.release(
      slice.map(({ transfer }) => ({
        transfer,
        reason: 'REJECTED',
        evidence: { kind: 'REFUSAL', completedTimestamp, errorInformation },
      })),
    )
    unfinished.push(...(await move(work, answeredBy(slice, answers))))
  }
  throwUnfinished(unfinished)
}
