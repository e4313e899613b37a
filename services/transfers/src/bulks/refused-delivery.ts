/**
 * A bulk whose request the payee FSP has refused by its HTTP answer ends at once instead of at its expiry.
 * The ledger decides, item by item: an item that was posted first stays posted.
 */
import type { Delivery } from '@causeway/records'
import { isOpen } from '../domain/transfer.ts'
import { refusalIn, type Delivery as Judged } from '../domain/undelivered.ts'
import { move, throwUnfinished, type Unfinished } from '../move.ts'
import { answeredBy } from '../prepare.ts'
import type { Deps } from '../deps.ts'
import { itemsOf, wasAsked } from './domain/bulk.ts'
import { slicesOf } from './split.ts'

/** The delivery is of POST /bulkTransfers. */
export async function abortRefusedBulk(deps: Deps, delivery: Delivery & Judged): Promise<void> {
  const errorInformation = refusalIn(delivery)
  if (errorInformation === undefined) return
  const bulk = await deps.bulks.read(delivery.entityId)
  if (bulk === undefined || bulk.end !== undefined) return
  if (bulk.payeeFsp !== delivery.destinationFspId) return
  const completedTimestamp = deps.now().toISOString()
  const items = itemsOf(bulk, await deps.store.read(bulk.transferIds))
  const reserved = items.flatMap((item) => {
    const { transfer } = item
    if (transfer === undefined || !isOpen(transfer) || !wasAsked(bulk, item)) return []
    return [{ transfer }]
  })
  const unfinished: Unfinished[] = []
  for (const slice of slicesOf(reserved)) {
    const answers = await deps.ledger.release(
      slice.map(({ transfer }) => ({
        transfer,
        reason: 'REJECTED',
        evidence: { kind: 'REFUSAL', completedTimestamp, errorInformation },
      })),
    )
    unfinished.push(...(await move(deps, answeredBy(slice, answers))))
  }
  throwUnfinished(unfinished)
}
