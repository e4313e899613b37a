/** A callback before it has an address: its recipient, operation and content. */
import type { LegRole, Payload, Relay } from '@causeway/events'
import {
  errorInformation,
  resourceRules,
  templateVariables,
  type Method,
  type Operation,
  type Resource,
  type Version,
} from '@causeway/fspiop'
import { errorInformationOf } from '../contract.ts'

export interface Callback {
  /** Distinguishes the callbacks of one event; part of their ids. */
  readonly name: string
  readonly role: LegRole
  readonly fspId: string
  /** FSPIOP-Destination, when it is another FSP. */
  readonly destination?: string
  /** FSPIOP-Destination is that of the relayed headers, whatever FSP they name. */
  readonly keepsDestination?: true
  readonly entityId: string
  readonly resource: Resource
  readonly method: Method
  readonly operation: Operation
  /** From the resource name on: the value of fspiop-uri. */
  readonly path: string
  /** Fills the variables of the registered address. */
  readonly variables: Readonly<Record<string, string>>
  readonly content: CallbackContent
  /** No attempt begins at or after it, ISO 8601; undefined: the default for its method. */
  readonly deadline: string | undefined
}

export type CallbackContent =
  /** An FSP's own message: its bytes and headers as received. */
  | { readonly type: 'RELAYED'; readonly relay: Relay }
  /**
   * A message of the hub, in the version that its receiver used; sent as canonical JSON, which a Buffer
   * already holds.
   */
  | {
      readonly type: 'CREATED'
      /** The sender, when it is not the hub itself. */
      readonly from?: 'AUTH_SERVICE'
      readonly version: Version
      readonly body: object
      /** The header FSPIOP-Encryption, when part of it is an FSP's ciphertext. */
      readonly encryption?: string
    }

/** A callback with its cause: an event, or a relayed message. */
export interface TriggeredCallback {
  /** The ids of the callback and of its report are derived from it. */
  readonly causeId: string
  /** The name of the event, or the operation of a relayed message. */
  readonly causeName: string
  readonly traceparent: string | undefined
  readonly callback: Callback
  /** Whether its delivery is reported. */
  readonly isReported: boolean
  /** The error callback to send when it fails; undefined: none. */
  readonly onFailure: FailureNotice | undefined
  /** The key under which other content is refused. */
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

/** Of a request with an expiration: what its sender is sent if no answer came by then. */
export function expiryAt(
  at: string,
  code: '3300' | '3301' | '3302',
): Required<Pick<FailureNotice, 'expiry'>> {
  const error = errorInformation(code, 'it expired before it could be delivered')
  return { expiry: { at, errorInformation: errorInformationOf(error) } }
}

/** Resources whose messages are about one entity, which its id names: `/transfers/{ID}`. */
type EntityResource = 'bulkQuotes' | 'bulkTransfers' | 'quotes' | 'transfers'

/** To whom a callback about an entity goes, and what it holds. */
export interface Notice {
  readonly role: LegRole
  readonly fspId: string
  /** Of the entity. */
  readonly id: string
  readonly content: CallbackContent
  readonly deadline?: string | undefined
}

/** The callbacks about an entity of the resource, each with the operation that it is. */
export function callbacksOf<Name extends EntityResource>(resource: Name) {
  const about = ({ role, fspId, id, content, deadline }: Notice, what: string) => ({
    name: `${role} ${what}`,
    role,
    fspId,
    entityId: id,
    resource,
    variables: templateVariables(resource, { ID: id }),
    content,
    deadline,
  })
  return {
    post: (to: Notice): Callback => ({
      ...about(to, 'POST'),
      method: 'POST',
      operation: `POST /${resource}` as const,
      path: `/${resource}`,
    }),
    get: (to: Notice): Callback => ({
      ...about(to, 'GET'),
      method: 'GET',
      operation: `GET /${resource}/{ID}` as const,
      path: `/${resource}/${to.id}`,
    }),
    put: (to: Notice): Callback => ({
      ...about(to, 'PUT'),
      method: 'PUT',
      operation: `PUT /${resource}/{ID}` as const,
      path: `/${resource}/${to.id}`,
    }),
    putError: (to: Notice): Callback => ({
      ...about(to, 'PUT error'),
      method: 'PUT',
      operation: `PUT /${resource}/{ID}/error` as const,
      path: `/${resource}/${to.id}/error`,
    }),
  }
}

/** The error callback to an FSP whose message could not be delivered. */
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
  return { type: 'CREATED', version: versionOf(resource, version), body: { errorInformation } }
}

/** The version that the FSP used; the current one when it has not sent a message yet. */
export function versionOf(resource: Resource, version: string | undefined): Version {
  const { versions, currentVersion } = resourceRules[resource]
  return versions.find((known) => known === version) ?? currentVersion
}
