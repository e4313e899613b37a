export { openLiveSettings, type LiveSettings } from './live-settings.ts'
export { amountDecimals, openSchemeCurrencies, type SchemeCurrencies } from './scheme-currencies.ts'
