/** Queries for the state of a transaction, relayed to the payee FSP. FSPIOP 6.8. */
import { putTransactions } from '@causeway/fspiop'
import type { ServedRoutes } from '../chain.ts'
import { routesById } from './by-id.ts'
import type { RelayRules } from './relay.ts'

export function transactionRoutes(rules: RelayRules): ServedRoutes {
  return routesById(rules, { resource: 'transactions', asked: 'PAYEE', answer: putTransactions })
}
