/** Every setting of config, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import {
  databaseConnections,
  integer,
  optionalText,
  text,
  type SettingValues,
} from '@causeway/process'

export const settings = {
  CONFIG_DATABASE_URL: text({
    about: 'database of the configuration; empty: the embedded one',
    default: '',
    secret: true,
  }),
  CONFIG_COMPONENT_KEY_FILE: componentKeyFile,
  CONFIG_SECRETS_KEY: optionalText({
    about:
      'encrypts the stored secrets: 32 random bytes in base64url; several with commas: the first ' +
      'encrypts, each decrypts; the hub process makes its own',
    secret: true,
  }),
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  APPROVAL_LIFE_H: integer({
    about:
      'how long a request waits for the approval of another operator; then it has expired and must be ' +
      'sent again',
    unit: 'h',
    default: 72,
    min: 1,
    max: 8_760,
  }),
} as const

export type ConfigSettings = SettingValues<typeof settings>
