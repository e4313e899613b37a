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
import { contentOf } from '../answers/recorded.ts'
import type { Incoming, ReadResult } from '../chain.ts'
import { expiryAt, type FailureNotice } from '../callbacks/callback.ts'
import { errorInformationOf } from '../contract.ts'
import { against, relayOf, traceOf } from '../bodies/reading.ts'
import { answer_bytes_max } from '../bodies/receive.ts'

export interface RelayRules {
  /** How long delivery of a message without an expiration is tried. */
  readonly retry_ms: () => number
  /** The same for a question, and for another request whose sender has a user waiting. */
  readonly question_ms: () => number
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

/** When a request loses its meaning, and the error for a sender whose request got no answer by then. */
export interface Expiration {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly code: '3300' | '3301'
}

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
  readonly expiration?: Expiration | undefined
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

export function passOn(message: Incoming, rules: RelayRules, passing: Passing): ReadResult {
  const { source, version, parameters, target } = message
  const { resource, operation, entityId, role, failure, payloadHash, expiration } = passing
  const fspId = passing.owner ?? message.destination ?? passing.destination
  if (fspId === undefined) return against('DESTINATION_MISSING')
  const method = operation.slice(0, operation.indexOf(' ')) as Method
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
        deadline: deadlineOf(message.receivedAt, rules, passing),
      },
      isReported: false,
      onFailure:
        failure === undefined
          ? undefined
          : { requesterFspId: source, version, ...failure, ...expiryOf(expiration) },
      idempotency:
        payloadHash === undefined
          ? undefined
          : {
              key: `${operation.slice(operation.indexOf('/') + 1)}/${entityId}`,
              content: contentOf(source, fspId, payloadHash),
              refusal: errorInformationOf(errorInformation('3106', 'the id was used before')),
            },
    },
  }
}

/** Requests for which a user waits at the sender, besides all questions. */
const awaited: ReadonlySet<Operation> = new Set<Operation>([
  'POST /consentRequests',
  'PATCH /consentRequests/{ID}',
  'POST /thirdpartyRequests/transactions',
  'POST /thirdpartyRequests/authorizations',
  'POST /thirdpartyRequests/verifications',
])

/** A request with an expiration is tried until then, but no longer than its sender waits. */
function deadlineOf(
  receivedAt: string,
  { retry_ms, question_ms }: RelayRules,
  { operation, expiration }: Passing,
): string {
  const isAwaited = operation.startsWith('GET ') || awaited.has(operation)
  if (!isAwaited && expiration !== undefined) return expiration.at
  const until_ms = Date.parse(receivedAt) + (isAwaited ? question_ms() : retry_ms())
  const expires_ms = expiration === undefined ? Infinity : Date.parse(expiration.at)
  return new Date(Math.min(until_ms, expires_ms)).toISOString()
}

function expiryOf(expiration: Expiration | undefined): Pick<FailureNotice, 'expiry'> {
  if (expiration === undefined) return {}
  return expiryAt(expiration.at, expiration.code)
}
