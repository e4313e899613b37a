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
} as const

export type SchedulerSettings = SettingValues<typeof settings>
