/**
 * Resources that the hub relays between payer and payee FSP without state of its own: transaction
 * requests, authorizations, and queries for the state of a transaction.
 */
import {
  payloadHash,
  postTransactionRequests,
  putAuthorizations,
  putAuthorizationsAnyResponse,
  putTransactionRequests,
  putTransactionRequestsAnyState,
  putTransactions,
  readAuthorizationsQuery,
} from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { utc } from '../contract.ts'
import { against, bodyOf, malformed } from '../reading.ts'
import { failureOf, routesById } from './by-id.ts'
import { passOn, type RelayRules } from './relay.ts'

const resource = 'transactionRequests'

/** Requests of a payee for a payment. FSPIOP 6.4. */
export function transactionRequestRoutes(rules: RelayRules): ServedRoutes {
  return {
    'POST /transactionRequests': {
      needsActiveSource: true,
      priority: 'LOOKUP',
      read: (message) => request(message, rules),
    },
    ...routesById(rules, {
      resource,
      asked: 'PAYER',
      takesAnyId: rules.isLenient,
      answer: rules.isLenient ? putTransactionRequestsAnyState : putTransactionRequests,
    }),
  }
}

function request(message: Incoming, rules: RelayRules): Reading {
  const reading = bodyOf(postTransactionRequests, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { transactionRequestId: id, payer, payee, expiration } = reading.value
  const payeeFsp = payee?.partyIdInfo?.fspId ?? message.source
  if (payeeFsp !== message.source && !rules.isLenient) return against('REQUESTER_NOT_PAYEE')
  return passOn(message, rules, {
    resource,
    operation: 'POST /transactionRequests',
    entityId: id,
    role: 'PAYER',
    destination: payer?.fspId,
    expiration: expiration === undefined ? undefined : utc(expiration),
    failure: failureOf(resource, id),
    ...(rules.isLenient ? {} : { payloadHash: payloadHash(reading.json) }),
  })
}

/** Authorizations, by which the payer authenticates at the payee's device. FSPIOP 6.6. */
export function authorizationRoutes(rules: RelayRules): ServedRoutes {
  return routesById(rules, {
    resource: 'authorizations',
    asked: 'PAYEE',
    answer: rules.isLenient ? putAuthorizationsAnyResponse : putAuthorizations,
    takesAnyId: rules.isLenient,
    faultOf(query, codes) {
      const reading = readAuthorizationsQuery(query, codes)
      return reading.ok ? undefined : reading
    },
  })
}

/** Queries for the state of a transaction, relayed to the payee FSP. FSPIOP 6.8. */
export function transactionRoutes(rules: RelayRules): ServedRoutes {
  return routesById(rules, { resource: 'transactions', asked: 'PAYEE', answer: putTransactions })
}
