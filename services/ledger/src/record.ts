/** Serves one entry to the operator. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { ledgerService, LedgerRecord } from '@causeway/protos'
import { entryMessage } from './contract.ts'
import type { Facts } from './domain/entry.ts'
import { readRecord, type JournalRow } from './record-store.ts'

type RecordHandlers = Pick<Handlers<typeof ledgerService>, 'GetLedgerRecord'>

const nothing: LedgerRecord = { entry: null, facts: null, journal: [] }

export function recordHandlers(db: Database): RecordHandlers {
  return {
    GetLedgerRecord: async ({ id }) => {
      const stored = await readRecord(db, id)
      if (stored === undefined) return nothing
      const { entry, journal } = stored
      return {
        entry: entryMessage(entry),
        facts: entry.facts === null ? null : factsMessage(entry.facts),
        journal: journal.map(lineMessage),
      }
    },
  }
}

function factsMessage({ position, cover, cap }: Facts) {
  return {
    position: formatAmount(position),
    cover: formatAmount(cover),
    cap: formatAmount(cap),
  }
}

function lineMessage(row: JournalRow) {
  return {
    step: row.step,
    at: row.at.toISOString(),
    amount: formatAmount(BigInt(row.amount)),
    currency: row.currency,
    debit: {
      id: row.debit_account_id,
      participant: row.debit_participant,
      type: row.debit_type,
    },
    credit: {
      id: row.credit_account_id,
      participant: row.credit_participant,
      type: row.credit_type,
    },
  }
}
