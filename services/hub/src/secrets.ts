/**
 * The credentials that secure the hub from its first payment: a scheme CA, its certificates, and
 * keys. All are created once, are stored in DATA_DIR/secrets and can be read by the hub's user
 * only. A setting that names another file has precedence.
 */
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type Ca,
  type HostNames,
} from '@causeway/pki'
import { needsFourEyes } from '@causeway/admin'
import { serviceNames, settingPrefix } from '@causeway/services'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  ensureComponentKey,
  ensureEd25519Key,
  ensurePair,
  ensureSigningKey,
  ensureText,
  make,
  write,
} from './secret-files.ts'
import type { HubSettings } from './settings.ts'

/** The credentials of an FSP, with a certificate of the hub's own scheme CA. */
export interface FspSecrets {
  readonly certificateFile: string
  readonly keyFile: string
  readonly caFile: string
  readonly signingKeyFile: string
}

/** The secrets of the hub's own log-ins. */
export interface OperatorSecrets {
  /** The password of the first administrator; undefined when an earlier start created it. */
  readonly firstPassword: string | undefined
  readonly firstPasswordFile: string
  /** Empty unless each change needs a second person. */
  readonly secondPasswordFile: string | undefined
  /** The log-in body of the set-up program, as JSON. */
  readonly setupLogIn: string
  readonly setupLogInFile: string
}

export interface Secrets {
  /** The settings, with every empty file name filled in. */
  readonly settings: HubSettings
  readonly operators: OperatorSecrets
  /** Creates the FSP's credentials unless they exist. */
  ofFsp(name: string): Promise<FspSecrets>
}

const caLife_d = 3_650
const certificateLife_d = 730
const pairFiles = (path: string) => ({ certificateFile: `${path}.pem`, keyFile: `${path}.key` })
const thisMachine: HostNames = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }

/**
 * With `fresh` the existing secrets are deleted: certificates and keys issued before become
 * invalid.
 */
export async function openSecrets(
  values: HubSettings,
  { fresh }: { readonly fresh: boolean },
): Promise<Secrets> {
  const folder = join(values.DATA_DIR, 'secrets')
  make(`The folder ${folder}`, () => {
    if (fresh) rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  })
  const file = (name: string) => join(folder, name)
  const pair = (name: string) => pairFiles(file(name))
  const organization = values.HUB_NAME

  const ca = ensurePair(pair('ca'), undefined, caLife_d, (validity) =>
    makeCa({ subject: { commonName: `${organization} CA`, organization }, validity }),
  )
  const { port, client, operatorPort } = ensureHubPairs(values, ca.pair, pair)
  const auditKeyFile = ensureEd25519Key(file('audit-signing.key'))
  const operators = ensureOperators(folder, needsFourEyes(values, true))
  return {
    settings: filled(values, {
      EDGE_TLS_CERTIFICATE_FILE: port.certificateFile,
      EDGE_TLS_KEY_FILE: port.keyFile,
      EDGE_TLS_CA_FILE: ca.certificateFile,
      OPERATOR_TLS_CERTIFICATE_FILE: operatorPort.certificateFile,
      OPERATOR_TLS_KEY_FILE: operatorPort.keyFile,
      JWS_SIGNING_KEY_FILE: inList(await ensureSigningKey(file('hub-signing.key'))),
      JWS_AUTH_SERVICE_SIGNING_KEY_FILE: inList(
        await ensureSigningKey(file('auth-service-signing.key')),
      ),
      NOTIFICATIONS_TLS_CERTIFICATE_FILE: client.certificateFile,
      NOTIFICATIONS_TLS_KEY_FILE: client.keyFile,
      NOTIFICATIONS_TLS_CA_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_CERTIFICATE_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_KEY_FILE: ca.keyFile,
      AUTH_SERVICE_SECRETS_KEY: sealingKey(file('auth-service.key')),
      CONFIG_SECRETS_KEY: sealingKey(file('config.key')),
      AUTH_SERVICE_FIRST_PASSWORD_FILE: operators.firstPasswordFile,
      AUTH_SERVICE_SECOND_PASSWORD_FILE: operators.secondPasswordFile,
      AUTH_SERVICE_SETUP_SECRET_FILE: file(setupSecretName),
      AUDIT_SIGNING_KEY_FILE: auditKeyFile,
      AUDIT_SECRETS_KEY: sealingKey(file('audit.key')),
      AUDIT_ANCHOR_FILE: file('audit-anchors.jsonl'),
      ...componentKeyFiles(folder),
    }),
    operators,
    async ofFsp(name) {
      const own = ensurePair(pair(name), ca.pair, certificateLife_d, (validity) =>
        issueClientCertificate(ca.pair, {
          subject: { commonName: name, organization },
          names: thisMachine,
          validity,
        }),
      )
      return {
        certificateFile: own.certificateFile,
        keyFile: own.keyFile,
        caFile: ca.certificateFile,
        signingKeyFile: await ensureSigningKey(file(`${name}-signing.key`)),
      }
    },
  }
}

/** As an entry of a setting that lists files. */
function inList(file: string): string {
  return file.replaceAll(',', '\\,')
}

/** The certificates of the hub's two ports, and the one that it presents to FSPs. */
function ensureHubPairs(
  values: HubSettings,
  ca: Ca,
  pair: (name: string) => ReturnType<typeof pairFiles>,
) {
  const organization = values.HUB_NAME
  const ofPort = (name: string, host: string) =>
    ensurePair(pair(name), ca, certificateLife_d, (validity) =>
      issueServerCertificate(ca, {
        subject: { commonName: 'localhost', organization },
        names: namesOf(host),
        validity,
      }),
    )
  return {
    port: ofPort('fsp-port', values.FSP_HOST),
    operatorPort: ofPort('operator-port', values.OPERATOR_HOST),
    client: ensurePair(pair('hub'), ca, certificateLife_d, (validity) =>
      issueClientCertificate(ca, {
        subject: { commonName: organization, organization },
        validity,
      }),
    ),
  }
}

/** What a service encrypts its stored secrets with. */
function sealingKey(path: string): string {
  return ensureText(path, () => randomBytes(32).toString('base64url'))
}

/** A key for each service, in the folder `components`. */
function componentKeyFiles(secrets: string): Readonly<Record<string, string>> {
  const folder = join(secrets, 'components')
  make(`The folder ${folder}`, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  return Object.fromEntries(
    serviceNames.map((service) => [
      `${settingPrefix(service)}_COMPONENT_KEY_FILE`,
      ensureComponentKey(join(folder, `${service}.key`)),
    ]),
  )
}

const setupSecretName = 'setup-secret'

/** The setup program may set up the hub for a day with the same secret; a start renews it before. */
const setupSecretLife_ms = 43_200_000

function isOld(file: string): boolean {
  return existsSync(file) && Date.now() - statSync(file).mtimeMs > setupSecretLife_ms
}

/**
 * Each start logs in with the program's secret. The administrators' first passwords are useless once they
 * were changed: auth-service removes the files then, also those that a later start has made again.
 * @param fourEyes whether each change needs a second person: then there are two administrators
 */
function ensureOperators(folder: string, fourEyes: boolean): OperatorSecrets {
  const password = (file: string) => ensureText(file, () => randomBytes(15).toString('base64url'))
  const firstPasswordFile = join(folder, 'administrator-password')
  const isNew = !existsSync(firstPasswordFile)
  const firstPassword = password(firstPasswordFile)
  // A folder of its own, which can belong to another person: who has both passwords is two persons.
  const ofSecond = join(folder, 'administrator2')
  const secondPasswordFile = fourEyes ? join(ofSecond, 'administrator2-password') : undefined
  if (secondPasswordFile !== undefined) {
    make(`The folder ${ofSecond}`, () => mkdirSync(ofSecond, { recursive: true, mode: 0o700 }))
    password(secondPasswordFile)
  }
  const setupSecretFile = join(folder, setupSecretName)
  if (isOld(setupSecretFile)) rmSync(setupSecretFile)
  const secret = ensureText(setupSecretFile, () => randomBytes(32).toString('base64url'))
  const setupLogInFile = join(folder, 'setup-log-in.json')
  const setupLogIn = JSON.stringify({ id: 'setup', secret })
  write(setupLogInFile, setupLogIn)
  return {
    firstPassword: isNew ? firstPassword : undefined,
    firstPasswordFile,
    secondPasswordFile,
    setupLogIn,
    setupLogInFile,
  }
}

/** The log-in body of the hub that runs on this folder; undefined when none has ever run. */
export function setupLogInOf(dataDir: string): string | undefined {
  const path = join(dataDir, 'secrets', 'setup-log-in.json')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

type Fillable = {
  [Name in keyof HubSettings]: HubSettings[Name] extends string | undefined ? Name : never
}[keyof HubSettings]

function filled(
  values: HubSettings,
  defaults: Readonly<Partial<Record<Fillable, string | undefined>>>,
): HubSettings {
  const open = Object.entries(defaults).filter(([name]) => (values[name as Fillable] ?? '') === '')
  return { ...values, ...Object.fromEntries(open) }
}

function namesOf(host: string): HostNames {
  const { dns, ip } = thisMachine
  if (/^[\d.]+$|:/.test(host)) return { dns, ip: [...new Set([...ip, host])] }
  return { dns: [...new Set([...dns, host.toLowerCase()])], ip }
}
