/** Every setting of auth-service. */
import { cryptoSettings } from '@causeway/keys/provider'
import { componentKeyFile } from '@causeway/keys/components'
import { operatorProof } from '@causeway/grpc'
import {
  choice,
  databaseConnections,
  integer,
  optionalText,
  text,
  type SettingValues,
} from '@causeway/process'

export const settings = {
  AUTH_SERVICE_DATABASE_URL: text({
    about: 'database of keys, credentials and pings; empty: the embedded one',
    default: '',
    secret: true,
  }),
  AUTH_SERVICE_COMPONENT_KEY_FILE: componentKeyFile,
  DATABASE_CONNECTIONS_MAX: databaseConnections,
  AUTH_SERVICE_SECRETS_KEY: optionalText({
    about:
      'encrypts the stored keys: 32 random bytes in base64url, or pkcs11:object=LABEL; several ' +
      'with commas: the first encrypts, each decrypts; the hub process makes its own',
    secret: true,
  }),
  AUTH_SERVICE_MONTH_RETENTION: integer({
    about: 'how long after its end a month is kept before operators can erase it',
    unit: 'months',
    default: 12,
    min: 2,
    max: 240,
  }),
  AUTH_SERVICE_GIVEN_UP_MONTHS: text({
    about:
      'months whose lost keys are given up, with commas: 2026-08. Another key is made for them; what ' +
      'was encrypted with the lost one stays unreadable',
    default: '',
  }),
  AUTH_SERVICE_CA_CERTIFICATE_FILE: optionalText({
    about: "PEM of the scheme's CA that signs client certificates; empty: none are issued",
  }),
  AUTH_SERVICE_CA_KEY_FILE: optionalText({
    about: "PEM of that CA's private key",
  }),
  AUTH_SERVICE_CERTIFICATE_LIFE_D: integer({
    about: 'how long a client certificate is valid, at most as long as the CA itself',
    unit: 'd',
    default: 365,
    min: 1,
    max: 3_650,
  }),
  AUTH_SERVICE_SESSION_LIFE_S: integer({
    about: 'maximum duration of an operator session after a log-in',
    unit: 's',
    default: 43_200,
    min: 60,
    max: 2_592_000,
  }),
  AUTH_SERVICE_SESSION_IDLE_S: integer({
    about:
      'how long an operator session goes on without a refresh, which the console makes while it is used; ' +
      'longer than the life of an access token',
    unit: 's',
    default: 1_800,
    min: 60,
    max: 2_592_000,
  }),
  AUTH_SERVICE_WRONG_PASSWORDS_MAX: integer({
    about:
      'consecutive wrong passwords of an operator from one address before more from there are refused; ' +
      'ten times as many from all addresses without a log-in of the operator in the last 30 days',
    unit: 'passwords',
    default: 10,
    min: 1,
    max: 1_000,
  }),
  AUTH_SERVICE_PASSWORD_COST: integer({
    about: 'cost of hashing a password: 15 is 32 MiB of memory, each step doubles it',
    unit: '',
    default: 15,
    min: 10,
    max: 20,
  }),
  AUTH_SERVICE_LOCK_S: integer({
    about: 'how long wrong passwords count, which is also how long a lock lasts',
    unit: 's',
    default: 900,
    min: 1,
    max: 86_400,
  }),
  AUTH_SERVICE_ENDING_WARNINGS_D: text({
    about:
      'days before the end of a key or a certificate at which the FSP and the hub are warned, ' +
      'separated by commas; empty: never',
    default: '30,7,1',
  }),
  AUTH_SERVICE_FIDO_RP_ID: text({
    about:
      "the relying party of operators' security keys: the domain of the console, without scheme and " +
      'port; keys that were registered for another one cannot be used any more',
    default: 'localhost',
  }),
  AUTH_SERVICE_FIDO_ORIGINS: text({
    about:
      'origins at which these keys may be used, separated by commas: https://operator.hub.example; ' +
      'with :* at the end any port',
    default: 'http://localhost:*',
  }),
  AUTH_SERVICE_FIDO_REQUIRED: choice({
    about:
      'whether operators whose roles approve requests must have a security key: log-in (as second ' +
      'factor), approval (also to sign each approval), or off (a key is asked for once registered)',
    options: ['off', 'log-in', 'approval'],
    default: 'off',
  }),
  AUTH_SERVICE_OPERATOR_CA_FILE: optionalText({
    about:
      'PEM of the authorities whose client certificates log operators in (/app-pem-auth), people and ' +
      'programs; never the CA of FSPs; empty: none',
  }),
  AUTH_SERVICE_SERVICE_CA_FILE: optionalText({
    about: 'PEM of the authorities whose client certificates log programs in; empty: none',
  }),
  AUTH_SERVICE_FIRST_PASSWORD_FILE: optionalText({
    about:
      'file: the password of the first administrator, created if there is no operator, to be ' +
      'changed at the first log-in, when the file is removed if this process may; the hub process ' +
      'creates its own',
  }),
  AUTH_SERVICE_SECOND_PASSWORD_FILE: optionalText({
    about:
      'file: the password of a second administrator, administrator2, created while there is one person ' +
      'alone, also to be changed; with FOUR_EYES=required two are needed; at a place that who reads the ' +
      'first one cannot read; empty: none',
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
  AUTH_SERVICE_FOUR_EYES_APART_D: integer({
    about:
      'with FOUR_EYES=required: how long an operator, and the one who made this operator or reset the ' +
      'password, cannot decide requests of each other',
    unit: 'd',
    default: 30,
    min: 0,
    max: 3_650,
  }),
  AUTH_SERVICE_SETUP_SECRET_FILE: optionalText({
    about:
      "file: the secret of the operator 'setup', a program that sets up the hub: 32 random bytes " +
      'in base64url; empty: none; the hub process creates its own',
  }),
  AUTH_SERVICE_OIDC_ISSUER: optionalText({
    about:
      'the OpenID provider that logs operators in, by its issuer: https://login.bank.example; empty: none',
  }),
  AUTH_SERVICE_OIDC_CLIENT_ID: text({ about: 'the hub as its client', default: 'causeway' }),
  AUTH_SERVICE_OIDC_CLIENT_SECRET: optionalText({
    about: 'the secret of that client; empty: a public client',
    secret: true,
  }),
  AUTH_SERVICE_OIDC_REDIRECT_URI: optionalText({
    about:
      'where the provider sends the browser back: the console, as browsers reach it: ' +
      'https://operator.hub.example/console/',
  }),
  AUTH_SERVICE_OIDC_SCOPE: text({
    about: 'the scopes that are asked for',
    default: 'openid profile email',
  }),
  AUTH_SERVICE_OIDC_NAME_CLAIM: text({
    about: "the claim of the provider's ID token that is the name of the operator",
    default: 'preferred_username',
  }),
  OPERATOR_PROOF: operatorProof,
  AUTH_SERVICE_PARTICIPANT: text({
    about: 'name of the hosted auth service as a participant; empty: the hub hosts none',
    default: 'centralAuth',
  }),
  AUTH_SERVICE_ORIGINS: text({
    about:
      'where users of a PISP may make and use FIDO credentials, PISPs separated by semicolons: name, ' +
      'then origins and relying-party ids, separated by blanks ' +
      "('pispx https://app.pispx.example pispx.example'); for a PISP that is not listed: any https " +
      'origin of the relying party, which then must stay the same',
    default: '',
  }),
  AUTH_SERVICE_NATIVE_ORIGINS: choice({
    about: 'whether origins of native apps are accepted for PISPs that AUTH_SERVICE_ORIGINS omits',
    options: ['off', 'on'],
    default: 'off',
  }),
  AUTH_SERVICE_LOCALHOST_ORIGINS: choice({
    about: 'whether http://localhost is accepted for them; development only',
    options: ['off', 'on'],
    default: 'off',
  }),
  AUTH_SERVICE_CROSS_ORIGIN: choice({
    about: 'whether FIDO credentials may be made and used in a frame of another origin',
    options: ['off', 'on'],
    default: 'off',
  }),
  AUTH_SERVICE_USER_VERIFICATION: choice({
    about:
      'whether an authenticator must verify the user (PIN, fingerprint), not only detect presence',
    options: ['off', 'on'],
    default: 'off',
  }),
  AUTH_SERVICE_ATTESTATION_ROOTS_FILE: optionalText({
    about:
      'PEM of the makers of authenticators of which the credentials of users of PISPs have to be: the ' +
      'chain of each attestation has to reach one of them, and a credential without a chain is refused; ' +
      'empty: any maker',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  ...cryptoSettings,
}

export type AuthServiceSettings = SettingValues<typeof settings>
