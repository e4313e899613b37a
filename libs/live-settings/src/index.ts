export { openLiveSettings, type LiveSettings } from './live-settings.ts'
