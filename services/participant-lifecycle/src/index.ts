/** Participants and the ledger. */
export { start } from './service.ts'
export { settings, type Settings } from './settings.ts'
