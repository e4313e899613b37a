/** Every setting of the ledger. The service that hosts it has them too. */
import { statesFault } from '@causeway/services'
import { choice, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
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

export type LedgerSettings = SettingValues<typeof settings>
