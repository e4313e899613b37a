export { start } from './service.ts'
export { schemaVersion, settings } from './settings.ts'
