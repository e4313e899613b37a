export { start, type FspiopApi } from './service.ts'
export { settings } from './settings.ts'
