/** Every setting of the administration API. */
import { componentKeyFile } from '@causeway/keys/components'
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
  ADMIN_COMPONENT_KEY_FILE: componentKeyFile,
  OPERATOR_PORT: integer({
    about: 'the administration API',
    unit: 'port',
    default: 4100,
    min: 0,
    max: 65_535,
  }),
  OPERATOR_HOST: text({
    about: 'address that the administration API listens on; 127.0.0.1 is this machine only',
    default: '127.0.0.1',
  }),
  OPERATOR_BASE_PATHS: text({
    about:
      'paths, separated by commas, under which the administration API answers too: /admin,/als-admin',
    default: '',
  }),
  OPERATOR_IDENTITY: choice({
    about:
      'how operators authenticate: token (they log in), or none (any caller of the port is ' +
      'the operator that X-Operator names; only on a loopback address)',
    options: ['token', 'none'],
    default: 'token',
  }),
  OPERATOR_TLS: choice({
    about:
      'whether the administration API is https; off: on a loopback address only; gateway: plain http ' +
      'on any address, which only a gateway that terminates TLS can reach',
    options: ['off', 'on', 'gateway'],
    default: 'off',
  }),
  OPERATOR_TLS_CERTIFICATE_FILE: optionalText({
    about: "PEM file: the operator port's certificate, with its chain",
  }),
  OPERATOR_TLS_KEY_FILE: optionalText({ about: 'PEM file: its private key' }),
  OPERATOR_TLS_MIN_VERSION: choice({
    about: 'the lowest version of TLS for operators',
    options: ['TLSv1.2', 'TLSv1.3'],
    default: 'TLSv1.2',
  }),
  TLS_RENEWAL_MS: tlsRenewal,
  ACCEPT_RELAXATIONS: acceptRelaxations,
  FOUR_EYES: choice({
    about:
      'whether each change over the administration API needs a second person who approves it; auto: ' +
      'required, except in a hub of one process whose OPERATOR_HOST is a loopback address; optional ' +
      'elsewhere with ACCEPT_RELAXATIONS alone',
    options: ['auto', 'required', 'optional'],
    default: 'auto',
  }),
  OPERATOR_FORWARDED_ADDRESS: choice({
    about:
      'whether the last address in X-Forwarded-For is that of the client, whose failed log-ins are ' +
      'slowed down: on only behind a gateway that writes it',
    options: ['off', 'on'],
    default: 'off',
  }),
  EDGE_IDENTITY: choice({
    about:
      'how FSPs authenticate: mtls (client certificate), token (bearer token), or header ' +
      '(FSPIOP-Source is not verified; development only)',
    options: ['mtls', 'token', 'header'],
    default: 'mtls',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  HUB_HOST: text({
    about: "host in the ids of participants: 'hub.example/participants/greenbank'",
    default: 'localhost',
  }),
  AUTH_SERVICE_PARTICIPANT: text({
    about: 'name of the hosted auth service as a participant; empty: the hub hosts none',
    default: 'centralAuth',
  }),
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type AdminSettings = SettingValues<typeof settings>
