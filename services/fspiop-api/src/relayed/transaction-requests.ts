/** A payee asks a payer to pay: passed on between their FSPs. FSPIOP 6.4. */
import {
  errorBody,
  postTransactionRequests,
  putTransactionRequests,
  putTransactionRequestsAnyState,
} from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { utc } from '../contract.ts'
import { against, bodyOf, idOf, malformed } from '../reading.ts'
import { passOn, type RelayRules } from './relay.ts'

const resource = 'transactionRequests'
const errorOperation = 'PUT /transactionRequests/{ID}/error'

export function transactionRequestRoutes(rules: RelayRules): ServedRoutes {
  const begins = { needsActiveSource: true, share: 'HALF' } as const
  const finishes = { needsActiveSource: false, share: 'NEVER_REFUSED' } as const
  return {
    'POST /transactionRequests': { ...begins, read: (message) => ask(message, rules) },
    'GET /transactionRequests/{ID}': { ...begins, read: (message) => query(message, rules) },
    'PUT /transactionRequests/{ID}': { ...finishes, read: (message) => answer(message, rules) },
    [errorOperation]: { ...finishes, read: (message) => refuse(message, rules) },
  }
}

function ask(message: Incoming, rules: RelayRules): Reading {
  const reading = bodyOf(postTransactionRequests, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const { transactionRequestId, payer, payee, expiration } = reading.value
  const payeeFsp = payee?.partyIdInfo?.fspId
  if (payeeFsp !== undefined && payeeFsp !== message.source) return against('REQUESTER_NOT_PAYEE')
  return passOn(message, rules, {
    resource,
    operation: 'POST /transactionRequests',
    entityId: transactionRequestId,
    role: 'PAYER',
    destination: payer?.fspId,
    expiration: expiration === undefined ? undefined : utc(expiration),
    failure: { ...failureOf(transactionRequestId), ID: transactionRequestId },
  })
}

function query(message: Incoming, rules: RelayRules): Reading {
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'GET /transactionRequests/{ID}',
    entityId: id,
    role: 'PAYER',
    failure: failureOf(id),
  })
}

function answer(message: Incoming, rules: RelayRules): Reading {
  const schema = rules.isLenient ? putTransactionRequestsAnyState : putTransactionRequests
  const reading = bodyOf(schema, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'PUT /transactionRequests/{ID}',
    entityId: id,
    role: 'PAYEE',
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
    role: 'PAYEE',
    failure: undefined,
  })
}

function failureOf(id: string) {
  return { operation: errorOperation, path: `/transactionRequests/${id}/error` } as const
}
