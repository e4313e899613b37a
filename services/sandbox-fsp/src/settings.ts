/** Every setting of the sandbox FSPs. */
import { choice, integer, text, type SettingValues } from '@causeway/runtime'

export const settings = {
  SANDBOX_GREENBANK_PORT: integer({
    about: 'greenbank, the sandbox FSP that pays',
    unit: 'port',
    default: 4_301,
    min: 0,
    max: 65_535,
  }),
  SANDBOX_BLUEWALLET_PORT: integer({
    about: 'bluewallet, the sandbox FSP that is paid',
    unit: 'port',
    default: 4_302,
    min: 0,
    max: 65_535,
  }),
  HUB_URL: text({
    about: "where the hub takes FSPs' messages",
    default: 'http://127.0.0.1:4000',
  }),
  HUB_NAME: text({ about: 'the name of the hub as a participant', default: 'Hub' }),
  SANDBOX_VALIDITY_MS: integer({
    about: 'how long a payment may take before it expires, unless it says so itself',
    unit: 'ms',
    default: 15_000,
    min: 100,
    max: 600_000,
  }),
  SANDBOX_EXIT_WITH_PARENT: choice({
    about: 'on: the process ends when its standard input is closed',
    options: ['on', 'off'],
    default: 'off',
  }),
}

export type Settings = SettingValues<typeof settings>
