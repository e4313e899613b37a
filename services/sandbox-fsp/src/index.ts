export { start, type Sandbox } from './service.ts'
export { settings, type Settings } from './settings.ts'
