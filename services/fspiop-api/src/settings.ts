/** Every setting of the FSP edge. */
import { cryptoSettings } from '@causeway/keys/provider'
import { componentKeyFile } from '@causeway/keys/components'
import { egressSettings } from '@causeway/http'
import { amountDecimals } from '@causeway/live-settings'
import {
  acceptRelaxations,
  choice,
  integer,
  optionalText,
  text,
  tlsRenewal,
  type SettingValues,
} from '@causeway/process'

export const settings = {
  FSPIOP_API_COMPONENT_KEY_FILE: componentKeyFile,
  FSP_PORT: integer({
    about: 'the API for FSPs',
    unit: 'port',
    default: 4_000,
    min: 0,
    max: 65_535,
  }),
  FSP_HOST: egressSettings.FSP_HOST,
  ACCEPT_RELAXATIONS: acceptRelaxations,
  FSP_BASE_PATHS: text({
    about: 'further base paths of the API for FSPs, separated by commas: /als,/quotes-api',
    default: '',
  }),
  EDGE_IDENTITY: choice({
    about:
      'how FSPs authenticate: mtls (client certificate), token (bearer token), or header ' +
      '(FSPIOP-Source is not verified; development only)',
    options: ['mtls', 'token', 'header'],
    default: 'mtls',
  }),
  EDGE_TLS: choice({
    about:
      'whether the API for FSPs is https; off: on a loopback address only, with EDGE_IDENTITY=token or ' +
      'header; gateway: plain http, which only a gateway that terminates TLS can reach; on ' +
      'a public address with ACCEPT_RELAXATIONS alone',
    options: ['on', 'off', 'gateway'],
    default: 'on',
  }),
  EDGE_TLS_MIN_VERSION: choice({
    about: 'the lowest version of TLS for FSPs',
    options: ['TLSv1.2', 'TLSv1.3'],
    default: 'TLSv1.2',
  }),
  EDGE_TLS_CIPHERS: optionalText({
    about:
      'cipher suites for FSPs, in the format of OpenSSL; empty: those with forward secrecy and ' +
      'authenticated encryption',
  }),
  EDGE_TOKEN_BINDING: choice({
    about:
      'whether tokens are bound to the client certificate of the connection on which they are requested ' +
      '(RFC 8705): offered (where the client has one) or required; with EDGE_IDENTITY=token',
    options: ['offered', 'required'],
    default: 'offered',
  }),
  EDGE_TLS_CERTIFICATE_FILE: optionalText({ about: "PEM file: the FSP port's certificate" }),
  EDGE_TLS_KEY_FILE: optionalText({ about: 'PEM file: its private key' }),
  EDGE_TLS_CA_FILE: optionalText({
    about:
      "PEM file: the scheme's CA, which issues the certificates of FSPs; with EDGE_IDENTITY=mtls",
  }),
  EDGE_TLS_CRL_FILE: optionalText({
    about:
      'PEM file: revocation lists (CRL) of the CAs of EDGE_TLS_CA_FILE, read again at run time; empty: ' +
      'only what is revoked at the hub',
  }),
  EDGE_TLS_CRL_URL: text({
    about:
      'https addresses, separated by commas, where the CAs of EDGE_TLS_CA_FILE publish their revocation ' +
      'lists (DER or PEM), read again at run time; empty: none',
    default: '',
  }),
  EDGE_TLS_CRL_URL_CA_FILE: optionalText({
    about: 'PEM file: the CAs of the servers at these addresses; empty: those of Node.js',
  }),
  EDGE_TLS_CRL_OVERDUE_D: integer({
    about:
      'how long a revocation list is used after the next one was due, with an alarm; then no ' +
      'certificate of its CA is accepted',
    unit: 'd',
    default: 7,
    min: 0,
    max: 365,
  }),
  EDGE_CERTIFICATES: choice({
    about:
      'which client certificates of the CA identify an FSP: issued (those that the hub issued or an ' +
      'operator has registered) or any; a revoked one never does',
    options: ['issued', 'any'],
    default: 'issued',
  }),
  EDGE_GATEWAY_SUBJECTS: text({
    about:
      'common names of gateways, separated by commas, that may forward the certificate of their ' +
      'client in X-Forwarded-Client-Cert',
    default: '',
  }),
  EDGE_GATEWAY_FINGERPRINTS: text({
    about:
      'SHA-256 fingerprints (hexadecimal) of the certificates of these gateways, separated by commas; ' +
      'empty: any certificate of the CA with their name',
    default: '',
  }),
  JWS_VERIFY: choice({
    about: 'whether signatures of FSPs are verified; off: they are relayed without verification',
    options: ['on', 'off'],
    default: 'on',
  }),
  JWS_VERIFY_ES256: choice({
    about: 'whether signatures with ES256, which the API does not name, are accepted too',
    options: ['on', 'off'],
    default: 'on',
  }),
  JWS_DATE_WINDOW_S: integer({
    about:
      'how far the Date of a signed request (POST, DELETE) may be from the time of the hub; not with ' +
      'COMPATIBILITY=mojaloop',
    unit: 's',
    default: 300,
    min: 10,
    max: 86_400,
  }),
  JWS_SIGN: choice({
    about: 'whether messages that the hub creates are signed',
    options: ['on', 'off'],
    default: 'on',
  }),
  JWS_SIGNING_KEY_FILE: text({
    about:
      'PEM file, or pkcs11:object=LABEL: the private key that signs them (RSA of 2048 to 3072 ' +
      'bits, or P-256); further keys with commas, each with the time from which it signs: ' +
      'new.pem@2030-01-01T00:00:00Z (a comma within a path: \\,)',
    default: '',
  }),
  JWS_AUTH_SERVICE_SIGNING_KEY_FILE: text({
    about:
      'PEM file: the private key that signs messages of the hosted auth service, with further ' +
      'keys as in JWS_SIGNING_KEY_FILE; not needed when AUTH_SERVICE_PARTICIPANT is empty',
    default: '',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  AUTH_SERVICE_PARTICIPANT: text({
    about: 'name of the hosted auth service as a participant; empty: the hub hosts none',
    default: 'centralAuth',
  }),
  FSPIOP_API_RELAYED_HEADERS: text({
    about:
      'headers (x-… or fspiop-…) that the scheme has defined, separated by commas: they are relayed ' +
      'beside those of the API; not those that proxies or servers believe, such as x-forwarded-host',
    default: '',
  }),
  FSPIOP_API_PROVIDERS: text({
    about:
      'participants that GET /services lists instead of those that the hub finds, by type: ' +
      "'THIRD_PARTY_DFSP bankx banky; PISP pispx'; inactive ones are omitted",
    default: '',
  }),
  AMOUNT_DECIMALS: amountDecimals,
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
  ON_US_TRANSFERS: choice({
    about: 'whether payer and payee FSP of a transfer may be the same',
    options: ['off', 'on'],
    default: 'off',
  }),
  NOTIFY_PAYEE_ON_TIMEOUT: choice({
    about: 'whether the payee FSP is notified too when a reserved transfer expires',
    options: ['on', 'off'],
    default: 'on',
    atRunTime: true,
  }),
  /**
   * The setting of the ledger: within this time the edge must have stored an answer about money.
   */
  EXPIRY_GRACE_MS: integer({
    about: 'how long after its expiration a reservation may be voided by timeout',
    unit: 'ms',
    default: 1_000,
    min: 0,
    max: 600_000,
  }),
  OUTCOME_RETRY_H: integer({
    about: 'how long delivery of the outcome of a transfer to an FSP is tried',
    unit: 'h',
    default: 24,
    min: 1,
    max: 720,
    atRunTime: true,
  }),
  FSPIOP_API_IN_FLIGHT_MAX: integer({
    about:
      'requests in progress; above it transfers are refused, above three quarters of it quotes, ' +
      'above half of it lookups and other requests',
    unit: 'requests',
    default: 2_000,
    min: 1,
    max: 100_000,
    atRunTime: true,
  }),
  FSPIOP_API_IN_FLIGHT_PER_FSP_MAX: integer({
    about: 'the same for one FSP; its excess does not count against the others',
    unit: 'requests',
    default: 500,
    min: 1,
    max: 100_000,
    atRunTime: true,
  }),
  FSPIOP_API_QUEUE_DELAY_MAX_MS: integer({
    about:
      'queue delay: the longest time that the fastest of many messages may take through the hub; ' +
      'transfers are refused so that it stays below, quotes below half of it, lookups and other ' +
      'requests below a quarter',
    unit: 'ms',
    default: 500,
    min: 100,
    max: 600_000,
    atRunTime: true,
  }),
  FSPIOP_API_RATE_PER_FSP_MAX: integer({
    about: 'sustained rate of POST, GET and DELETE of one FSP; above it they are refused',
    unit: 'requests/s',
    default: 2_000,
    min: 1,
    max: 100_000,
    atRunTime: true,
  }),
  FSPIOP_API_BURST_PER_FSP_MAX: integer({
    about: 'POST, GET and DELETE that one FSP may send at once after a pause',
    unit: 'requests',
    default: 4_000,
    min: 1,
    max: 1_000_000,
    atRunTime: true,
  }),
  FSPIOP_API_BULK_BACKLOG_PER_FSP_MAX: integer({
    about:
      'requests of one FSP about bulk transfers that the hub has not processed, each counted by its size; ' +
      'above it they are refused, and answers above five times as many',
    unit: 'requests',
    default: 2_000,
    min: 100,
    max: 1_000_000,
    atRunTime: true,
  }),
  FSPIOP_API_RELAY_RETRY_MS: integer({
    about: 'how long delivery of a relayed message without an expiration is tried',
    unit: 'ms',
    default: 60_000,
    min: 1_000,
    max: 86_400_000,
    atRunTime: true,
  }),
  FSPIOP_API_QUESTION_RETRY_MS: integer({
    about:
      'the same for questions (GET) and for requests whose sender has a user waiting (consent ' +
      'requests, authorizations, verifications, third-party payments); then it gets 1001',
    unit: 'ms',
    default: 7_000,
    min: 1_000,
    max: 86_400_000,
    atRunTime: true,
  }),
  FSPIOP_API_BODIES_MAX_BYTES: integer({
    about: 'bodies of the requests in progress; above it requests are refused in the same order',
    unit: 'bytes',
    default: 268_435_456,
    min: 10_485_760,
    max: 8_589_934_592,
    atRunTime: true,
  }),
  FSPIOP_API_BODIES_PER_FSP_MAX_BYTES: integer({
    about: 'the same for one FSP; its excess does not count against the others',
    unit: 'bytes',
    default: 67_108_864,
    min: 10_485_760,
    max: 8_589_934_592,
    atRunTime: true,
  }),
  FSPIOP_API_CONNECTIONS_MAX: integer({
    about: 'concurrent connections; above it an idle one is closed for a new one',
    unit: 'connections',
    default: 5_000,
    min: 10,
    max: 1_000_000,
  }),
  FSPIOP_API_CONNECTIONS_PER_FSP_MAX: integer({
    about:
      'the same of one client certificate, except a gateway; above it they are refused. With any ' +
      'identity: requests of one FSP in progress; answers that complete no transfer may use 3/4',
    unit: 'connections',
    default: 1_000,
    min: 1,
    max: 1_000_000,
  }),
  FSPIOP_API_ANSWERS_PER_FSP_MAX: integer({
    about:
      'answers (PUT) of one FSP in progress; above it they are refused, above half of it those that ' +
      'complete no transfer; the requests of others do not count',
    unit: 'requests',
    default: 4_000,
    min: 2,
    max: 100_000,
    atRunTime: true,
  }),
  FSPIOP_API_ANSWER_BYTES_PER_FSP_MAX: integer({
    about: 'the same for the bytes of their bodies',
    unit: 'bytes',
    default: 33_554_432,
    min: 10_485_760,
    max: 8_589_934_592,
    atRunTime: true,
  }),
  FSPIOP_API_UNSOLICITED_ANSWERS_MAX: integer({
    about:
      'relayed answers (PUT) of one FSP to another in one to two minutes, in addition to three for ' +
      'each request of the other; further ones are refused',
    unit: 'answers',
    default: 1_000,
    min: 0,
    max: 1_000_000,
  }),
  TLS_RENEWAL_MS: tlsRenewal,
  ...cryptoSettings,
} as const

/** Of the settings that change at run time; raise it when one is added, removed or changed. */
export const schemaVersion = '1.1.0'

export type FspiopApiSettings = SettingValues<typeof settings>
