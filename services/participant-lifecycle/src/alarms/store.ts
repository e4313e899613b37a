/** The alarms that stand, beside the limits that they are about. */
import { statement, textArray, type Transaction } from '@causeway/runtime'
import { quiet, type Alarms, type Standing } from './domain/alarm.ts'

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

/** Whose accounts they are, by account. */
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

/** As it is stored; a missing member is an alarm that does not stand. */
export interface AlarmsJson {
  readonly threshold?: StandingJson
  readonly limit?: StandingJson
}

interface StandingJson {
  readonly firstAt: string
  readonly lastToldAt: string
  readonly told: number
  readonly limit: string
}

export function alarmsOf(json: AlarmsJson | null): Alarms {
  if (json === null) return quiet
  const { threshold, limit } = json
  return {
    threshold: threshold === undefined ? null : standingOf(threshold),
    limit: limit === undefined ? null : standingOf(limit),
  }
}

function standingOf({ firstAt, lastToldAt, told, limit }: StandingJson): Standing {
  return {
    firstAt: new Date(firstAt),
    lastToldAt: new Date(lastToldAt),
    told,
    limit: BigInt(limit),
  }
}

function alarmsText({ threshold, limit }: Alarms): string | null {
  if (threshold === null && limit === null) return null
  return JSON.stringify({
    ...(threshold === null ? {} : { threshold: standingJson(threshold) }),
    ...(limit === null ? {} : { limit: standingJson(limit) }),
  })
}

function standingJson({ firstAt, lastToldAt, told, limit }: Standing): StandingJson {
  return {
    firstAt: firstAt.toISOString(),
    lastToldAt: lastToldAt.toISOString(),
    told,
    limit: String(limit),
  }
}
