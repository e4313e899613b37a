/** Relays bulk quotes: nothing is stored, and no scheme rules apply. */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId } from '@causeway/events'
import type { Work } from '../work.ts'
import {
  forward,
  rejectAccepted,
  requestAccepted,
  responseAccepted,
  tellError,
  type BulkEvent,
  type BulkRequestEvent,
} from './contract.ts'
import { judgeRequest, publishedOf, type BulkJudgingParts } from './request.ts'

export type BulkPassThrough = Omit<BulkJudgingParts, 'rules' | 'velocity'> &
  Pick<Work, 'publish' | 'now'>

const lawless = { rules: () => [] }
const uncounted = { usages: () => Promise.resolve(new Map()) }

export async function passBulkOn(parts: BulkPassThrough, event: BulkEvent): Promise<void> {
  const message =
    event.name === 'BulkQuoteRequestReceived' ? await requested(parts, event) : passedOn(event)
  // The id is derived from the cause: relayed again after a redelivery, it is the same event.
  await parts.publish([{ ...message, id: derivedId(event.id, message.type) }])
}

/** Relayed unchanged, because later no error could be added for an item that was left out. */
async function requested(
  parts: BulkPassThrough,
  event: BulkRequestEvent,
): Promise<OutgoingMessage> {
  const judged = await judgeRequest(
    { ...parts, rules: lawless, velocity: uncounted },
    event,
    parts.now(),
  )
  if (judged.judgement.type !== 'ask') return publishedOf(judged)
  const message = requestAccepted(event, judged.judgement.payeeFsp, undefined)
  return { ...message, payload: { ...(message.payload as object), isUnstored: true } }
}

function passedOn(event: Exclude<BulkEvent, BulkRequestEvent>): OutgoingMessage {
  const { destinationFspId, version } = event.payload
  if (destinationFspId === undefined) {
    return tellError(event, { type: 'error', legRole: 'REQUESTER', error: 'DESTINATION_MISSING' })
  }
  const payer = { payerFsp: destinationFspId, payerVersion: version }
  switch (event.name) {
    case 'BulkQuoteResponseReceived':
      return responseAccepted(event, payer, undefined)
    case 'BulkQuoteRejectReceived':
      return rejectAccepted(event, payer)
    case 'BulkQuoteQueryReceived':
      return forward(event, destinationFspId)
  }
}
