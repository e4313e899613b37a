/** The active alarms, stored in the rows of their limits. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { ActiveAlarmKind } from '@causeway/protos'
import { quiet, type ActiveAlarm, type Alarms } from './domain/alarm.ts'

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

/** The stored form; a missing member means no active alarm. */
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

const rows_max = 1_000

const selectActive = statement(`
  select participants.name, accounts.id as account_id, accounts.currency, limits.alarms
  from limits
  join accounts on accounts.id = limits.account_id
  join participants on participants.id = accounts.participant_id
  where limits.is_active and limits.alarms is not null and ($1::text is null or participants.name = $1)
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
  readonly kind: ActiveAlarmKind
  readonly active: ActiveAlarm
}

/** Of one participant, or of all without a name. */
export async function activeAlarms(
  db: Queries,
  name: string | undefined,
): Promise<readonly ActiveAlarmOf[]> {
  const rows = await db.query<ActiveAlarmRow>(selectActive, [name ?? null, rows_max])
  return rows.flatMap((row) => {
    const { threshold, limit } = alarmsOf(row.alarms)
    const of = { name: row.name, accountId: row.account_id, currency: row.currency }
    return [
      ...(threshold === null ? [] : [{ ...of, kind: 'THRESHOLD', active: threshold } as const]),
      ...(limit === null ? [] : [{ ...of, kind: 'LIMIT', active: limit } as const]),
    ]
  })
}
