/** Participants and the ledger. */
export { start } from './service.ts'
export { schemaVersion, settings, type Settings } from './settings.ts'
