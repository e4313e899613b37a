/** GET /transfers/{id}: the stored state to whom it concerns, and funds movements of the ledger too. */
import { answerTo, type QueryEvent } from './contract.ts'
import { decideFundsQuery, decideQuery } from './domain/decide.ts'
import type { Work } from './work.ts'

export async function query(work: Work, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ payload }) => payload.transferId)
  const stored = await work.store.read(ids)
  const funds = await work.ledger.fundsMovements(ids.filter((id) => !stored.has(id)))
  const answers = events.map((event) => {
    const { transferId, requesterFspId } = event.payload
    const transfer = stored.get(transferId)
    return answerTo(
      event,
      transfer === undefined
        ? decideFundsQuery(funds.get(transferId), requesterFspId)
        : decideQuery(transfer, requesterFspId),
    )
  })
  await work.store.move([], work.now(), () => answers)
}
