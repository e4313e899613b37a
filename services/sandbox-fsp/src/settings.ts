/** Every setting of the sandbox FSPs. */
import { baseAddressFault, webAddressFault } from '@causeway/fspiop'
import { choice, integer, optionalText, text, type SettingValues } from '@causeway/process'

const port = (about: string, usual: number) =>
  integer({ about, unit: 'port', default: usual, min: 0, max: 65_535 })

const file = (about: string) => optionalText({ about: `PEM file: ${about}` })

export const settings = {
  SANDBOX_HOST: text({
    about: 'address that all ports listen on; 127.0.0.1 is this machine only',
    default: '127.0.0.1',
  }),
  SANDBOX_GREENBANK_PORT: port('greenbank, the sandbox FSP that pays, for people', 4_301),
  SANDBOX_BLUEWALLET_PORT: port('bluewallet, the sandbox FSP that is paid, for people', 4_302),
  SANDBOX_GREENBANK_TLS_PORT: port('callbacks to greenbank, with its certificate', 4_311),
  SANDBOX_BLUEWALLET_TLS_PORT: port('callbacks to bluewallet, with its certificate', 4_312),
  SANDBOX_GREENBANK_TLS_CERTIFICATE_FILE: file("greenbank's certificate"),
  SANDBOX_GREENBANK_TLS_KEY_FILE: file('its private key'),
  SANDBOX_BLUEWALLET_TLS_CERTIFICATE_FILE: file("bluewallet's certificate"),
  SANDBOX_BLUEWALLET_TLS_KEY_FILE: file('its private key'),
  SANDBOX_BULK: choice({
    about: 'on: a third FSP, amberpay, and 1,000 people at it and at bluewallet, for bulk payments',
    options: ['on', 'off'],
    default: 'off',
  }),
  SANDBOX_AMBERPAY_PORT: port('amberpay, the third sandbox FSP, for people', 4_304),
  SANDBOX_AMBERPAY_TLS_PORT: port('callbacks to amberpay, with its certificate', 4_314),
  SANDBOX_AMBERPAY_TLS_CERTIFICATE_FILE: file("amberpay's certificate"),
  SANDBOX_AMBERPAY_TLS_KEY_FILE: file('its private key'),
  SANDBOX_PISP: choice({
    about:
      'on: a third participant, the PISP lemonpay, links and pays from accounts of the two FSPs',
    options: ['on', 'off'],
    default: 'off',
  }),
  SANDBOX_LEMONPAY_PORT: port('lemonpay, the sandbox PISP, for people', 4_303),
  SANDBOX_LEMONPAY_TLS_PORT: port('callbacks to lemonpay, with its certificate', 4_313),
  SANDBOX_LEMONPAY_TLS_CERTIFICATE_FILE: file("lemonpay's certificate"),
  SANDBOX_LEMONPAY_TLS_KEY_FILE: file('its private key'),
  SANDBOX_TLS_CA_FILE: file("the scheme's CA, which issues the hub's certificate"),
  SANDBOX_GREENBANK_SIGNING_KEY_FILE: file('the private key that signs the messages of greenbank'),
  SANDBOX_BLUEWALLET_SIGNING_KEY_FILE: file(
    'the private key that signs the messages of bluewallet',
  ),
  SANDBOX_AMBERPAY_SIGNING_KEY_FILE: file('the private key that signs the messages of amberpay'),
  SANDBOX_LEMONPAY_SIGNING_KEY_FILE: file('the private key that signs the messages of lemonpay'),
  SANDBOX_IDENTITY: choice({
    about: 'how the FSPs authenticate: mtls (certificate), token, or header (development only)',
    options: ['mtls', 'token', 'header'],
    default: 'mtls',
  }),
  SANDBOX_GREENBANK_CLIENT_ID: optionalText({ about: 'for tokens of greenbank' }),
  SANDBOX_GREENBANK_CLIENT_SECRET: optionalText({ about: 'its secret', secret: true }),
  SANDBOX_BLUEWALLET_CLIENT_ID: optionalText({ about: 'for tokens of bluewallet' }),
  SANDBOX_BLUEWALLET_CLIENT_SECRET: optionalText({ about: 'its secret', secret: true }),
  SANDBOX_AMBERPAY_CLIENT_ID: optionalText({ about: 'for tokens of amberpay' }),
  SANDBOX_AMBERPAY_CLIENT_SECRET: optionalText({ about: 'its secret', secret: true }),
  SANDBOX_LEMONPAY_CLIENT_ID: optionalText({ about: 'for tokens of lemonpay' }),
  SANDBOX_LEMONPAY_CLIENT_SECRET: optionalText({ about: 'its secret', secret: true }),
  SANDBOX_VERIFICATION: choice({
    about: "what verifies the keys and signatures of PISPs' users: the auth service, or the FSPs",
    options: ['auth-service', 'itself'],
    default: 'auth-service',
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
      'address of the public keys of an FSP, with {name} in place of its name; empty: the two ' +
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

export type Settings = SettingValues<typeof settings>
