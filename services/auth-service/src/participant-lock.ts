/** Serializes changes of an FSP's keys and credentials, also for an FSP without rows. */
import { statement, type Transaction } from '@causeway/postgres'

const lockStatement = statement(`select pg_advisory_xact_lock(hashtextextended($1, 0))`)

/** Locks until the end of the transaction. */
export async function lockParticipant(tx: Transaction, participant: string): Promise<void> {
  await tx.query(lockStatement, [`auth-service ${participant}`])
}
