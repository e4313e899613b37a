/** The active alarms, as operators list them. */
import { statement, type Queries } from '@causeway/postgres'
import type { Kind, ActiveAlarm } from './domain/alarm.ts'
import { alarmsOf, type AlarmsJson } from './store.ts'

const rows_max = 1_000

const selectActive = statement(`
  select participants.name, accounts.id as account_id, accounts.currency, limits.alarms
  from limits
  join accounts on accounts.id = limits.account_id
  join participants on participants.id = accounts.participant_id
  where limits.is_active and limits.alarms is not null and ($1 = '' or participants.name = $1)
  order by accounts.id limit $2`)

interface ActiveAlarmRow {
  readonly name: string
  readonly account_id: number
  readonly currency: string
  readonly alarms: AlarmsJson
}

export interface ActiveAlarmOf {
  readonly name: string
  readonly accountId: number
  readonly currency: string
  readonly kind: Kind
  readonly active: ActiveAlarm
}

/** Of one participant, or of all when the name is empty. */
export async function activeAlarms(db: Queries, name: string): Promise<readonly ActiveAlarmOf[]> {
  const rows = await db.query<ActiveAlarmRow>(selectActive, [name, rows_max])
  return rows.flatMap((row) => {
    const { threshold, limit } = alarmsOf(row.alarms)
    const of = { name: row.name, accountId: row.account_id, currency: row.currency }
    return [
      ...(threshold === null ? [] : [{ ...of, kind: 'THRESHOLD', active: threshold } as const]),
      ...(limit === null ? [] : [{ ...of, kind: 'LIMIT', active: limit } as const]),
    ]
  })
}
