/** GET /bulkQuotes/{id}: the stored answer for its parties; while there is none, the query is forwarded. */
import type { OutgoingMessage } from '@causeway/bus'
import { decideQuery } from '../quotes/domain/decide.ts'
import type { Work } from '../work.ts'
import { forward, replayStored, tellError, type BulkQueryEvent } from './contract.ts'
import type { StoredBulk } from './store.ts'

export async function queryBulk(work: Work, event: BulkQueryEvent): Promise<void> {
  const stored = await work.bulks.read(event.payload.bulkQuoteId, event.payload.requesterFspId)
  await work.publish([answerTo(event, stored)])
}

function answerTo(event: BulkQueryEvent, stored: StoredBulk | undefined): OutgoingMessage {
  const decision = decideQuery(stored?.bulk, event.payload.requesterFspId)
  switch (decision.type) {
    case 'error':
      return stored?.answer === undefined || decision.legRole !== 'PAYER'
        ? tellError(event, decision)
        : replayStored(event, 'PAYER', stored.answer)
    case 'replay':
      return replayStored(event, decision.legRole, stored?.answer)
    case 'forward':
      return forward(event, decision.to)
  }
}
