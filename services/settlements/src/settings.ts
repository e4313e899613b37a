/** Every setting of settlements, with its unit, default and bounds. */
import { componentKeyFile } from '@causeway/keys/components'
import { baseAddressFault } from '@causeway/fspiop'
import { choice, databaseConnections, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  SETTLEMENTS_DATABASE_URL: text({
    about: 'database of settlement models and windows; empty: the embedded one',
    default: '',
    secret: true,
  }),
  SETTLEMENTS_COMPONENT_KEY_FILE: componentKeyFile,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  SETTLEMENTS_REPORTS_END_OF_DAY: text({
    about: 'when a day of the reports ends, UTC: 00:01 to 24:00 of its date',
    default: '24:00',
  }),
  SETTLEMENTS_REPORTS_END_OF_DAY_BY_CURRENCY: text({
    about:
      'currencies whose days end at another time and that have reports of their own: USD=22:00,KES=21:00',
    default: '',
  }),
  SETTLEMENTS_REPORTS_DELAY_MS: integer({
    about:
      'how long after the end of a day its reports are made, so that its last transfers are in',
    unit: 'ms',
    default: 60_000,
    min: 0,
    max: 21_600_000,
  }),
  SETTLEMENTS_REPORTS_CORRECTED_DAYS: integer({
    about: 'days of which reports get another version when transfers arrive late',
    unit: 'days',
    default: 7,
    min: 0,
    max: 366,
  }),
  SETTLEMENTS_REPORTS_FSP_URL: text({
    about: 'address of the API for FSPs in e-mails about reports; empty: they name the path alone',
    default: '',
    check: baseAddressFault,
  }),
  SETTLEMENTS_REPORTS_OPERATOR_URL: text({
    about: 'address of the operator port in e-mails about reports; empty: they name the path alone',
    default: '',
    check: baseAddressFault,
  }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type SettlementsSettings = SettingValues<typeof settings>
