/** The active alarms, stored in the rows of their limits. */
import { statement, textArray, type Transaction } from '@causeway/postgres'
import { quiet, type Alarms, type ActiveAlarm } from './domain/alarm.ts'

const saveStatement = statement(`
  update limits set alarms = next.alarms
  from unnest($1::text[]::integer[], $2::text[]::json[]) as next (account_id, alarms)
  join accounts on accounts.id = next.account_id
  join participants on participants.id = accounts.participant_id
  where limits.account_id = next.account_id and limits.is_active and limits.type = 'NET_DEBIT_CAP'
  returning limits.account_id, participants.name`)

interface SavedRow {
  readonly account_id: number
  readonly name: string
}

/** The participant names, by account. */
export async function saveAlarms(
  tx: Transaction,
  all: readonly { readonly accountId: number; readonly alarms: Alarms }[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await tx.query<SavedRow>(saveStatement, [
    textArray(all.map(({ accountId }) => String(accountId))),
    textArray(all.map(({ alarms }) => alarmsText(alarms))),
  ])
  return new Map(rows.map(({ account_id, name }) => [account_id, name]))
}

/** The stored form, with the names of the first release; a missing member means no active alarm. */
export interface AlarmsJson {
  readonly threshold?: ActiveAlarmJson
  readonly limit?: ActiveAlarmJson
}

interface ActiveAlarmJson {
  readonly firstAt: string
  readonly lastToldAt: string
  readonly told: number
  readonly limit: string
}

export function alarmsOf(json: AlarmsJson | null): Alarms {
  if (json === null) return quiet
  const { threshold, limit } = json
  return {
    threshold: threshold === undefined ? null : activeAlarmOf(threshold),
    limit: limit === undefined ? null : activeAlarmOf(limit),
  }
}

function activeAlarmOf(stored: ActiveAlarmJson): ActiveAlarm {
  return {
    firstAt: new Date(stored.firstAt),
    lastNotifiedAt: new Date(stored.lastToldAt),
    notified: stored.told,
    limit: BigInt(stored.limit),
  }
}

function alarmsText({ threshold, limit }: Alarms): string | null {
  if (threshold === null && limit === null) return null
  return JSON.stringify({
    ...(threshold === null ? {} : { threshold: activeAlarmJson(threshold) }),
    ...(limit === null ? {} : { limit: activeAlarmJson(limit) }),
  })
}

function activeAlarmJson({
  firstAt,
  lastNotifiedAt,
  notified,
  limit,
}: ActiveAlarm): ActiveAlarmJson {
  return {
    firstAt: firstAt.toISOString(),
    lastToldAt: lastNotifiedAt.toISOString(),
    told: notified,
    limit: String(limit),
  }
}
