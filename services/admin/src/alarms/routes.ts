/** Active alarms: positions near their limit, and transfers refused for lack of liquidity. */
import type { ActiveAlarm } from '@causeway/protos'
import { z } from 'zod'
import { answered } from '../answer.ts'
import { word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, type Operation } from '../operation.ts'
import { shownAmount, shownTime } from '../shapes.ts'
import { unitsOf, type Deps } from '../upstream.ts'

const search = z.object({ participantId: word.optional() })

const shownAlarm = z
  .strictObject({
    participantId: z.string(),
    accountId: z.int(),
    currency: z.string(),
    kind: z.enum(['THRESHOLD', 'LIMIT']),
    limit: shownAmount,
    firstAt: shownTime,
    lastNotifiedAt: shownTime,
    notifications: z.int(),
  })
  .meta({ id: 'Alarm' })

export function alarmOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/alarms',
      {
        about:
          'Active alarms: positions near their limit, and transfers refused for lack of liquidity',
        query: search,
        answers: { 200: z.array(shownAlarm) },
      },
      async ({ query: { participantId } }) => {
        const { alarms } = await deps.alarms.ListActiveAlarms({ participantId })
        return answered(200, alarms.map(alarmBody))
      },
    ),
  ]
}

function alarmBody({ limit, ...alarm }: ActiveAlarm) {
  const { participantId, accountId, currency, kind, firstAt, lastNotifiedAt, notifications } = alarm
  const units = unitsOf(limit)
  return {
    participantId,
    accountId,
    currency,
    kind,
    limit: units,
    firstAt,
    lastNotifiedAt,
    notifications,
  } satisfies Json
}
