/** Every setting of the scheduler, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import { integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  SCHEDULER_DATABASE_URL: text({
    about: 'database of the reminders; empty: the embedded one',
    default: '',
    secret: true,
  }),
  SCHEDULER_COMPONENT_KEY_FILE: componentKeyFile,
  ...egressSettings,
  SCHEDULER_POLL_MS: integer({
    about: 'interval between two checks for due reminders',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
  SCHEDULER_HTTP_TIMEOUT_MS: integer({
    about: 'time-out of a server that a reminder is posted to',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
  SCHEDULER_ATTEMPTS_MAX: integer({
    about: 'attempts for one due time before the reminder fails',
    unit: 'attempts',
    default: 10,
    min: 1,
    max: 1_000,
  }),
  SCHEDULER_RETRY_FIRST_MS: integer({
    about: 'pause before the second attempt; it doubles with each further one',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 3_600_000,
  }),
  SCHEDULER_RETRY_MAX_MS: integer({
    about: 'the longest pause between two attempts',
    unit: 'ms',
    default: 300_000,
    min: 10,
    max: 86_400_000,
  }),
  SCHEDULER_RESCHEDULE_MS: integer({
    about: 'delay before a one-time reminder with recovery RESCHEDULE is tried again',
    unit: 'ms',
    default: 3_600_000,
    min: 100,
    max: 86_400_000,
  }),
} as const

export type Settings = SettingValues<typeof settings>
