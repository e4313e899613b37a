/** Every setting of the ledger. The service that hosts it has them too. */
import { statesFault } from '@causeway/services'
import { choice, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  LEDGER_BATCH_MAX: integer({
    about: 'maximum number of items in one transaction of the ledger',
    unit: 'items',
    default: 200,
    min: 1,
    max: 2_000,
  }),
  LEDGER_QUEUE_MAX: integer({
    about:
      'maximum number of items that wait for the ledger; further ones are refused as unavailable',
    unit: 'items',
    default: 10_000,
    min: 200,
    max: 1_000_000,
  }),
  LEDGER_ALARM_INTERVAL_MIN: integer({
    about: 'shortest time between two notifications of an active alarm',
    unit: 'min',
    default: 60,
    min: 1,
    max: 10_080,
  }),
  LEDGER_ALARM_NOTICES_MAX: integer({
    about: 'maximum number of notifications of one alarm',
    unit: 'times',
    default: 3,
    min: 1,
    max: 1_000,
  }),
  LEDGER_ALARM_RESET_H: integer({
    about: 'an alarm that has been active for so long is raised again',
    unit: 'h',
    default: 24,
    min: 1,
    max: 8_760,
  }),
  EXPIRY_GRACE_MS: integer({
    about: 'how long after its expiration a reservation may be voided by timeout',
    unit: 'ms',
    default: 1_000,
    min: 0,
    max: 600_000,
  }),
  FUNDS_OUT_VALIDITY_S: integer({
    about: 'how long funds out are held before they are released',
    unit: 's',
    default: 432_000,
    min: 1,
    max: 31_536_000,
  }),
  FUNDS_SWEEP_INTERVAL_MS: integer({
    about: 'how often the ledger looks for funds out that were not completed in time',
    unit: 'ms',
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
  COVER_PERCENT: choice({
    about:
      'what a percentage of the cover that is excluded comes to: the amount that it is when it is ' +
      'approved (fixed), or always the same part of the deposit (follows); for what is approved from then on',
    options: ['fixed', 'follows'],
    default: 'fixed',
  }),
  PARTICIPANT_STATES: text({
    about: 'the states of participants, and what each permits: TRANSFERS, FUNDS_IN, FUNDS_OUT',
    default: 'ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=FUNDS_IN;CLOSED=FUNDS_OUT',
    atRunTime: true,
    check: statesFault,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type Settings = SettingValues<typeof settings>
