export { needsFourEyes } from './operator-port.ts'
export { start } from './service.ts'
export { settings } from './settings.ts'
