export { start, type Sandbox } from './service.ts'
export { settings, type SandboxFspSettings } from './settings.ts'
