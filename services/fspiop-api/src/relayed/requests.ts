/**
 * Resources that the hub relays between payer and payee FSP without state of its own: transaction
 * requests, authorizations, and queries for the state of a transaction.
 */
import {
  finerThan,
  payloadHash,
  postTransactionRequests,
  putAuthorizations,
  putAuthorizationsAnyResponse,
  putTransactionRequests,
  putTransactionRequestsAnyState,
  putTransactions,
  readAuthorizationsQuery,
  utcDateTime,
} from '@causeway/fspiop'
import type { Incoming, ReadResult, ServedRoutes } from '../chain.ts'
import { against, bodyOf, malformed, queryOf } from '../bodies/reading.ts'
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

function request(message: Incoming, rules: RelayRules): ReadResult {
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
    expiration:
      expiration === undefined ? undefined : { at: utcDateTime(expiration), code: '3301' },
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
    faultOf(message) {
      const { compatibility, decimals } = message
      const reading = readAuthorizationsQuery(queryOf(message), compatibility)
      if (!reading.ok) return reading
      const { currency, amount } = reading.value
      const tooFine = decimals === undefined ? undefined : finerThan(decimals, currency, amount)
      if (tooFine === undefined) return undefined
      return { code: '3100', detail: `query parameter amount: ${tooFine}` }
    },
  })
}

/** Queries for the state of a transaction, relayed to the payee FSP. FSPIOP 6.8. */
export function transactionRoutes(rules: RelayRules): ServedRoutes {
  return routesById(rules, { resource: 'transactions', asked: 'PAYEE', answer: putTransactions })
}
