export { start, startReads } from './service.ts'
export { schemaVersion, settings } from './settings.ts'
