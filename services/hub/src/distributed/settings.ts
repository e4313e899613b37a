/** The settings of the programs that set up a distributed hub. */
import { integer, optionalText, text } from '@causeway/process'

const file = (about: string) => text({ about: `PEM file: ${about}`, default: null })

export const secretsSettings = {
  SECRETS_DIR: text({ about: 'folder in which the secrets are created', default: null }),
  SECRETS_OWNER: optionalText({
    about: 'user id that may read them; empty: the user that creates them',
  }),
  SECRETS_FSP_HOSTS: text({
    about: 'host names under which FSPs reach the hub, separated by commas',
    default: 'fspiop-api,localhost',
  }),
  SECRETS_OPERATOR_HOSTS: text({
    about: 'host names under which operators reach the hub, separated by commas',
    default: 'admin,localhost',
  }),
  SECRETS_SANDBOX_HOSTS: text({
    about: 'host names under which the hub reaches the sandbox FSPs, separated by commas',
    default: 'sandbox-fsp,localhost',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
}

export const operatorGatewaySettings = {
  OPERATOR_GATEWAY_HOST: text({ about: 'address to listen on', default: '127.0.0.1' }),
  OPERATOR_GATEWAY_PORT: integer({
    about: 'operators with a certificate',
    unit: 'port',
    default: 4_143,
    min: 0,
    max: 65_535,
  }),
  OPERATOR_GATEWAY_TLS_CERTIFICATE_FILE: text({
    about: 'PEM file: the server certificate of the port',
    default: null,
  }),
  OPERATOR_GATEWAY_TLS_KEY_FILE: text({ about: 'PEM file: its private key', default: null }),
  OPERATOR_GATEWAY_TLS_CA_FILE: text({
    about: 'PEM file: the authority that issues operators’ certificates',
    default: null,
  }),
  OPERATOR_PORT: integer({
    about: 'the administration API, on 127.0.0.1',
    unit: 'port',
    default: 4_100,
    min: 1,
    max: 65_535,
  }),
}

export const onboardSettings = {
  ONBOARD_OPERATOR_URL: text({
    about: "the operator's port of the hub",
    default: 'https://admin:4143',
  }),
  ONBOARD_TLS_CERTIFICATE_FILE: file('the certificate of an operator'),
  ONBOARD_TLS_KEY_FILE: file('its private key'),
  ONBOARD_TLS_CA_FILE: file("the authority of the operator port's certificate"),
  ONBOARD_LOG_IN_FILE: text({
    about: "file: the body of a log-in as JSON, of the operator 'setup'",
    default: null,
  }),
  ONBOARD_SANDBOX_HOST: text({
    about: 'host of the sandbox FSPs and the sandbox PISP, for people and for the hub',
    default: 'sandbox-fsp',
  }),
  SANDBOX_FSPS_FILE: optionalText({
    about: 'JSON file: the ports of the sandbox FSPs; empty: the usual ports',
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
}
