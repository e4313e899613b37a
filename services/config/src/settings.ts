/** Every setting of config, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/component-keys'
import { integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  CONFIG_DATABASE_URL: text({
    about: 'database of the configuration; empty: the embedded one',
    default: '',
    secret: true,
  }),
  CONFIG_COMPONENT_KEY_FILE: componentKeyFile,
  CONFIG_SECRETS_KEY: text({
    about:
      'encrypts the stored secrets: 32 random bytes in base64url; several with commas: the first ' +
      'encrypts, each decrypts; the hub process makes its own',
    default: '',
    secret: true,
  }),
  CONFIG_CONNECTIONS_MAX: integer({
    about: 'connections to it',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
} as const

export type Settings = SettingValues<typeof settings>
