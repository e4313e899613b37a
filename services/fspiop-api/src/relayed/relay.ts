/**
 * Messages that the hub only relays between FSPs: the recipient, the deadline, and the error callback
 * when delivery fails.
 */
import type { LegRole } from '@causeway/events'
import {
  errorInformation,
  templateVariables,
  type Method,
  type Operation,
  type Resource,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import type { Incoming, Reading } from '../chain.ts'
import { errorInformationOf } from '../contract.ts'
import { against, relayOf, traceOf } from '../reading.ts'
import { answer_bytes_max } from '../receive.ts'

export interface RelayRules {
  /** How long delivery of a message without an expiration is tried. */
  readonly retry_ms: number
  /** Answers with an unknown state or response are relayed too. */
  readonly isLenient: boolean
}

/** The route properties of relayed answers: they complete nothing in the hub. */
export const answering = {
  needsActiveSource: true,
  priority: 'ANSWER',
  isUnmatched: true,
  body_bytes_max: answer_bytes_max,
} as const

export interface Passing {
  readonly resource: Resource
  readonly operation: Operation
  /** The id of its subject: messages about one subject to one FSP keep their order. */
  readonly entityId: string
  readonly role: LegRole
  /** The FSP named in the message itself. */
  readonly destination?: string | undefined
  /** The recipient from a lookup; the header stays unchanged. */
  readonly owner?: string | undefined
  readonly expiration?: string | undefined
  /** The hash of its body, when its id must not be used with other content. */
  readonly payloadHash?: string
  /** The error callback for its sender; undefined for a message that is itself an error. */
  readonly failure:
    | {
        readonly operation: Operation
        readonly path: string
        readonly variables: Readonly<Record<string, string>>
      }
    | undefined
}

export function passOn(message: Incoming, rules: RelayRules, passing: Passing): Reading {
  const { source, version, parameters, target } = message
  const { resource, operation, entityId, role, failure, payloadHash } = passing
  const fspId = passing.owner ?? message.destination ?? passing.destination
  if (fspId === undefined) return against('DESTINATION_MISSING')
  const method = operation.slice(0, operation.indexOf(' ')) as Method
  const retryUntil = Date.parse(message.receivedAt) + rules.retry_ms
  return {
    type: 'RELAY',
    triggered: {
      causeId: randomUUID(),
      causeName: operation,
      traceparent: traceOf(message).traceparent,
      callback: {
        name: `${role} ${method}`,
        role,
        fspId,
        ...(message.destination === undefined ? {} : { destination: message.destination }),
        entityId,
        resource,
        method,
        operation,
        path: target,
        variables: templateVariables(resource, parameters),
        content: { type: 'RELAYED', relay: relayOf(method, message, fspId) },
        deadline: passing.expiration ?? new Date(retryUntil).toISOString(),
      },
      isReported: false,
      onFailure:
        failure === undefined ? undefined : { requesterFspId: source, version, ...failure },
      idempotency:
        payloadHash === undefined
          ? undefined
          : {
              key: `${operation.slice(operation.indexOf('/') + 1)}/${entityId}`,
              content: `${source} ${fspId} ${payloadHash}`,
              refusal: errorInformationOf(errorInformation('3106', 'the id was used before')),
            },
    },
  }
}
