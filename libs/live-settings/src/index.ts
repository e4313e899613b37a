export { openLiveSettings, type LiveSettings } from './live-settings.ts'
export { openSchemeCurrencies, type SchemeCurrencies } from './scheme-currencies.ts'
