/**
 * Checks one position outside a batch: after its limit or alarm percentage has changed, or on
 * request. It uses the ledger's own figures; the caller's figures are ignored.
 */
import type { States } from '@causeway/services'
import type { Transaction } from '@causeway/postgres'
import { openBook } from '../domain/book.ts'
import { everydayTypes, lockNamed } from '../lock-store.ts'
import type { ThresholdAlarms } from './threshold-alarms.ts'

export interface CheckParts {
  readonly alarms: ThresholdAlarms
  readonly states: States
}

/** Runs in the ledger's queue. False: there is no participant of this name. */
export async function checkAlarms(
  tx: Transaction,
  { alarms, states }: CheckParts,
  name: string,
  currency: string,
): Promise<boolean> {
  const rows = await lockNamed(tx, states, {
    ids: [],
    names: [name],
    currencies: [currency],
    accountIds: [],
    types: everydayTypes,
  })
  const changes = { ...nothing, accounts: rows.accounts }
  await alarms.afterBatch(tx, { rows, book: openBook(rows), changes })
  return rows.parties.length > 0
}

const nothing = {
  entered: [],
  completed: [],
  isUnpaidChanged: false,
  debts: [],
  journal: [],
  gains: [],
}
