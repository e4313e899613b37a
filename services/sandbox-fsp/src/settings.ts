/** Every setting of the sandbox FSPs. */
import { baseAddressFault, webAddressFault } from '@causeway/fspiop'
import { choice, integer, optionalText, text, type SettingValues } from '@causeway/process'

export const settings = {
  SANDBOX_HOST: text({
    about: 'address that all ports listen on; 127.0.0.1 is this machine only',
    default: '127.0.0.1',
  }),
  SANDBOX_FSPS_FILE: optionalText({
    about:
      'JSON file: the sandbox FSPs, with their ports and credentials; empty: all four, with the usual ports',
  }),
  SANDBOX_CREDENTIALS_DIR: optionalText({
    about:
      'folder with a folder for each sandbox FSP, whose tls.crt, tls.key, ca.crt and signing.pem are ' +
      'used where the file names no other; empty: none',
  }),
  SANDBOX_IDENTITY: choice({
    about: 'how the FSPs authenticate: mtls (certificate), token, or header (development only)',
    options: ['mtls', 'token', 'header'],
    default: 'mtls',
  }),
  SANDBOX_CALLBACK_URIS: text({
    about:
      'where PISPs may have users sent back to, besides 127.0.0.1 and localhost: prefixes of ' +
      'addresses, separated by commas',
    default: '',
  }),
  AUTH_SERVICE_PARTICIPANT: text({
    about: 'name of the hosted auth service as a participant; empty: the hub hosts none',
    default: 'centralAuth',
  }),
  SANDBOX_SIGNING: choice({
    about: 'whether the FSPs sign what they send and verify what they receive',
    options: ['on', 'off'],
    default: 'on',
  }),
  SANDBOX_PEER_KEYS_URL: text({
    about:
      'address of the public keys of an FSP, with {name} in place of its name; empty: the ' +
      'sandbox FSPs use each other’s keys, and know no other FSP',
    default: '',
    check: (address) => webAddressFault(address.replace('{name}', 'x')),
  }),
  HUB_URL: text({
    about: "base URL of the hub's FSP port",
    default: 'https://127.0.0.1:4000',
    check: baseAddressFault,
  }),
  HUB_NAME: text({ about: 'name of the hub as a participant', default: 'Hub' }),
  SANDBOX_VALIDITY_MS: integer({
    about: 'how long a payment may take before it expires, unless the request sets it',
    unit: 'ms',
    default: 15_000,
    min: 100,
    max: 600_000,
  }),
  SANDBOX_EXIT_WITH_PARENT: choice({
    about: 'on: the process ends when its standard input is closed',
    options: ['on', 'off'],
    default: 'off',
  }),
}

export type SandboxFspSettings = SettingValues<typeof settings>
