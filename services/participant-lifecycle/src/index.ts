/** Participants and the ledger: who takes part, what they owe, and the one place that decides it. */
export { start } from './service.ts'
export { settings, type Settings } from './settings.ts'
