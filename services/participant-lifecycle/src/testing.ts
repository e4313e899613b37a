/** What tests of other services stand on: the ledger's real decisions, without a database. */
export {
  openLedgerInMemory,
  type Entry,
  type LedgerInMemory,
  type LedgerInMemoryOptions,
} from './testing/ledger-in-memory.ts'
