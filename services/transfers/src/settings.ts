/** Every setting of transfers, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { messageEncryption } from '@causeway/keys/months'
import { choice, databaseConnections, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  TRANSFERS_DATABASE_URL: text({
    about: 'database of transfers; empty: the embedded one',
    default: '',
    secret: true,
  }),
  TRANSFERS_COMPONENT_KEY_FILE: componentKeyFile,
  MESSAGE_ENCRYPTION: messageEncryption,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  TRANSFERS_REJECTED_BULK_RETENTION_H: integer({
    about: 'how long after its end a rejected bulk transfer is shown to the FSP that asks for it',
    unit: 'h',
    default: 720,
    min: 1,
    max: 87_600,
  }),
  TRANSFERS_CHECK_BULK_QUOTES: choice({
    about:
      'whether a bulk transfer is refused when quoting knows no bulk quote of its id that its payer FSP may ' +
      'rely on (3209), or it is no longer valid (3302); never with COMPATIBILITY=mojaloop, and not where quotes are only passed on',
    options: ['on', 'off'],
    default: 'on',
  }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
  TRANSFERS_ABORT_REFUSED_DELIVERIES: choice({
    about:
      'whether a transfer ends at once when the payee FSP answers POST /transfers with 4xx or 501, ' +
      'instead of at its expiration',
    options: ['off', 'on'],
    default: 'off',
  }),
  /** The ledger's own, word for word: it decides, and the sweeper comes at that time. */
  EXPIRY_GRACE_MS: integer({
    about: 'how long after its expiration a reservation may be voided by timeout',
    unit: 'ms',
    default: 1_000,
    min: 0,
    max: 600_000,
  }),
  SWEEP_INTERVAL_MS: integer({
    about: 'pause between two sweeps for expired transfers',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
    atRunTime: true,
  }),
  TRANSFERS_SWEEP_BATCH_MAX: integer({
    about: 'transfers that a sweep takes at once',
    unit: 'transfers',
    default: 200,
    min: 1,
    max: 1_000,
    atRunTime: true,
  }),
  TRANSFERS_HEAL_INTERVAL_MS: integer({
    about: 'pause between two comparisons of long expired transfers with the ledger',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
    atRunTime: true,
  }),
}

/** Of the settings that change at run time; raise it when one is added, removed or changed. */
export const schemaVersion = '1.0.0'

export type TransfersSettings = SettingValues<typeof settings>
