/** Every setting of the administration API. */
import { componentKeyFile } from '@causeway/component-keys'
import { choice, integer, text, type SettingValues } from '@causeway/process'

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
  COMPATIBILITY: choice({
    about: 'whose answers are given where the specification and Mojaloop differ',
    options: ['specification', 'mojaloop'],
    default: 'specification',
  }),
}

export type Settings = SettingValues<typeof settings>
