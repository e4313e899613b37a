/** The routes of all resources that this hub serves. */
import { bulkQuoteRoutes } from './bulk-quotes/requests.ts'
import { bulkTransferRoutes } from './bulk-transfers/requests.ts'
import type { ServedRoutes } from './chain.ts'
import type { LargeBodies } from './large-bodies.ts'
import {
  authorizationRoutes,
  transactionRequestRoutes,
  transactionRoutes,
} from './relayed/requests.ts'
import { participantRoutes } from './participants/requests.ts'
import { partyRoutes } from './parties/requests.ts'
import { pingRoutes } from './pings/requests.ts'
import { consentRoutes, type ConsentParts } from './thirdparty/consents.ts'
import type { Providers } from './thirdparty/providers.ts'
import { relayedRoutes } from './thirdparty/relayed.ts'
import { serviceRoutes } from './thirdparty/services.ts'
import { quoteRoutes } from './quotes/requests.ts'
import type { Settings } from './settings.ts'
import { transferRoutes, type TransferRules } from './transfers/requests.ts'

/** The dependencies of routes that need a query or another thread. */
export interface RouteParts {
  readonly owners: ConsentParts['owners']
  readonly providers: Providers
  readonly largeBodies: LargeBodies
}

export function servedRoutes(
  settings: Settings,
  { owners, providers, largeBodies }: RouteParts,
): ServedRoutes {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  const relay = { retry_ms: settings.FSPIOP_API_RELAY_RETRY_MS, isLenient: isMojaloop }
  return {
    ...participantRoutes(settings, relay),
    ...partyRoutes(relay),
    ...quoteRoutes({ needsDestination: isMojaloop }),
    ...bulkQuoteRoutes({ largeBodies, needsDestination: isMojaloop }),
    ...transferRoutes(transferRules(settings)),
    ...bulkTransferRoutes({ largeBodies, onUsAllowed: settings.ON_US_TRANSFERS === 'on' }),
    ...transactionRequestRoutes(relay),
    ...authorizationRoutes(relay),
    ...transactionRoutes(relay),
    ...pingRoutes(settings),
    ...relayedRoutes(relay),
    ...consentRoutes({ rules: relay, authService: settings.AUTH_SERVICE_PARTICIPANT, owners }),
    ...serviceRoutes(relay, providers),
  }
}

function transferRules(settings: Settings): TransferRules {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  return {
    onUsAllowed: settings.ON_US_TRANSFERS === 'on',
    ignoresWhatCannotCommit: isMojaloop,
    refusesOnUsLater: isMojaloop,
    timestampBounds: isMojaloop
      ? {
          ahead_ms_max: settings.COMPLETED_TIMESTAMP_AHEAD_MS,
          behind_ms_max: settings.COMPLETED_TIMESTAMP_BEHIND_MS,
        }
      : undefined,
  }
}
