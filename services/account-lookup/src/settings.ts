/** Every setting of account-lookup, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import {
  choice,
  databaseConnections,
  integer,
  optionalText,
  text,
  type SettingValues,
} from '@causeway/process'

export const settings = {
  ACCOUNT_LOOKUP_DATABASE_URL: text({
    about: 'database of parties and oracles; empty: the embedded one',
    default: '',
    secret: true,
  }),
  ACCOUNT_LOOKUP_COMPONENT_KEY_FILE: componentKeyFile,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  ACCOUNT_LOOKUP_COMMAND_RETENTION_H: integer({
    about:
      'how long the ids of processed requests are retained; longer than the log retains events',
    unit: 'h',
    default: 168,
    min: 24,
    max: 8_760,
  }),
  ACCOUNT_LOOKUP_BUILT_IN: choice({
    about:
      "types for which the hub's own store answers: default (all without a registered oracle) or registered (only those for which it is registered as builtin:)",
    options: ['default', 'registered'],
    default: 'default',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE: optionalText({
    about: 'PEM file: the client certificate for https oracles; empty: none',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_KEY_FILE: optionalText({
    about: 'PEM file: the private key of the client certificate',
  }),
  ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: optionalText({
    about: 'PEM file: the CA of https oracles; empty: the public ones',
  }),
  ACCOUNT_LOOKUP_ORACLE_TIMEOUT_MS: integer({
    about: 'time-out of one call of an oracle, including the wait for a connection',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: 60_000,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  ...egressSettings,
}

export type AccountLookupSettings = SettingValues<typeof settings>
