export { needsFourEyes } from './door.ts'
export { start } from './service.ts'
export { settings } from './settings.ts'
