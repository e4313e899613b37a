/** Every setting of auth-service. */
import { integer, text, type SettingValues } from '@causeway/runtime'

export const settings = {
  AUTH_SERVICE_DATABASE_URL: text({
    about: 'database of keys, credentials and pings; empty: the embedded one',
    default: '',
    secret: true,
  }),
  AUTH_SERVICE_CONNECTIONS: integer({
    about: 'connections to it',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
  }),
  AUTH_SERVICE_SECRETS_KEY: text({
    about:
      'encrypts what is stored of the keys that sign tokens: 32 random bytes in base64url; the hub ' +
      'process makes its own',
    default: '',
    secret: true,
  }),
  AUTH_SERVICE_TOKEN_LIFE_S: integer({
    about: 'how long a token of an FSP is valid',
    unit: 's',
    default: 300,
    min: 30,
    max: 3_600,
  }),
  AUTH_SERVICE_TOKEN_KEY_LIFE_D: integer({
    about: 'how long one key signs tokens before the next one does',
    unit: 'd',
    default: 30,
    min: 1,
    max: 365,
  }),
  AUTH_SERVICE_WRONG_SECRETS_MAX: integer({
    about: 'wrong secrets of one client within a minute, in one process, before guessing is over',
    unit: 'secrets',
    default: 10,
    min: 1,
    max: 10_000,
  }),
  AUTH_SERVICE_CA_CERTIFICATE_FILE: text({
    about: "PEM of the scheme's CA that signs client certificates; empty: none are issued",
    default: '',
  }),
  AUTH_SERVICE_CA_KEY_FILE: text({
    about: "PEM of that CA's private key",
    default: '',
  }),
  AUTH_SERVICE_CERTIFICATE_LIFE_D: integer({
    about: 'how long a client certificate is valid, at most as long as the CA itself',
    unit: 'd',
    default: 730,
    min: 1,
    max: 3_650,
  }),
  AUTH_SERVICE_PINGS_KEPT_D: integer({
    about: 'how long pings are kept; the last one of an FSP stays',
    unit: 'd',
    default: 30,
    min: 1,
    max: 3_650,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
}

export type Settings = SettingValues<typeof settings>
