/** Cover and its exclusions as rows. Exclusions change only in the ledger's queue. */
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import { accountOf, type AccountRow } from '../account-row.ts'
import { usualCover } from '../domain/model-rule.ts'
import type { CoverReservation, Liquidity } from './domain/cover.ts'

/** Its accounts, with the rule of cover that is in force for the currency. */
const itsAccounts = statement(`
  select in_force.cover_type, in_force.is_check_off, accounts.id, participant_id, accounts.type,
    currency, accounts.is_active, debits_posted, debits_pending, credits_posted, credits_pending,
    excluded, excluded_percentage, unpaid, unpaid_batch, changed_at, limits.value as cap
  from participants
  join accounts on accounts.participant_id = participants.id
    and accounts.type in
      ('POSITION', 'SETTLEMENT', 'INTERCHANGE_FEE', 'INTERCHANGE_FEE_SETTLEMENT') and currency = $2
  left join limits on limits.account_id = accounts.id and limits.is_active
    and limits.type = 'NET_DEBIT_CAP'
  left join lateral (
    select cover_type, is_check_off from settlement_rules
    where settlement_rules.is_active and settlement_rules.currency in ($2, '')
    order by settlement_rules.currency = '', model_id limit 1
  ) in_force on true
  where participants.name = $1`)

interface RuledRow extends AccountRow {
  readonly cover_type: string | null
  readonly is_check_off: boolean | null
}

const known = statement('select id from participants where name = $1')
const lockKnown = statement('select id from participants where name = $1 for update')

export async function hasParticipant(db: Queries, name: string): Promise<boolean> {
  return (await db.query(known, [name])).length > 0
}

/** Locks the participant; false when there is none of the name. */
export async function lockParticipant(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.query(lockKnown, [name])).length > 0
}

/** As of one moment; undefined when the participant has no cover in the currency. */
export async function liquidityOf(
  db: Queries,
  name: string,
  currency: string,
): Promise<Liquidity | undefined> {
  const rows = await db.query<RuledRow>(itsAccounts, [name, currency])
  const ofType = (wanted: string) => {
    const row = rows.find(({ type }) => type === wanted)
    return row === undefined ? null : accountOf(row)
  }
  const { cover_type, is_check_off } = rows[0] ?? { cover_type: null, is_check_off: null }
  const settlement = ofType(cover_type ?? usualCover.coverType)
  if (settlement === null) return undefined
  return {
    settlement,
    position: ofType('POSITION'),
    fees: ofType('INTERCHANGE_FEE'),
    isChecked: is_check_off !== true,
  }
}

export interface StoredReservation {
  readonly id: number
  readonly accountId: number
  readonly currency: string
  readonly mode: CoverReservation['mode']
  readonly value: bigint
  readonly resolved: bigint
  readonly createdAt: Date
}

interface ReservationRow {
  readonly id: number
  readonly account_id: number
  readonly currency: string
  readonly mode: CoverReservation['mode']
  readonly value: string
  readonly resolved: string
  readonly created_at: Date
}

/** An active exclusion that follows the deposit resolves to its current amount. */
const reservationColumns = `cover_reservations.id, account_id, currency, mode, value,
  case when cover_reservations.is_active and excluded_percentage is not null
    then trunc(greatest(credits_posted - debits_posted - debits_pending, 0)
      * excluded_percentage / 1000000)
    else resolved end as resolved,
  cover_reservations.created_at`

const byRequest = statement(`
  select ${reservationColumns} from cover_reservations
  join accounts on accounts.id = account_id
  where cover_reservations.request_id = $1`)

export async function reservationOf(
  db: Queries,
  requestId: string,
): Promise<StoredReservation | undefined> {
  const [row] = await db.query<ReservationRow>(byRequest, [requestId])
  return row && reservation(row)
}

const inForce = statement(`
  select ${reservationColumns} from cover_reservations
  join accounts on accounts.id = account_id
  join participants on participants.id = participant_id
  where participants.name = $1 and ($2::text is null or currency = $2)
    and cover_reservations.is_active and value > 0
  order by cover_reservations.id`)

/** The exclusions in force; without a currency, in all. */
export async function reservationsOf(
  db: Queries,
  name: string,
  currency: string | undefined,
): Promise<readonly StoredReservation[]> {
  return (await db.query<ReservationRow>(inForce, [name, currency ?? null])).map(reservation)
}

function reservation(row: ReservationRow): StoredReservation {
  return {
    id: row.id,
    accountId: row.account_id,
    currency: row.currency,
    mode: row.mode,
    value: BigInt(row.value),
    resolved: BigInt(row.resolved),
    createdAt: row.created_at,
  }
}

const replace = statement(`
  update cover_reservations set is_active = false where account_id = $1 and is_active`)
const insert = statement(`
  with excluding as (update accounts set excluded = $5, excluded_percentage = $7 where id = $2)
  insert into cover_reservations (request_id, account_id, mode, value, resolved, created_by)
  values ($1, $2, $3, $4, $5, $6)
  returning id`)

/**
 * Replaces the active reservation and returns the id of the new one. A percentage follows the
 * deposit, or is fixed now.
 */
export async function saveReservation(
  tx: Transaction,
  accountId: number,
  { requestId, mode, value, createdBy }: CoverReservation,
  { resolved, follows }: { readonly resolved: bigint; readonly follows: boolean },
): Promise<number> {
  await tx.query(replace, [accountId])
  const [row] = await tx.query<{ id: number }>(insert, [
    requestId,
    accountId,
    mode,
    String(value),
    String(resolved),
    createdBy,
    mode === 'PERCENT' && follows ? String(value) : null,
  ])
  if (row === undefined) throw new Error('a reservation of cover was not stored')
  return row.id
}
