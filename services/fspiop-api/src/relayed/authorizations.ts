/** The payer proves at the payee's device that the payment is theirs: passed on. FSPIOP 6.6. */
import {
  errorBody,
  putAuthorizations,
  putAuthorizationsAnyResponse,
  readAuthorizationsQuery,
} from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { bodyOf, idOf, malformed, queryOf } from '../reading.ts'
import { passOn, type RelayRules } from './relay.ts'

const resource = 'authorizations'
const errorOperation = 'PUT /authorizations/{ID}/error'

export function authorizationRoutes(rules: RelayRules): ServedRoutes {
  const finishes = { needsActiveSource: false, share: 'NEVER_REFUSED' } as const
  return {
    'GET /authorizations/{ID}': {
      needsActiveSource: true,
      share: 'HALF',
      read: (message) => ask(message, rules),
    },
    'PUT /authorizations/{ID}': { ...finishes, read: (message) => answer(message, rules) },
    [errorOperation]: { ...finishes, read: (message) => refuse(message, rules) },
  }
}

function ask(message: Incoming, rules: RelayRules): Reading {
  const reading = readAuthorizationsQuery(queryOf(message))
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'GET /authorizations/{ID}',
    entityId: id,
    role: 'PAYEE',
    failure: failureOf(id),
  })
}

function answer(message: Incoming, rules: RelayRules): Reading {
  const schema = rules.isLenient ? putAuthorizationsAnyResponse : putAuthorizations
  const reading = bodyOf(schema, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'PUT /authorizations/{ID}',
    entityId: id,
    role: 'PAYER',
    failure: failureOf(id),
  })
}

function refuse(message: Incoming, rules: RelayRules): Reading {
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  return passOn(message, rules, {
    resource,
    operation: errorOperation,
    entityId: idOf(message),
    role: 'PAYER',
    failure: undefined,
  })
}

function failureOf(id: string) {
  return { operation: errorOperation, path: `/authorizations/${id}/error` } as const
}
