/** The methods of the alarms service. */
import { formatAmount } from '@causeway/money'
import type { alarmsService } from '@causeway/protos'
import type { Database, Handlers } from '@causeway/runtime'
import type { Writer } from '../ledger/writer.ts'
import { checkAlarms, type CheckParts } from './check.ts'
import { standingAlarms } from './standing-store.ts'

export interface AlarmParts extends CheckParts {
  readonly database: Database
  readonly writer: Writer
}

export function serveAlarms(parts: AlarmParts): Handlers<typeof alarmsService> {
  return {
    LiquidityThresholdExceeded: async ({ participantId, currency }) => ({
      isKnown: await parts.writer.alone((tx) => checkAlarms(tx, parts, participantId, currency)),
    }),
    ListStandingAlarms: async ({ participantId }) => ({
      alarms: (await standingAlarms(parts.database, participantId)).map((alarm) => ({
        participantId: alarm.name,
        accountId: alarm.accountId,
        currency: alarm.currency,
        kind: alarm.kind,
        firstAt: alarm.standing.firstAt.toISOString(),
        lastToldAt: alarm.standing.lastToldAt.toISOString(),
        told: alarm.standing.told,
        limit: formatAmount(alarm.standing.limit),
      })),
    }),
  }
}
