/** Entries as rows: columns, mapping, and queries. */
import { statement, textArray, type Queries } from '@causeway/postgres'
import type {
  LedgerEntryKind,
  LedgerEntryOutcome,
  LedgerEntryReason,
  SettlementKind,
} from '@causeway/protos'
import { noEvidence, type Entry } from './domain/entry.ts'

export const entryColumns = `id, kind, outcome, reason, payer_fsp, payee_fsp, amount, currency,
  expires_at, payer_id, payee_id, debit_account_id, credit_account_id, model_id, settles, window_id,
  position, cover, cap, fee, fee_model_id, evidence, created_at, completed_at`

export interface EntryRow {
  readonly id: string
  readonly kind: LedgerEntryKind
  readonly outcome: LedgerEntryOutcome
  readonly reason: LedgerEntryReason | ''
  readonly payer_fsp: string | null
  readonly payee_fsp: string | null
  readonly amount: string | null
  readonly currency: string | null
  readonly expires_at: Date | null
  readonly payer_id: number | null
  readonly payee_id: number | null
  readonly debit_account_id: number | null
  readonly credit_account_id: number | null
  readonly model_id: number | null
  readonly settles: SettlementKind | null
  readonly window_id: number | null
  readonly position: string | null
  readonly cover: string | null
  readonly cap: string | null
  readonly fee: string | null
  readonly fee_model_id: number | null
  readonly evidence: Buffer | null
  readonly created_at: Date
  readonly completed_at: Date | null
}

export function entryOf(row: EntryRow): Entry {
  return {
    id: row.id,
    kind: row.kind,
    outcome: row.outcome,
    reason: row.reason || null,
    terms: termsOf(row),
    parties: { payerId: row.payer_id, payeeId: row.payee_id },
    accounts: accountsOf(row),
    expiresAt: row.expires_at,
    settlement:
      row.model_id === null || row.settles === null
        ? null
        : { modelId: row.model_id, settles: row.settles },
    fee:
      row.fee === null || row.fee_model_id === null
        ? null
        : { amount: BigInt(row.fee), modelId: row.fee_model_id },
    windowId: row.window_id,
    facts: factsOf(row),
    evidence: row.evidence ?? noEvidence,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  }
}

function termsOf({ payer_fsp, payee_fsp, amount, currency }: EntryRow): Entry['terms'] {
  return payer_fsp === null || payee_fsp === null || amount === null || currency === null
    ? null
    : { payer: payer_fsp, payee: payee_fsp, amount: BigInt(amount), currency }
}

function accountsOf({ debit_account_id, credit_account_id }: EntryRow): Entry['accounts'] {
  return debit_account_id === null || credit_account_id === null
    ? null
    : { debitAccountId: debit_account_id, creditAccountId: credit_account_id }
}

function factsOf({ position, cover, cap }: EntryRow): Entry['facts'] {
  return position === null || cover === null || cap === null
    ? null
    : { position: BigInt(position), cover: BigInt(cover), cap: BigInt(cap) }
}

/** Without the evidence, so that pages stay small. */
export const listedColumns = entryColumns.replace('evidence', 'null::bytea as evidence')

const byIds = statement(`
  select ${listedColumns} from entries where id = any($1::text[]) order by id`)

/** The entries of these ids, without evidence; unknown ids are left out. */
export async function entriesOf(db: Queries, ids: readonly string[]): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(byIds, [textArray(ids)])
  return rows.map(entryOf)
}

const wholeByIds = statement(`
  select ${entryColumns} from entries where id = any($1::text[]) order by id`)

/** The same with their evidence. */
export async function wholeEntriesOf(
  db: Queries,
  ids: readonly string[],
): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(wholeByIds, [textArray(ids)])
  return rows.map(entryOf)
}

const settlementsAfter = statement(`
  select ${listedColumns} from entries
  where id > $1 and kind = 'SETTLEMENT' and outcome = 'POSTED'
  order by id
  limit $2`)

/** A page of the posted settlement entries, in the order of their ids. */
export async function settlementEntriesAfter(
  db: Queries,
  afterId: string,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(settlementsAfter, [afterId, limit])
  return rows.map(entryOf)
}

const transfersAfter = statement(`
  select ${listedColumns} from entries
  where id > $1 and kind = 'TRANSFER'
  order by id
  limit $2`)

/** A page of the transfers in the order of their ids, without evidence. */
export async function transferEntriesAfter(
  db: Queries,
  afterId: string,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(transfersAfter, [afterId, limit])
  return rows.map(entryOf)
}

const overdue = statement(`
  select ${listedColumns} from entries
  where outcome = 'RESERVED' and kind = 'TRANSFER'
    and expires_at <= clock_timestamp() - make_interval(secs => $1::integer / 1000.0)
  order by expires_at
  limit $2`)

/** Reservations that expired at least so long ago, by the clock of the database. */
export async function overdueReservations(
  db: Queries,
  overdue_ms: number,
  limit: number,
): Promise<readonly Entry[]> {
  const rows = await db.query<EntryRow>(overdue, [overdue_ms, limit])
  return rows.map(entryOf)
}
