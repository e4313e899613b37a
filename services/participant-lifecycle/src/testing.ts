/** For tests of other services: the ledger's real decisions, without a database. */
export {
  openLedgerInMemory,
  type Entry,
  type LedgerInMemory,
  type LedgerInMemoryOptions,
} from './testing/ledger-in-memory.ts'
