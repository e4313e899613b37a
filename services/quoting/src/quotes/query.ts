/** GET /quotes/{id}: the stored answer to whom it concerns, or the question passed on while there is none. */
import type { OutgoingMessage } from '@causeway/runtime'
import type { Work } from '../work.ts'
import { forward, replayStored, tellError, type QueryEvent } from './contract.ts'
import { decideQuery } from './domain/decide.ts'
import type { Stored } from './store.ts'

export async function query(work: Work, events: readonly QueryEvent[]): Promise<void> {
  if (events.length === 0) return
  const stored = await work.store.readWithAnswers(events.map(({ payload }) => payload.quoteId))
  await work.publish(events.map((event) => answerTo(event, stored.get(event.payload.quoteId))))
}

function answerTo(event: QueryEvent, stored: Stored | undefined): OutgoingMessage {
  const decision = decideQuery(stored?.quote, event.payload.requesterFspId)
  switch (decision.type) {
    case 'tell':
      return tellError(event, decision)
    case 'replay':
      return replayStored(event, decision.legRole, stored?.answer)
    case 'forward':
      return forward(event, decision.to)
  }
}
