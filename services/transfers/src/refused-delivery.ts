/**
 * A reservation whose request the payee FSP has refused by its HTTP answer ends at once instead of at
 * its expiry. The ledger decides, as it does for a reject: a fulfil that was posted first is final.
 */
import type { Delivery } from '@causeway/records'
import { refusalIn, type Delivery as Judged } from './domain/undelivered.ts'
import { isOpen } from './domain/transfer.ts'
import { move, throwUnfinished } from './move.ts'
import { answeredBy } from './prepare.ts'
import type { Deps } from './deps.ts'

/** The deliveries are of POST /transfers. */
export async function abortRefused(
  deps: Deps,
  deliveries: readonly (Delivery & Judged)[],
): Promise<void> {
  const refusals = new Map(
    deliveries.flatMap((delivery) => {
      const error = refusalIn(delivery)
      return error === undefined ? [] : [[delivery.entityId, { delivery, error }] as const]
    }),
  )
  if (refusals.size === 0) return
  const stored = await deps.store.read([...refusals.keys()])
  const completedTimestamp = deps.now().toISOString()
  const ending = [...refusals].flatMap(([transferId, { delivery, error }]) => {
    const transfer = stored.get(transferId)
    if (transfer === undefined || !isOpen(transfer) || transfer.state !== 'RESERVED') return []
    if (transfer.payeeFsp !== delivery.destinationFspId) return []
    return [{ transfer, error }]
  })
  const answers = await deps.ledger.release(
    ending.map(({ transfer, error }) => ({
      transfer,
      reason: 'REJECTED',
      evidence: { kind: 'REFUSAL', completedTimestamp, errorInformation: error },
    })),
  )
  throwUnfinished(await move(deps, answeredBy(ending, answers)))
}
