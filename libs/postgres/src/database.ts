/**
 * How a service uses PostgreSQL: prepared set-based statements, transactions that are repeated after a
 * deadlock or a serialization failure, and announcements that are rows of the transaction.
 */
import type { OutgoingMessage } from './outgoing-message.ts'

/** A prepared statement: PostgreSQL parses and plans it once per connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** Values as PostgreSQL takes them; arrays are made with `textArray` and `byteaArray`. */
export type Value = string | number | boolean | null | Buffer | Date

export interface Queries {
  query<Row>(statement: Statement, values: readonly Value[]): Promise<readonly Row[]>
}

/**
 * An open transaction. What is announced in it is published if and only if it commits. Statements that
 * are issued at the same time share a round trip and run in their order; after one that fails none runs.
 */
export interface Transaction extends Queries {
  readonly announced: OutgoingMessage[]
  /**
   * Runs this statement last, in one round trip with COMMIT. Its rows are not returned, and when it fails
   * so does the transaction. No further statement is accepted.
   */
  finish(statement: Statement, values: readonly Value[]): void
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read'
  readonly readOnly?: boolean
}

export interface Database extends Queries {
  /**
   * Runs the work and commits. After a deadlock or a serialization failure the work runs again from
   * the start, so it must have no effect outside the transaction.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}

/** How the transaction function stores announcements; each bus engine has its own. */
export interface Outbox {
  /** Writes the messages as the last statement before COMMIT. */
  write(tx: Queries, messages: readonly OutgoingMessage[]): Promise<OutboxTicket>
}

/** Exactly one of these is called after `write`, as soon as the outcome of the transaction is known. */
export interface OutboxTicket {
  committed(): void
  rolledBack(): void
  /** The response to COMMIT was lost: it may or may not have committed. */
  unknown(): void
}
