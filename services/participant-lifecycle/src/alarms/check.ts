/**
 * Looks at one position outside a batch: after its limit or its percentage was changed, or because
 * somebody asks. The figures are the ledger's own, whatever the one who asks believes.
 */
import type { Transaction } from '@causeway/runtime'
import { openBook } from '../ledger/domain/book.ts'
import type { States } from '../ledger/domain/states.ts'
import { everydayTypes, lockNamed } from '../ledger/lock-store.ts'
import type { AlarmBell } from './bell.ts'

export interface CheckParts {
  readonly bell: AlarmBell
  readonly states: States
}

/** Part of the ledger's queue. False: there is no participant of this name. */
export async function checkAlarms(
  tx: Transaction,
  { bell, states }: CheckParts,
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
  await bell.afterBatch(tx, { rows, book: openBook(rows), changes })
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
