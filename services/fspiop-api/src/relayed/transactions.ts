/** What became of a transaction, asked of the payee FSP: passed on. FSPIOP 6.8. */
import { errorBody, putTransactions } from '@causeway/fspiop'
import type { Incoming, Reading, ServedRoutes } from '../chain.ts'
import { bodyOf, idOf, malformed } from '../reading.ts'
import { passOn, type RelayRules } from './relay.ts'

const resource = 'transactions'
const errorOperation = 'PUT /transactions/{ID}/error'

export function transactionRoutes(rules: RelayRules): ServedRoutes {
  const finishes = { needsActiveSource: false, share: 'NEVER_REFUSED' } as const
  return {
    'GET /transactions/{ID}': {
      needsActiveSource: true,
      share: 'HALF',
      read: (message) => query(message, rules),
    },
    'PUT /transactions/{ID}': { ...finishes, read: (message) => answer(message, rules) },
    [errorOperation]: { ...finishes, read: (message) => refuse(message, rules) },
  }
}

function query(message: Incoming, rules: RelayRules): Reading {
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'GET /transactions/{ID}',
    entityId: id,
    role: 'PAYEE',
    failure: failureOf(id),
  })
}

function answer(message: Incoming, rules: RelayRules): Reading {
  const reading = bodyOf(putTransactions, message)
  if (!reading.ok) return malformed(reading.code, reading.detail)
  const id = idOf(message)
  return passOn(message, rules, {
    resource,
    operation: 'PUT /transactions/{ID}',
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
  return { operation: errorOperation, path: `/transactions/${id}/error` } as const
}
