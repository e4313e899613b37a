export { start, startReads } from './service.ts'
export { settings } from './settings.ts'
