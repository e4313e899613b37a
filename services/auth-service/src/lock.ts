/** Serializes changes of what has a name, also where it has no row yet. */
import { statement, type Transaction } from '@causeway/postgres'

export type LockName =
  | 'operators'
  | 'component-keys'
  | 'listeners'
  /** Keys and credentials of an FSP. */
  | `fsp ${string}`
  /** Authenticators of a user: with the realm and the id of the user. */
  | `fido ${string}`
  /** PINs that were tried with a key: with its id. */
  | `pin-attempts ${string}`

const lockStatement = statement(`select pg_advisory_xact_lock(hashtextextended($1, 0))`)

/** Locks until the end of the transaction. */
export async function lockNamed(tx: Transaction, name: LockName): Promise<void> {
  await tx.query(lockStatement, [`auth-service ${name}`])
}
