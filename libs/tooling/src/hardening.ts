/**
 * The page docs/hardening.md: which settings protect more than their defaults do. Names, defaults and
 * values come from the definitions that the programs read; the advice is here. `npm run docs` writes the
 * page; a test fails while the page differs.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relaxations } from '@causeway/process'
import { defaultOf, escaped, hubSettings } from './settings-reference.ts'

const file = new URL('../../../docs/hardening.md', import.meta.url)

interface HardeningAdvice {
  readonly set: string
  readonly why: string
}

type AdviceByName = Readonly<Record<string, HardeningAdvice>>

/**
 * By heading: each setting that can protect more than its default, what to set, and why. `set` of a
 * choice is one of its options.
 */
export const advice: Readonly<Record<string, AdviceByName>> = {
  'Between services': {
    KAFKA_TLS: { set: 'on', why: 'events carry payments and personal data' },
    KAFKA_SASL_MECHANISM: {
      set: 'scram-sha-512',
      why: 'any client may publish every event otherwise; or a client certificate for each service (`KAFKA_TLS_CERTIFICATE_FILE`)',
    },
    '*_DATABASE_URL': {
      set: 'a role for each service that owns no table (`npm run provision` and `npm run migrate` with `*_MIGRATION_DATABASE_URL`), `sslmode=verify-full`',
      why: 'passwords and rows are in plain on the network otherwise, and the service could drop what it has to keep, such as the journal of the ledger',
    },
    REDIS_URL: {
      set: '`rediss://` with a password',
      why: 'remembered answers of oracles decide whom a payment goes to',
    },
    TRACES_URL: {
      set: 'https, or a collector on the same machine',
      why: 'ids of payments are in it',
    },
  },
  'FSP port': {
    JWS_VERIFY_ES256: { set: 'off', why: 'if no FSP uses ES256; the API defines RS256 alone' },
    EDGE_TLS_MIN_VERSION: {
      set: 'TLSv1.3',
      why: 'if all FSPs can',
    },
    EDGE_TOKEN_BINDING: {
      set: 'required',
      why: 'a stolen token is of no use without the key of the certificate',
    },
    EDGE_TLS_CRL_FILE: {
      set: 'the revocation list of the authority, or its address in `EDGE_TLS_CRL_URL`',
      why: 'where the authority of FSPs is run elsewhere',
    },
    JWS_DATE_WINDOW_S: {
      set: 'as small as the clocks of the FSPs permit',
      why: 'a signed request cannot be sent again later',
    },
    EDGE_GATEWAY_FINGERPRINTS: {
      set: 'the certificates of the gateways',
      why: 'any certificate of the authority with the name of a gateway speaks for every FSP otherwise',
    },
  },
  Operators: {
    AUTH_SERVICE_FIDO_REQUIRED: {
      set: 'approval',
      why: 'operators who approve log in with a security key and sign each approval',
    },
    AUTH_SERVICE_FIDO_ORIGINS: {
      set: 'the https origin of the console',
      why: 'the default is for this machine alone',
    },
    AUTH_SERVICE_OPERATOR_CA_FILE: {
      set: 'an authority of operators, never that of FSPs',
      why: 'programs log in with a certificate instead of a secret',
    },
    OPERATOR_FORWARDED_ADDRESS: {
      set: 'on',
      why: 'behind a gateway that writes X-Forwarded-For: all operators have its address otherwise',
    },
    FOUR_EYES: {
      set: 'required',
      why: 'no person alone changes anything; auto is the same, except in a hub of one process on a loopback address',
    },
    OPERATOR_TLS: {
      set: 'on',
      why: 'passwords and tokens pass through that port; gateway only where nothing else reaches it',
    },
    SCHEME_RULES_FOUR_EYES: {
      set: 'on',
      why: 'one person alone cannot change the rules of the scheme',
    },
  },
  Keys: {
    CRYPTO_PKCS11_LIBRARY: {
      set: 'the library of an HSM',
      why: 'keys that sign and encrypt cannot be copied from a machine or a backup',
    },
    AUTH_SERVICE_SECRETS_KEY: {
      set: '`pkcs11:object=LABEL`, or a value that is in no backup of the database',
      why: 'it encrypts stored keys',
    },
    CONFIG_SECRETS_KEY: { set: 'the same, another key', why: 'it encrypts secrets of components' },
    JWS_SIGNING_KEY_FILE: { set: '`pkcs11:object=LABEL`', why: 'FSPs believe what it signs' },
    AUTH_SERVICE_CERTIFICATE_LIFE_D: {
      set: '90 to 365',
      why: 'a key whose theft is not noticed ends by itself',
    },
  },
  'Requests to others': {
    EGRESS_LOOPBACK: { set: 'denied', why: 'no address of an FSP is on the machine of the hub' },
    EGRESS_ALLOWED: {
      set: 'the private addresses of FSPs and oracles alone',
      why: 'FSPs can have the hub call what is allowed here',
    },
    ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: {
      set: 'the authority of the oracles',
      why: 'an oracle decides which FSP is paid',
    },
  },
  'Audit log': {
    AUDIT_ANCHOR_FILE: {
      set: 'a file on a volume that the owner of the database cannot write',
      why: 'without anchors the end of the log can be cut off',
    },
    AUDIT_TRUSTED_KEYS_FILE: {
      set: 'a file that the owner of the database cannot write',
      why: 'who can write it can forge the log',
    },
    AUDIT_ANCHOR_S3_URL: {
      set: 'a bucket with Object Lock',
      why: 'not even its administrators can change an anchor there',
    },
    AUDIT_MAIL_TO: {
      set: 'an auditor who does not run the hub',
      why: 'gets number and hash of the last entry each day',
    },
    AUDIT_SECRETS_KEY: {
      set: 'a value that is in no backup of the database',
      why: 'it encrypts confidential members of entries',
    },
    AUDIT_EXPORT_FILE: {
      set: '`-`, or a file that a SIEM collects',
      why: 'a copy elsewhere shows what was removed here',
    },
  },
  'Personal data': {
    MESSAGE_ENCRYPTION: {
      set: 'on',
      why: 'a month can be erased, in backups too; `npm start` and the chart turn it on',
    },
  },
  'E-mails': {
    NOTIFICATIONS_SMTP_URL: { set: '`smtps://`', why: 'the password is otherwise sent in plain' },
  },
}

const intro = `# Hardening

\`npm start\` is safe on one machine: it listens on 127.0.0.1, FSPs have certificates and sign, operators log in. This page has what a hub on a network needs beyond the defaults ([all settings](settings.md)). \`npm run docs\` generates it.

Check a running hub: \`GET /health/ready\` and the metric \`insecure_modes\` name what its settings relax, and the alarm InsecureMode fires. \`--print-settings\` shows the value and origin of each setting.
`

const beyond = `## Beyond settings

| | what to do |
|---|---|
| first password | log in as \`administrator\`, change it, create an account for each person, among them two administrators and two approvers |
| program \`setup\` | disable it after onboarding: \`PUT /operators/setup {"isActive":false}\` |
| METRICS_PORT | only Prometheus and the kubelet may reach it: \`networkPolicy.metrics\` of the chart |
| alarms by e-mail | \`ALARM_NOTIFICATION_EMAIL\` of the hub and of each FSP is an address that is read at any time |
| egress | \`networkPolicy.outside\` of the chart names the networks of FSPs and oracles alone |
| edge | a firewall or load balancer before the FSP port limits the connections of one address |
| database | archives and backups are encrypted, and stored where the hub cannot delete them |
| image | by digest, its signature verified at admission ([supply chain](supply-chain.md)) |
| people | review each quarter who may do what: \`GET /operators\`, \`GET /roles\`; \`lastLogInDate\` shows unused accounts |
`

export function readHardeningPage(): string {
  return readFileSync(file, 'utf8')
}

export function hardeningPage(): string {
  const sections = Object.entries(advice).map(
    ([heading, rows]) => `## ${heading}\n\n${tableOf(rows)}`,
  )
  return [intro, relaxed(), ...sections, beyond, choices()].join('\n')
}

const within = {
  loopback: 'loopback',
  private: 'private, or named',
  any: 'any',
}

/** What can be relaxed, from the one table in the code. */
function relaxed(): string {
  const lines = Object.entries(relaxations).map(
    ([name, { consequence, within: reach, address }]) => {
      const cells = [`\`${name}\``, consequence, within[reach], address]
      return `| ${cells.map(escaped).join(' | ')} |`
    },
  )
  return [
    '## Relaxations',
    '',
    'A process does not start where an address can be reached further than a relaxation permits: `loopback` is this machine alone; `private, or named` is a private network, or any network where `ACCEPT_RELAXATIONS` names the relaxation (`ACCEPT_RELAXATIONS=EDGE_TLS=gateway,JWS_SIGN=off`). The defaults relax nothing that another machine reaches.',
    '',
    'RFC 1918, RFC 6598, link-local and unique local addresses count as private; the hub cannot see that a router makes one public. Where a port listens, 0.0.0.0, :: and names count as public. A server counts by the addresses that its name resolves to at the start.',
    '',
    '| relaxation | what is not protected | permitted | the address |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

function tableOf(rows: AdviceByName): string {
  const lines = Object.entries(rows).map(([name, { set, why }]) => {
    const definition = hubSettings[name]
    const usual = definition === undefined ? '' : defaultOf(definition)
    const value =
      definition?.kind === 'choice' && definition.options.includes(set) ? `\`${set}\`` : set
    return `| ${[`\`${name}\``, usual, value, why].map(escaped).join(' | ')} |`
  })
  return ['| setting | default | set | because |', '|---|---|---|---|', ...lines, ''].join('\n')
}

/** So that no choice is hidden, also one that was added since the advice was written. */
function choices(): string {
  const advised = new Set(Object.values(advice).flatMap((rows) => Object.keys(rows)))
  const lines = Object.entries(hubSettings)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, definition]) => {
      if (definition.kind !== 'choice' || advised.has(name)) return []
      const { default: usual, options } = definition
      const others = options.filter((option) => option !== usual).map((each) => `\`${each}\``)
      const cells = [`\`${name}\``, `\`${usual}\``, others.join(', ')]
      return [`| ${cells.map(escaped).join(' | ')} |`]
    })
  return [
    '## All other settings with a choice',
    '',
    'What each is for: [all settings](settings.md). Leave a protection on that is on by default.',
    '',
    '| setting | default | other values |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

export function writeHardeningPage(): void {
  writeFileSync(file, hardeningPage())
}
