/** The ledger's pure decisions and words, for the domain of its host. */
export type { AccountType } from './domain/account.ts'
export { hubId } from './domain/book.ts'
export type { Command } from './domain/command.ts'
export { type Refused, isRefused, refuse, unknownParticipant } from './domain/refusal.ts'
export { type States, active, closed, inactive, permittedIn } from './domain/states.ts'
