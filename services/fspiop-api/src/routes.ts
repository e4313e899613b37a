/** The routes of all resources that this hub serves. */
import type { Participants } from '@causeway/participants'
import { bulkQuoteRoutes } from './bulk-quotes/requests.ts'
import { bulkTransferRoutes } from './bulk-transfers/requests.ts'
import type { Arrivals } from './bulk-transfers/arrivals.ts'
import type { ServedRoutes } from './chain.ts'
import type { LargeBodies } from './bodies/large-bodies.ts'
import {
  authorizationRoutes,
  transactionRequestRoutes,
  transactionRoutes,
} from './relayed/requests.ts'
import { participantRoutes } from './participants/requests.ts'
import { partyRoutes } from './parties/requests.ts'
import { pingRoutes } from './pings/requests.ts'
import { consentRoutes, type ConsentParts } from './pisp/consents.ts'
import type { Providers } from './pisp/providers.ts'
import { relayedRoutes } from './pisp/relayed.ts'
import { serviceRoutes } from './pisp/services.ts'
import { quoteRoutes } from './quotes/requests.ts'
import type { FspiopApiSettings } from './settings.ts'
import { transferRoutes, type TransferRules } from './transfers/requests.ts'

/** The dependencies of routes that need a query or another thread. */
export interface RouteParts {
  readonly owners: ConsentParts['owners']
  readonly providers: Providers
  readonly largeBodies: LargeBodies
  readonly arrivals: Arrivals
  readonly participants: Pick<Participants, 'getFresh'>
  /** How long delivery of a relayed message is tried: of any, and of questions. */
  readonly relay_ms: () => number
  readonly question_ms: () => number
}

export function servedRoutes(
  settings: FspiopApiSettings,
  { owners, providers, largeBodies, arrivals, participants, relay_ms, question_ms }: RouteParts,
): ServedRoutes {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  const relay = { retry_ms: relay_ms, question_ms, isLenient: isMojaloop }
  return {
    ...participantRoutes(settings, relay),
    ...partyRoutes(relay),
    ...quoteRoutes({ needsDestination: isMojaloop }),
    ...bulkQuoteRoutes({ largeBodies, needsDestination: isMojaloop }),
    ...transferRoutes(transferRules(settings)),
    ...bulkTransferRoutes({
      largeBodies,
      arrivals,
      ...commonRules(settings),
      refusesLater: isMojaloop ? participants : undefined,
    }),
    ...transactionRequestRoutes(relay),
    ...authorizationRoutes(relay),
    ...transactionRoutes(relay),
    ...pingRoutes(settings),
    ...relayedRoutes(relay),
    ...consentRoutes({ rules: relay, authService: settings.AUTH_SERVICE_PARTICIPANT, owners }),
    ...serviceRoutes(relay, providers),
  }
}

function transferRules(settings: FspiopApiSettings): TransferRules {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  return {
    ...commonRules(settings),
    ignoresWhatCannotCommit: isMojaloop,
    refusesOnUsLater: isMojaloop,
    routesByPayee: isMojaloop,
  }
}

/** How far completedTimestamp may lie in the future and in the past: the defaults of Mojaloop. */
const mojaloopBounds = { ahead_ms_max: 200, behind_ms_max: 300_000 }

/** Those that hold for transfers and bulk transfers. */
function commonRules(
  settings: FspiopApiSettings,
): Pick<TransferRules, 'onUsAllowed' | 'timestampBounds'> {
  const isMojaloop = settings.COMPATIBILITY === 'mojaloop'
  return {
    onUsAllowed: settings.ON_US_TRANSFERS === 'on',
    timestampBounds: isMojaloop ? mojaloopBounds : undefined,
  }
}
