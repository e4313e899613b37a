/** Every setting of the scheduler, with its unit, default and bounds. */
import { integer, text, type SettingValues } from '@causeway/runtime'

export const settings = {
  SCHEDULER_DATABASE_URL: text({
    about: 'where reminders are stored; empty: the embedded one',
    default: '',
    secret: true,
  }),
  SCHEDULER_POLL_MS: integer({
    about: 'how often reminders are looked through for those whose time has come',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
  SCHEDULER_HTTP_TIMEOUT_MS: integer({
    about: 'how long a server may take to answer a reminder that is posted to it',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
  SCHEDULER_ATTEMPTS_MAX: integer({
    about: 'how often a reminder is tried for one time before it is given up',
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
    about: 'how much later a reminder that comes once is tried when it is to be rescheduled',
    unit: 'ms',
    default: 3_600_000,
    min: 100,
    max: 86_400_000,
  }),
} as const

export type Settings = SettingValues<typeof settings>
