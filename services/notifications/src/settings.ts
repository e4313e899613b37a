/** The settings of the delivery of notifications. */
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import { messageEncryption } from '@causeway/keys/months'
import { choice, integer, optionalText, text, type SettingValues } from '@causeway/process'

const hour_ms = 3_600_000

export const settings = {
  NOTIFICATIONS_DATABASE_URL: text({
    about: 'database of deliveries, parked notifications and dead letters; empty: the embedded one',
    default: '',
    secret: true,
  }),
  NOTIFICATIONS_COMPONENT_KEY_FILE: componentKeyFile,
  MESSAGE_ENCRYPTION: messageEncryption,
  CALLBACK_TIMEOUT_MS: integer({
    about: 'how long an FSP may take to answer a callback',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
  NOTIFICATIONS_TLS_CERTIFICATE_FILE: optionalText({
    about: 'PEM file: the client certificate for https FSPs; empty: none',
  }),
  NOTIFICATIONS_TLS_KEY_FILE: optionalText({
    about: 'PEM file: the private key of the client certificate',
  }),
  NOTIFICATIONS_TLS_CA_FILE: optionalText({
    about: 'PEM file: the CA of https FSPs; empty, without a client certificate: the public ones',
  }),
  ...egressSettings,
  NOTIFICATIONS_SMTP_URL: optionalText({
    about:
      'the mail server: smtp://user:password@host:587 or smtps://host; empty: every e-mail is a dead letter',
    secret: true,
  }),
  NOTIFICATIONS_SMTP_PASSWORD: text({
    about:
      'the password of the user in NOTIFICATIONS_SMTP_URL, in place of the one there; empty: that one',
    default: '',
    secret: true,
    atRunTime: true,
  }),
  NOTIFICATIONS_SMTP_TLS: choice({
    about: 'whether e-mails to an smtp:// server require TLS (STARTTLS)',
    options: ['required', 'if-offered'],
    default: 'required',
  }),
  NOTIFICATIONS_SMTP_CA_FILE: optionalText({
    about: 'PEM file: the CA of the mail server; empty: the public ones',
  }),
  NOTIFICATIONS_MAIL_FROM: text({
    about: 'the sender of e-mails: hub@example.org or Hub <hub@example.org>',
    default: '',
  }),
  NOTIFICATIONS_LANE_MAX: integer({
    about: 'concurrent callbacks to one FSP',
    unit: 'requests',
    default: 32,
    min: 1,
    max: 1_000,
  }),
  NOTIFICATIONS_CIRCUIT_FAILURES_MAX: integer({
    about: 'failures in a row that open the circuit of an FSP, so that only trials are sent',
    unit: 'failures',
    default: 5,
    min: 1,
    max: 1_000,
    atRunTime: true,
  }),
  NOTIFICATIONS_CIRCUIT_TRIAL_MS: integer({
    about: 'time between two trials of an FSP that does not answer',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: hour_ms,
    atRunTime: true,
  }),
  NOTIFICATIONS_RETRY_FIRST_MS: integer({
    about: 'pause before the second attempt; it doubles with each further one',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: hour_ms,
    atRunTime: true,
  }),
  NOTIFICATIONS_RETRY_MAX_MS: integer({
    about: 'the longest pause between two attempts',
    unit: 'ms',
    default: 300_000,
    min: 10,
    max: 24 * hour_ms,
    atRunTime: true,
  }),
  NOTIFICATIONS_RETRY_POLL_MS: integer({
    about: 'interval between two checks for parked notifications that are due',
    unit: 'ms',
    default: 250,
    min: 10,
    max: 60_000,
    atRunTime: true,
  }),
  NOTIFICATIONS_DEAD_LETTER_RETENTION_D: integer({
    about: 'how long a dead letter is kept, with its bytes, before it is deleted',
    unit: 'd',
    default: 90,
    min: 1,
    max: 3_650,
    atRunTime: true,
  }),
  NOTIFICATIONS_RESEND_H: integer({
    about: 'how long a dead letter is tried when an operator sends it again',
    unit: 'h',
    default: 24,
    min: 1,
    max: 720,
    atRunTime: true,
  }),
} as const

/** Of the settings that change at run time; raise it when one is added, removed or changed. */
export const schemaVersion = '1.2.0'

export type NotificationsSettings = SettingValues<typeof settings>
