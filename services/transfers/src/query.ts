/** GET /transfers/{id}: the stored state, for the two FSPs of the transfer; movements without a transfer, too. */
import { answerTo, type QueryEvent } from './contract.ts'
import { decideMovementQuery, decideQuery } from './domain/decide.ts'
import type { Deps } from './deps.ts'

export async function query(deps: Deps, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ payload }) => payload.transferId)
  const stored = await deps.store.read(ids)
  const movements = await deps.ledger.movements(ids.filter((id) => !stored.has(id)))
  const answers = events.map((event) => {
    const { transferId, requesterFspId } = event.payload
    const transfer = stored.get(transferId)
    return answerTo(
      event,
      transfer === undefined
        ? decideMovementQuery(movements.get(transferId), requesterFspId)
        : decideQuery(transfer, requesterFspId),
    )
  })
  await deps.store.move([], deps.now(), () => answers)
}
