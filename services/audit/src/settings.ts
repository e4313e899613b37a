/** Every setting of audit. */
import { cryptoSettings } from '@causeway/keys/provider'
import { componentKeyFile } from '@causeway/keys/components'
import { mailAddressFault } from '@causeway/fspiop'
import {
  databaseConnections,
  integer,
  optionalText,
  text,
  type SettingValues,
} from '@causeway/process'

export const settings = {
  AUDIT_DATABASE_URL: text({
    about: 'database of the audit log; empty: the embedded one',
    default: '',
    secret: true,
  }),
  AUDIT_COMPONENT_KEY_FILE: componentKeyFile,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  AUDIT_SIGNING_KEY_FILE: optionalText({
    about:
      'PEM file, or pkcs11:object=LABEL: the Ed25519 private key that signs entries; the hub process makes its own',
  }),
  AUDIT_TRUSTED_KEYS_FILE: optionalText({
    about:
      'PEM file: the Ed25519 public keys that signed entries earlier; empty: the key that signs now alone is trusted',
  }),
  AUDIT_ANCHOR_FILE: optionalText({
    about:
      'file for anchors of the audit log, on a volume that the owner of its database cannot write; empty: none; the hub process has its own',
  }),
  AUDIT_ANCHOR_INTERVAL_S: integer({
    about:
      'time between two anchors; what was recorded since the last one can be cut off unnoticed',
    unit: 's',
    default: 60,
    min: 1,
    max: 86_400,
  }),
  AUDIT_EXPORT_FILE: optionalText({
    about:
      'file to which recorded entries are copied as lines of JSON, for a SIEM; -: stdout; empty: none',
  }),
  AUDIT_ANCHOR_S3_URL: optionalText({
    about:
      'S3-compatible bucket with Object Lock for anchors of the audit log: https://HOST/BUCKET/PREFIX; empty: none',
  }),
  AUDIT_ANCHOR_S3_REGION: text({ about: 'region of the bucket of anchors', default: 'us-east-1' }),
  AUDIT_ANCHOR_S3_KEY_ID: optionalText({
    about: 'id of the access key of the bucket of anchors, which may put objects and list versions',
  }),
  AUDIT_ANCHOR_S3_SECRET: optionalText({
    about: 'the secret of that access key',
    secret: true,
  }),
  AUDIT_ANCHOR_S3_RETENTION_D: integer({
    about: 'how long the bucket must not change or remove an anchor',
    unit: 'd',
    default: 3_650,
    min: 1,
    max: 36_500,
  }),
  AUDIT_VERIFY_CRON: text({
    about:
      'when the whole audit log is verified, in UTC: minute, hour, day, month, weekday; empty: never',
    default: '0 3 * * *',
  }),
  AUDIT_MAIL_TO: optionalText({
    about:
      'e-mail address that gets the result of each scheduled verification, with the number and hash of the last entry; empty: none',
    check: mailAddressFault,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  AUDIT_SECRETS_KEY: optionalText({
    about:
      '32 random bytes in base64url, or pkcs11:object=LABEL: the key that encrypts confidential members of entries, and entries in quarantine; several, separated by commas: the first encrypts, each decrypts; empty: they are stored in plain; the hub process makes its own',
    secret: true,
  }),
  AUDIT_LOG_RETENTION_D: integer({
    about: 'how long lines stay in the log store',
    unit: 'd',
    default: 30,
    min: 1,
    max: 3_650,
  }),
  ...cryptoSettings,
}

export type AuditSettings = SettingValues<typeof settings>
