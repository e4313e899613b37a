/** The ledger's pure decisions and words, for the domain of its host. */
export type { AccountType } from './domain/account.ts'
export { hubId } from './domain/decision.ts'
export type { Command } from './domain/command.ts'
export { decimalsFault } from './domain/refusal.ts'
