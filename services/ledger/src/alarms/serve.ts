/** The methods of the alarms service. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { alarmsService } from '@causeway/protos'
import type { Writer } from '../writer.ts'
import { checkAlarms, type CheckParts } from './check.ts'
import { activeAlarms } from './store.ts'

export interface AlarmParts extends CheckParts {
  readonly database: Database
  readonly writer: Writer
}

export function serveAlarms(parts: AlarmParts): Handlers<typeof alarmsService> {
  return {
    LiquidityThresholdExceeded: async ({ participantId, currency }) => ({
      isKnown: await parts.writer.runExclusive((tx) =>
        checkAlarms(tx, parts, participantId, currency),
      ),
    }),
    ListActiveAlarms: async ({ participantId }) => ({
      alarms: (await activeAlarms(parts.database, participantId)).map((alarm) => ({
        participantId: alarm.name,
        accountId: alarm.accountId,
        currency: alarm.currency,
        kind: alarm.kind,
        firstAt: alarm.active.firstAt.toISOString(),
        lastNotifiedAt: alarm.active.lastNotifiedAt.toISOString(),
        notifications: alarm.active.notified,
        limit: formatAmount(alarm.active.limit),
      })),
    }),
  }
}
