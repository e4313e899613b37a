/** One change of an FSP's keys or credentials at a time, also when the FSP has no row yet. */
import { statement, type Transaction } from '@causeway/runtime'

const takeTurn = statement(`select pg_advisory_xact_lock(hashtextextended($1, 0))`)

/** Held until the transaction ends. */
export async function waitForTurn(tx: Transaction, participant: string): Promise<void> {
  await tx.query(takeTurn, [`auth-service ${participant}`])
}
