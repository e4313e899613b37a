/**
 * The state of the ledger at one moment, read in one short snapshot. The rest is read later in
 * slices: journal lines and final entries never change or move, and their batch number shows
 * whether they existed at that moment.
 */
import { statement, type Queries } from '@causeway/postgres'
import type { HeldAccount } from './domain/accounts.ts'
import type { Mark } from './domain/marks.ts'
import type { Net } from './domain/nets.ts'
import { reservedMarks } from './line-store.ts'
import { openNets } from './net-store.ts'

export interface Moment {
  /** The last batch that had moved money. */
  readonly batch: bigint
  readonly accounts: readonly HeldAccount[]
  /** Accounts whose exclusion differs from the reservation of their cover. */
  readonly exclusions: readonly ExclusionDifference[]
  /** Checksums of the reservations, which are not final and may move later. */
  readonly reserved: readonly Mark[]
  /** The current window; earlier ones never change again. */
  readonly windowId: number
  /** Of the current window, and of later ones, which there should not be. */
  readonly nets: readonly Net[]
}

const listAccounts = statement(`
  select accounts.id, participants.name as participant, accounts.type, currency, debits_posted,
    debits_pending, credits_posted, credits_pending, batch, unpaid, unpaid_batch
  from accounts join participants on participants.id = accounts.participant_id
  order by accounts.id`)

interface HeldAccountRow {
  readonly id: number
  readonly participant: string
  readonly type: string
  readonly currency: string
  readonly debits_posted: string
  readonly debits_pending: string
  readonly credits_posted: string
  readonly credits_pending: string
  readonly batch: string
  readonly unpaid: string
  readonly unpaid_batch: string | null
}

const wrongExclusions = statement(`
  select accounts.id, participants.name as participant, accounts.type, currency, excluded,
    coalesce(resolved, 0) as reserved, excluded_percentage as percentage,
    case when mode = 'PERCENT' then value end as "reservedPercentage"
  from accounts
  join participants on participants.id = accounts.participant_id
  left join cover_reservations on account_id = accounts.id and cover_reservations.is_active
  where excluded <> coalesce(resolved, 0) or (excluded_percentage is not null
    and excluded_percentage is distinct from case when mode = 'PERCENT' then value end)
  order by accounts.id`)

/** Ten-thousandths, as text. */
export interface ExclusionDifference {
  readonly id: number
  readonly participant: string
  readonly type: string
  readonly currency: string
  readonly excluded: string
  readonly reserved: string
  /**
   * Ten-thousandths of a percent: where the exclusion follows the deposit, and what was asked for.
   */
  readonly percentage: string | null
  readonly reservedPercentage: string | null
}

/** Must run in a transaction with one snapshot. */
export async function readMoment(tx: Queries, seed: bigint): Promise<Moment> {
  const rows = await tx.query<HeldAccountRow>(listAccounts, [])
  const exclusions = await tx.query<ExclusionDifference>(wrongExclusions, [])
  const reserved = await reservedMarks(tx, seed)
  const { windowId, nets } = await openNets(tx)
  const accounts = rows.map(accountOf)
  return { batch: lastBatch(rows), accounts, exclusions, reserved, windowId, nets }
}

function lastBatch(rows: readonly HeldAccountRow[]): bigint {
  return rows.reduce((last, { batch }) => (BigInt(batch) > last ? BigInt(batch) : last), 0n)
}

function accountOf(row: HeldAccountRow): HeldAccount {
  return {
    id: row.id,
    participant: row.participant,
    type: row.type,
    currency: row.currency,
    postedDebits: BigInt(row.debits_posted),
    pendingDebits: BigInt(row.debits_pending),
    postedCredits: BigInt(row.credits_posted),
    pendingCredits: BigInt(row.credits_pending),
    unpaid: BigInt(row.unpaid),
    unpaidSince: BigInt(row.unpaid_batch ?? 0),
  }
}
