/** What a callback is before it has an address: to whom, which operation, and which content. */
import type { LegRole, Payload, Relay } from '@causeway/events'
import {
  resourceRules,
  type Method,
  type Operation,
  type Resource,
  type Version,
} from '@causeway/fspiop'

export interface Callback {
  /** Tells the callbacks of one event apart; part of their ids. */
  readonly name: string
  readonly role: LegRole
  readonly fspId: string
  /** What FSPIOP-Destination says where that is another FSP. */
  readonly destination?: string
  readonly entityId: string
  readonly resource: Resource
  readonly method: Method
  readonly operation: Operation
  /** From the name of the resource on: what fspiop-uri says. */
  readonly path: string
  /** Fills the variables of the registered address. */
  readonly variables: Readonly<Record<string, string>>
  readonly content: CallbackContent
  /** No attempt begins at or after it, ISO 8601; undefined: tried for the usual time of such. */
  readonly deadline: string | undefined
}

export type CallbackContent =
  /** An FSP's own message: its bytes and headers as they came. */
  | { readonly type: 'RELAYED'; readonly relay: Relay }
  /** A message of the hub, in the version that its receiver used; a Buffer is told as it is. */
  | {
      readonly type: 'MADE'
      /** Where it is not the hub itself that speaks. */
      readonly from?: 'AUTH_SERVICE'
      readonly version: Version
      readonly body: object
      /** The header FSPIOP-Encryption, where some of it is an FSP's ciphertext. */
      readonly encryption?: string
    }

/** A leg with what caused it: an event, or a message that is only passed on. */
export interface TriggeredCallback {
  /** The ids of the callback and of its report are made of it. */
  readonly causeId: string
  /** The name of the event; of a message that is only passed on, its operation. */
  readonly causeName: string
  readonly traceparent: string | undefined
  readonly callback: Callback
  /** Whether somebody keeps what became of it. */
  readonly isReported: boolean
  /** Who is told when it fails; nobody when undefined. */
  readonly onFailure: FailureNotice | undefined
  /** Under which key it is sent once alone with other content. */
  readonly idempotency?: Idempotency | undefined
}

export type Idempotency = NonNullable<Payload<'NotifyRequested'>['idempotency']>

/** An error as events and the protocol library write it. */
export interface CallbackError {
  readonly errorCode: string
  readonly errorDescription: string
  readonly extensionList?: object | undefined
}

export type FailureNotice = NonNullable<Payload<'NotifyRequested'>['onFailure']>

/** Tells an FSP that its message did not reach the other one. */
export function failureCallback(
  { requesterFspId, operation, path, variables, version }: FailureNotice,
  entityId: string,
  errorInformation: CallbackError,
): Callback {
  const resource = path.split('/')[1] as Resource
  return {
    name: 'REQUESTER PUT error',
    role: 'REQUESTER',
    fspId: requesterFspId,
    entityId,
    resource,
    method: 'PUT',
    operation: operation as Operation,
    path,
    variables,
    content: errorContent(resource, errorInformation, version),
    deadline: undefined,
  }
}

export function errorContent(
  resource: Resource,
  errorInformation: CallbackError,
  version: string | undefined,
): CallbackContent {
  return { type: 'MADE', version: versionOf(resource, version), body: { errorInformation } }
}

/** The version that the FSP used; the current one where it has not spoken yet. */
export function versionOf(resource: Resource, version: string | undefined): Version {
  const { versions, currentVersion } = resourceRules[resource]
  return versions.find((known) => known === version) ?? currentVersion
}
