/** Every setting of quoting, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { messageEncryption } from '@causeway/keys/months'
import { choice, databaseConnections, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  QUOTING_DATABASE_URL: text({
    about: 'database of quoting; empty: the embedded one',
    default: '',
    secret: true,
  }),
  QUOTING_COMPONENT_KEY_FILE: componentKeyFile,
  MESSAGE_ENCRYPTION: messageEncryption,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  QUOTING_MODE: choice({
    about:
      'stored: quotes are stored and checked against the scheme rules, answers are repeated; ' +
      'pass-through: quotes are only relayed',
    options: ['stored', 'pass-through'],
    default: 'stored',
  }),
  QUOTING_RULES_INTERVAL_MS: integer({
    about: 'interval of refreshing scheme rules that another process may have changed',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
    atRunTime: true,
  }),
  SCHEME_RULES_FOUR_EYES: choice({
    about: 'whether a change of the scheme rules needs the approval of another operator',
    options: ['off', 'on'],
    default: 'off',
    atRunTime: true,
  }),
  APPROVAL_LIFE_H: integer({
    about:
      'how long a request waits for the approval of another operator; then it has expired and must be ' +
      'sent again',
    unit: 'h',
    default: 72,
    min: 1,
    max: 8_760,
  }),
  QUOTING_SWEEP_INTERVAL_MS: integer({
    about: 'interval of the sweep for expired quotes',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
    atRunTime: true,
  }),
  QUOTING_SWEEP_BATCH_MAX: integer({
    about: 'quotes in one batch of the sweep',
    unit: 'quotes',
    default: 500,
    min: 1,
    max: 5_000,
    atRunTime: true,
  }),
}

/** Of the settings that change at run time; raise it when one is added, removed or changed. */
export const schemaVersion = '1.1.0'

export type QuotingSettings = SettingValues<typeof settings>
