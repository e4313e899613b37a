/**
 * Queries about one object and their answers, relayed unchanged: GET to one FSP, PUT and PUT …/error in
 * the other direction.
 */
import type { LegRole } from '@causeway/events'
import { errorBody, templateVariables, type ErrorCode } from '@causeway/fspiop'
import type { z } from 'zod'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { bodyOf, idOf, malformed } from '../bodies/reading.ts'
import { answering, passOn, type RelayRules } from './relay.ts'

export interface QueryById {
  readonly resource: 'authorizations' | 'transactionRequests' | 'transactions'
  /** The FSP that receives GET. */
  readonly asked: Extract<LegRole, 'PAYER' | 'PAYEE'>
  readonly answer: z.ZodType
  /** Its {ID} may be any text. */
  readonly takesAnyId?: boolean
  /** The fault of the query string of a GET. */
  readonly faultOf?: (
    message: Incoming,
  ) => { readonly code: ErrorCode; readonly detail: string } | undefined
}

export function routesById(rules: RelayRules, about: QueryById): ServedRoutes {
  const { resource, takesAnyId = false } = about
  const anyId = takesAnyId ? { takesAnyId: true as const } : {}
  return {
    [`GET /${resource}/{ID}`]: {
      ...anyId,
      needsActiveSource: true,
      priority: 'LOOKUP',
      read: (message: Incoming) => ask(message, rules, about),
    },
    [`PUT /${resource}/{ID}`]: {
      ...anyId,
      ...answering,
      read: (message: Incoming) => answer(message, rules, about),
    },
    [`PUT /${resource}/{ID}/error`]: {
      ...anyId,
      ...answering,
      read: (message: Incoming) => refuse(message, rules, about),
    },
  }
}

/** The error callback to the sender of a message that could not be relayed. */
export function failureOf(resource: QueryById['resource'], id: string) {
  return {
    operation: `PUT /${resource}/{ID}/error`,
    path: `/${resource}/${encodeURIComponent(id)}/error`,
    variables: templateVariables(resource, { ID: id }),
  } as const
}

function ask(message: Incoming, rules: RelayRules, about: QueryById): ReadResult {
  const { resource, asked, faultOf } = about
  const fault = faultOf?.(message)
  if (fault !== undefined) return malformed(fault.code, fault.detail)
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: `GET /${resource}/{ID}`,
    entityId: id,
    role: asked,
    failure: failureOf(resource, id),
  })
}

function answer(message: Incoming, rules: RelayRules, about: QueryById): ReadResult {
  const reading = bodyOf(about.answer, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { resource } = about
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: `PUT /${resource}/{ID}`,
    entityId: id,
    role: requesterOf(about),
    failure: failureOf(resource, id),
  })
}

function refuse(message: Incoming, rules: RelayRules, about: QueryById): ReadResult {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { resource } = about
  return passOn(message, rules, {
    resource,
    operation: `PUT /${resource}/{ID}/error`,
    entityId: idOf(message),
    role: requesterOf(about),
    failure: undefined,
  })
}

function requesterOf({ asked }: QueryById): QueryById['asked'] {
  return asked === 'PAYER' ? 'PAYEE' : 'PAYER'
}
