/**
 * GET /quotes/{id}: the stored answer for the parties of the quote; while there is none, the query
 * is forwarded.
 */
import type { OutgoingMessage } from '@causeway/bus'
import type { Work } from '../work.ts'
import { forward, replayStored, errorMessage, type QueryEvent } from './contract.ts'
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
    case 'error':
      return errorMessage(event, decision)
    case 'replay':
      return replayStored(event, decision.legRole, stored?.answer)
    case 'forward':
      return forward(event, decision.to)
  }
}
