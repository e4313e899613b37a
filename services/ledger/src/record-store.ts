/** One entry as the operator reads it: with the facts of its decision, and its journal. */
import { statement, type Database } from '@causeway/postgres'
import type { JournalStep } from '@causeway/protos'
import type { Entry } from './domain/entry.ts'
import { entryColumns, entryOf, type EntryRow } from './entry-store.ts'

export interface JournalRow {
  readonly step: JournalStep
  readonly at: Date
  readonly amount: string
  readonly currency: string
  readonly debit_account_id: number
  readonly debit_participant: string
  readonly debit_type: string
  readonly credit_account_id: number
  readonly credit_participant: string
  readonly credit_type: string
}

export interface StoredRecord {
  readonly entry: Entry
  readonly journal: readonly JournalRow[]
}

const selectEntry = statement(`
  select ${entryColumns} from entries where id = $1::text collate "C"`)

/** Lines of one batch have the same time; a reservation comes before what ends it. */
const selectJournal = statement(`
  select j.step, j.at, j.amount, d.currency,
    d.id as debit_account_id, dp.name as debit_participant, d.type as debit_type,
    c.id as credit_account_id, cp.name as credit_participant, c.type as credit_type
  from journal j
  join accounts d on d.id = j.debit_account_id
  join participants dp on dp.id = d.participant_id
  join accounts c on c.id = j.credit_account_id
  join participants cp on cp.id = c.participant_id
  where j.entry_id = $1::text collate "C"
  order by j.at, j.batch, j.step <> 'RESERVE', j.step desc`)

export async function readRecord(db: Database, id: string): Promise<StoredRecord | undefined> {
  const [[entry], journal] = await Promise.all([
    db.query<EntryRow>(selectEntry, [id]),
    db.query<JournalRow>(selectJournal, [id]),
  ])
  return entry === undefined ? undefined : { entry: entryOf(entry), journal }
}
