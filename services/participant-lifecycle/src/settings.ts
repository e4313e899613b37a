/** Every setting of participant-lifecycle, those of the ledger included. */
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import { settings as ledgerSettings } from '@causeway/ledger'
import { amountDecimals } from '@causeway/live-settings'
import { choice, databaseConnections, integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  PARTICIPANT_LIFECYCLE_DATABASE_URL: text({
    about: 'database of participants and ledger; empty: the embedded one',
    default: '',
    secret: true,
  }),
  PARTICIPANT_LIFECYCLE_COMPONENT_KEY_FILE: componentKeyFile,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  ...ledgerSettings,
  AMOUNT_DECIMALS: amountDecimals,
  ...egressSettings,
  EDGE_GATEWAY_SUBJECTS: text({
    about:
      'common names of gateways, separated by commas, that may forward the certificate of their ' +
      'client in X-Forwarded-Client-Cert',
    default: '',
  }),
  ENDPOINT_CHECK: choice({
    about: 'whether a new endpoint must accept a connection before it is approved',
    options: ['on', 'off'],
    default: 'on',
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
  AUTH_SERVICE_PARTICIPANT: text({
    about: 'name of the hosted auth service as a participant; empty: the hub hosts none',
    default: 'centralAuth',
  }),
}

/** Of the settings that change at run time; raise it when one is added, removed or changed. */
export const schemaVersion = '1.0.0'

export type ParticipantLifecycleSettings = SettingValues<typeof settings>
