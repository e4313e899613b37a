/** The ledger: decisions, funds, cover, alarms and verification, in the process of its host. */
export { announceAudit } from './audit-entry.ts'
export { usualBounds, type LedgerBounds } from './bounds.ts'
export * as moneyChanges from './changes.ts'
export type { FundsParts } from './funds/handle.ts'
export type { LeaderForwarding } from './leader/forwarding.ts'
export { type Ledger, openLedger } from './open-ledger.ts'
export { settings } from './settings.ts'
export { decideIn, type DecidingRules, type Writer } from './writer.ts'
