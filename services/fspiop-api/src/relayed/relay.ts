/**
 * Messages that one FSP has for another and that the hub only passes on: to whom, until when, and who
 * is told when it cannot be done.
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
  /** How long a message without an expiration is tried to be delivered. */
  readonly retry_ms: number
  /** Answers with a state or response that the API does not know are passed on all the same. */
  readonly isLenient: boolean
}

/** What an answer that is only passed on has in common: it ends nothing that has begun. */
export const answering = {
  needsActiveSource: true,
  share: 'ANSWER',
  isUnmatched: true,
  body_bytes_max: answer_bytes_max,
} as const

export interface Passing {
  readonly resource: Resource
  readonly operation: Operation
  /** The id of what it is about: messages about one thing to one FSP keep their order. */
  readonly entityId: string
  readonly role: LegRole
  /** Where the message itself names the FSP. */
  readonly destination?: string | undefined
  /** Whom a look-up names instead of the header, which stays as its sender wrote it. */
  readonly owner?: string | undefined
  readonly expiration?: string | undefined
  /** The hash of its body, where its id may be used for nothing else. */
  readonly payloadHash?: string
  /** The error callback by which its sender is told; undefined for what is an error itself. */
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
