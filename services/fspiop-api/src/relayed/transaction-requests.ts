/** Requests of a payee for a payment, relayed between the FSPs. FSPIOP 6.4. */
import {
  payloadHash,
  postTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { utc } from '../contract.ts'
import { against, bodyOf, malformed } from '../reading.ts'
import { failureOf, routesById } from './by-id.ts'
import { passOn, type RelayRules } from './relay.ts'

const resource = 'transactionRequests'

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
