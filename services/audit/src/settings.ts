/** Every setting of audit. */
import { integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  AUDIT_DATABASE_URL: text({
    about: 'database of the audit log; empty: the embedded one',
    default: '',
    secret: true,
  }),
  AUDIT_CONNECTIONS: integer({
    about: 'connections to the database of the audit log',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  AUDIT_SIGNING_KEY_FILE: text({
    about: 'PEM file: the Ed25519 private key that signs entries; the hub process makes its own',
    default: '',
  }),
}

export type Settings = SettingValues<typeof settings>
