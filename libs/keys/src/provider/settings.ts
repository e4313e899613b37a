/** The settings of every service with private keys: where the keys are. */
import { choice, optionalText, type SettingValues } from '@causeway/process'

export const cryptoSettings = {
  CRYPTO_PROVIDER: choice({
    about:
      'where auth-service creates keys until /crypto-adapter-set chooses: node (encrypted in its ' +
      'database) or pkcs11 (in an HSM)',
    options: ['node', 'pkcs11'],
    default: 'node',
  }),
  CRYPTO_PKCS11_LIBRARY: optionalText({
    about:
      'file: the PKCS#11 library of the HSM, which settings of keys then name as ' +
      'pkcs11:object=LABEL; empty: no HSM',
  }),
  CRYPTO_PKCS11_TOKEN: optionalText({ about: 'label of the token in the HSM' }),
  CRYPTO_PKCS11_PIN_FILE: optionalText({ about: 'file: the PIN of the user of the token' }),
}

export type CryptoSettings = SettingValues<typeof cryptoSettings>

/** For a process without an HSM. */
export const noHsm: CryptoSettings = {
  CRYPTO_PROVIDER: 'node',
  CRYPTO_PKCS11_LIBRARY: undefined,
  CRYPTO_PKCS11_TOKEN: undefined,
  CRYPTO_PKCS11_PIN_FILE: undefined,
}
