/** What a callback is before it has an address: to whom, which operation, and which content. */
import type { LegRole, Relay } from '@causeway/events'
import type { Method, Operation, Resource, Version } from '@causeway/fspiop'

export interface Leg {
  /** Tells the callbacks of one event apart; part of their ids. */
  readonly name: string
  readonly role: LegRole
  readonly fspId: string
  readonly entityId: string
  readonly resource: Resource
  readonly method: Method
  readonly operation: Operation
  /** From the name of the resource on: what fspiop-uri says. */
  readonly path: string
  /** Fills the variables of the registered address. */
  readonly variables: Readonly<Record<string, string>>
  readonly content: LegContent
  /** No attempt begins at or after it, ISO 8601; undefined: an outcome, tried for its usual time. */
  readonly deadline: string | undefined
}

export type LegContent =
  /** An FSP's own message: its bytes and headers as they came. */
  | { readonly type: 'RELAYED'; readonly relay: Relay }
  /** A message of the hub, in the version that its receiver used. */
  | { readonly type: 'MADE'; readonly version: Version; readonly body: object }
