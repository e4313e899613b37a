/** Participants and the ledger. */
export { start } from './service.ts'
export { schemaVersion, settings, type ParticipantLifecycleSettings } from './settings.ts'
