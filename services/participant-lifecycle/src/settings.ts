/** Every setting of participant-lifecycle. */
import { choice, integer, text, type SettingValues } from '@causeway/runtime'

export const settings = {
  PARTICIPANT_LIFECYCLE_DATABASE_URL: text({
    about: 'database of participants and ledger; empty: the embedded one',
    default: '',
    secret: true,
  }),
  PARTICIPANT_LIFECYCLE_CONNECTIONS: integer({
    about: 'connections for questions; the writer of the ledger has one more',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  LEDGER_BATCH_MAX: integer({
    about: 'most items that the ledger takes into one transaction',
    unit: 'items',
    default: 200,
    min: 1,
    max: 2_000,
  }),
  LEDGER_QUEUE_MAX: integer({
    about: 'most items that wait for the ledger; who comes then is told to come again later',
    unit: 'items',
    default: 10_000,
    min: 200,
    max: 1_000_000,
  }),
  EXPIRY_GRACE_MS: integer({
    about: 'how long after its expiration a reservation may be voided for time',
    unit: 'ms',
    default: 1_000,
    min: 0,
    max: 600_000,
  }),
  FUNDS_OUT_VALIDITY_S: integer({
    about: 'how long funds out are held before they are cover again',
    unit: 's',
    default: 432_000,
    min: 1,
    max: 31_536_000,
  }),
  FUNDS_SWEEP_INTERVAL_MS: integer({
    about: 'how often funds out that nobody completed in time are looked for',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
  PARTICIPANT_STATES: text({
    about: 'the states of participants, and what each permits: TRANSFERS, FUNDS_IN, FUNDS_OUT',
    default: 'ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=FUNDS_IN;CLOSED=FUNDS_OUT',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type Settings = SettingValues<typeof settings>
