/** For tests of other services: the ledger's real decisions, without a database. */
export { openBook } from './domain/book.ts'
export { decideAll } from './domain/book.ts'
export { openJournalMonths } from './journal-months.ts'
export { openLeaderConnection } from './leader/connection.ts'
export { lockRows } from './lock-store.ts'
export { savingOf } from './save-store.ts'
export {
  type Entry,
  type LedgerInMemoryOptions,
  openLedgerInMemory,
  type LedgerInMemory,
} from './testing/ledger-in-memory.ts'
export { verifyLedger } from './verification/verify.ts'
