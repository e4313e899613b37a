/**
 * Relays quotes without storing anything. A message goes to its destination; a request without one
 * goes to the FSP of its payee.
 */
import type { OutgoingMessage } from '@causeway/bus'
import { derivedId } from '@causeway/events'
import type { Work } from '../work.ts'
import {
  forward,
  rejectAccepted,
  responseAccepted,
  errorMessage,
  type QuoteEvent,
  type RequestEvent,
} from './contract.ts'
import { judgeInParts, eventOf, type JudgingParts } from './request.ts'

export type PassThrough = Omit<JudgingParts, 'rules' | 'velocity'> & Pick<Work, 'publish' | 'now'>

/** Scheme rules do not apply to relayed quotes. */
const noRules = { rules: () => [] }
const uncounted = { usages: () => Promise.resolve(new Map()) }

export async function passOn(parts: PassThrough, events: readonly QuoteEvent[]): Promise<void> {
  const requests: RequestEvent[] = []
  const published: OutgoingMessage[] = []
  for (const event of events) {
    if (event.name === 'QuoteRequestReceived') requests.push(event)
    else published.push(repeatable(event, passedOn(event)))
  }
  if (published.length > 0) await parts.publish(published)
  const judging = { ...parts, rules: noRules, velocity: uncounted }
  await judgeInParts(judging, requests, parts.now(), (judged) =>
    parts.publish(
      judged.map(({ event, judgement }) => repeatable(event, unstored(eventOf(event, judgement)))),
    ),
  )
}

/**
 * Adds the payer FSP to the request: without a stored quote the edge needs it if delivery fails.
 */
function unstored(message: OutgoingMessage): OutgoingMessage {
  if (message.type !== 'QuoteRequestAccepted') return message
  return { ...message, payload: { ...(message.payload as object), isUnstored: true } }
}

function passedOn(event: Exclude<QuoteEvent, RequestEvent>): OutgoingMessage {
  const { destinationFspId, version } = event.payload
  if (destinationFspId === undefined) {
    return errorMessage(event, {
      type: 'error',
      legRole: 'REQUESTER',
      error: 'DESTINATION_MISSING',
    })
  }
  switch (event.name) {
    case 'QuoteResponseReceived':
      return responseAccepted(event, destinationFspId)
    case 'QuoteRejectReceived':
      return rejectAccepted(event, { payerFsp: destinationFspId, payerVersion: version })
    case 'QuoteQueryReceived':
      return forward(event, destinationFspId)
  }
}

/** The id is derived from the cause: relayed again after a redelivery, it is the same event. */
function repeatable({ id }: QuoteEvent, message: OutgoingMessage): OutgoingMessage {
  return { ...message, id: derivedId(id, message.type) }
}
