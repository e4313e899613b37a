/** Every setting of audit. */
import { cryptoSettings } from '@causeway/crypto-provider'
import { componentKeyFile } from '@causeway/component-keys'
import { integer, text, type SettingValues } from '@causeway/process'

export const settings = {
  AUDIT_DATABASE_URL: text({
    about: 'database of the audit log; empty: the embedded one',
    default: '',
    secret: true,
  }),
  AUDIT_COMPONENT_KEY_FILE: componentKeyFile,
  AUDIT_CONNECTIONS: integer({
    about: 'connections to the database of the audit log',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  AUDIT_SIGNING_KEY_FILE: text({
    about:
      'PEM file, or pkcs11:object=LABEL: the Ed25519 private key that signs entries; the hub process makes its own',
    default: '',
  }),
  AUDIT_TRUSTED_KEYS_FILE: text({
    about:
      'PEM file: the Ed25519 public keys that signed entries earlier; empty: the key that signs now alone is trusted',
    default: '',
  }),
  AUDIT_ANCHOR_FILE: text({
    about:
      'file for anchors of the audit log, on a volume that the owner of its database cannot write; empty: none; the hub process has its own',
    default: '',
  }),
  AUDIT_ANCHOR_INTERVAL_S: integer({
    about:
      'time between two anchors; what was recorded since the last one can be cut off unnoticed',
    unit: 's',
    default: 60,
    min: 1,
    max: 86_400,
  }),
  ...cryptoSettings,
}

export type Settings = SettingValues<typeof settings>
