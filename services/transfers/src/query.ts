/** GET /transfers/{id}: the stored state, for the two FSPs of the transfer; movements without a transfer, too. */
import { answerTo, type QueryEvent } from './contract.ts'
import { decideMovementQuery, decideQuery } from './domain/decide.ts'
import type { Work } from './work.ts'

export async function query(work: Work, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ payload }) => payload.transferId)
  const stored = await work.store.read(ids)
  const movements = await work.ledger.movements(ids.filter((id) => !stored.has(id)))
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
  await work.store.move([], work.now(), () => answers)
}
