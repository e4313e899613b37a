/**
 * Quotes that the hub only passes on: nothing is stored, so nothing is known of them afterwards. A
 * message is for whom it says; a request that says nothing is for whoever holds its payee.
 */
import { derivedId } from '@causeway/events'
import type { OutgoingMessage } from '@causeway/runtime'
import type { Work } from '../work.ts'
import {
  forward,
  rejectAccepted,
  responseAccepted,
  tellError,
  type QuoteEvent,
  type RequestEvent,
} from './contract.ts'
import { judgeInParts, saidOf, type JudgingParts } from './request.ts'

export type PassThrough = Omit<JudgingParts, 'rules' | 'velocity'> & Pick<Work, 'publish' | 'now'>

/** The scheme demands nothing of a quote that is only passed on. */
const lawless = { rules: () => [] }
const uncounted = { usages: () => Promise.resolve(new Map()) }

export async function passOn(parts: PassThrough, events: readonly QuoteEvent[]): Promise<void> {
  const requests: RequestEvent[] = []
  const said: OutgoingMessage[] = []
  for (const event of events) {
    if (event.name === 'QuoteRequestReceived') requests.push(event)
    else said.push(repeatable(event, passedOn(event)))
  }
  if (said.length > 0) await parts.publish(said)
  const judging = { ...parts, rules: lawless, velocity: uncounted }
  await judgeInParts(judging, requests, parts.now(), (judged) =>
    parts.publish(
      judged.map(({ event, judgement }) => repeatable(event, unstored(saidOf(event, judgement)))),
    ),
  )
}

/** Nobody remembers whom to tell when the payee FSP cannot be asked: the request says it itself. */
function unstored(message: OutgoingMessage): OutgoingMessage {
  if (message.type !== 'QuoteRequestAccepted') return message
  return { ...message, payload: { ...(message.payload as object), isUnstored: true } }
}

function passedOn(event: Exclude<QuoteEvent, RequestEvent>): OutgoingMessage {
  const { destinationFspId = '', version } = event.payload
  if (destinationFspId === '') {
    return tellError(event, { type: 'tell', legRole: 'REQUESTER', error: 'DESTINATION_MISSING' })
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

/** The id is made of the cause's: passed on again after a redelivery, it is the same event. */
function repeatable({ id }: QuoteEvent, message: OutgoingMessage): OutgoingMessage {
  return { ...message, id: derivedId(id, message.type) }
}
