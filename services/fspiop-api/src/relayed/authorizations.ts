/** Authorizations, by which the payer authenticates at the payee's device: relayed. FSPIOP 6.6. */
import {
  putAuthorizations,
  putAuthorizationsAnyResponse,
  readAuthorizationsQuery,
} from '@causeway/fspiop'
import type { ServedRoutes } from '../chain.ts'
import { routesById } from './by-id.ts'
import type { RelayRules } from './relay.ts'

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
