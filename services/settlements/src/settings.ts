/** Every setting of settlements, with its unit, default and bounds. */
import { choice, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  SETTLEMENTS_DATABASE_URL: text({
    about: 'database of settlement models and windows; empty: the embedded one',
    default: '',
    secret: true,
  }),
  SETTLEMENTS_CONNECTIONS_MAX: integer({
    about: 'connections to it',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  SETTLEMENTS_BATCH_MAX: integer({
    about: 'maximum number of events in one batch',
    unit: 'events',
    default: 100,
    min: 1,
    max: 1_000,
  }),
  SETTLEMENTS_BATCHES_IN_FLIGHT_MAX: integer({
    about: 'maximum number of batches processed concurrently',
    unit: 'batches',
    default: 1,
    min: 1,
    max: 16,
  }),
  SETTLEMENTS_FINISH_INTERVAL_MS: integer({
    about: 'how often unfinished closings and steps are retried',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type Settings = SettingValues<typeof settings>
