/** Settings of every process of the hub, whether it holds all services or one. */
import { integer, optionalText } from './settings.ts'

export const operationsSettings = {
  METRICS_PORT: integer({
    about: 'health and metrics',
    unit: 'port',
    default: 4_190,
    min: 0,
    max: 65_535,
  }),
  WATCHDOG_MS: integer({
    about: 'a consumer without progress for this long though there is work ends the process',
    unit: 'ms',
    default: 60_000,
    min: 1_000,
    max: 3_600_000,
  }),
  TRACES_URL: optionalText({
    about:
      'where traces are sent over OTLP/HTTP: http://collector:4318/v1/traces; empty: none are recorded',
  }),
  TRACES_SAMPLED_PERCENT: integer({
    about: 'of a hundred traces so many are recorded; the same for all services',
    unit: 'percent',
    default: 100,
    min: 1,
    max: 100,
  }),
}
