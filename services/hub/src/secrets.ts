/**
 * What makes the hub safe from its first payment: a scheme CA, the certificates that it vouches for,
 * and keys. All are made once, lie in DATA_DIR/secrets and can be read by the hub's user alone. A
 * setting that names a file of one's own goes before.
 */
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type HostNames,
} from '@causeway/pki'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { keptEd25519Key, keptPair, keptSigningKey, keptText, make, write } from './kept.ts'
import type { HubSettings } from './settings.ts'

/** The files of an FSP that the hub's own scheme vouches for. */
export interface FspSecrets {
  readonly certificateFile: string
  readonly keyFile: string
  readonly caFile: string
  readonly signingKeyFile: string
}

/** What the hub's own log-ins need. */
export interface OperatorSecrets {
  /** The password of the first administrator; undefined when it was made at an earlier start. */
  readonly firstPassword: string | undefined
  readonly firstPasswordFile: string
  /** The body of the log-in of the program that sets up, as JSON. */
  readonly setupLogIn: string
  readonly setupLogInFile: string
}

export interface Secrets {
  /** The settings with every file that was left open filled in. */
  readonly settings: HubSettings
  readonly operators: OperatorSecrets
  /** Makes what the FSP needs, unless it was made before. */
  ofFsp(name: string): Promise<FspSecrets>
}

const caLife_d = 3_650
const certificateLife_d = 730
const thisMachine: HostNames = { dns: ['localhost'], ip: ['127.0.0.1', '::1'] }

/** With `fresh` those of before are deleted: nobody whom they vouched for is known any more. */
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
  const pair = (name: string) => ({
    certificateFile: file(`${name}.pem`),
    keyFile: file(`${name}.key`),
  })
  const organization = values.HUB_NAME

  const ca = keptPair(pair('ca'), undefined, caLife_d, (validity) =>
    makeCa({ subject: { commonName: `${organization} CA`, organization }, validity }),
  )
  const port = keptPair(pair('fsp-port'), ca.pair, certificateLife_d, (validity) =>
    issueServerCertificate(ca.pair, {
      subject: { commonName: 'localhost', organization },
      names: namesOf(values),
      validity,
    }),
  )
  const client = keptPair(pair('hub'), ca.pair, certificateLife_d, (validity) =>
    issueClientCertificate(ca.pair, {
      subject: { commonName: organization, organization },
      validity,
    }),
  )
  const auditKeyFile = keptEd25519Key(file('audit-signing.key'))
  const operators = keptOperators(folder)
  const secretsKey = keptText(file('auth-service.key'), () => randomBytes(32).toString('base64url'))
  return {
    settings: filled(values, {
      EDGE_TLS_CERTIFICATE_FILE: port.certificateFile,
      EDGE_TLS_KEY_FILE: port.keyFile,
      EDGE_TLS_CA_FILE: ca.certificateFile,
      JWS_SIGNING_KEY_FILE: await keptSigningKey(file('hub-signing.key')),
      JWS_AUTH_SERVICE_SIGNING_KEY_FILE: await keptSigningKey(file('auth-service-signing.key')),
      NOTIFICATIONS_TLS_CERTIFICATE_FILE: client.certificateFile,
      NOTIFICATIONS_TLS_KEY_FILE: client.keyFile,
      NOTIFICATIONS_TLS_CA_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_CERTIFICATE_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_KEY_FILE: ca.keyFile,
      AUTH_SERVICE_SECRETS_KEY: secretsKey,
      AUTH_SERVICE_FIRST_PASSWORD_FILE: operators.firstPasswordFile,
      AUTH_SERVICE_SETUP_SECRET_FILE: file(setupSecretName),
      AUDIT_SIGNING_KEY_FILE: auditKeyFile,
    }),
    operators,
    async ofFsp(name) {
      const own = keptPair(pair(name), ca.pair, certificateLife_d, (validity) =>
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
        signingKeyFile: await keptSigningKey(file(`${name}-signing.key`)),
      }
    },
  }
}

const setupSecretName = 'setup-secret'

/**
 * The first administrator's password is worth nothing once it was changed; the program's secret is what
 * each start logs in with.
 */
function keptOperators(folder: string): OperatorSecrets {
  const firstPasswordFile = join(folder, 'administrator-password')
  const isNew = !existsSync(firstPasswordFile)
  const firstPassword = keptText(firstPasswordFile, () => randomBytes(15).toString('base64url'))
  const secret = keptText(join(folder, setupSecretName), () =>
    randomBytes(32).toString('base64url'),
  )
  const setupLogInFile = join(folder, 'setup-log-in.json')
  const setupLogIn = JSON.stringify({ id: 'setup', secret })
  write(setupLogInFile, setupLogIn)
  return {
    firstPassword: isNew ? firstPassword : undefined,
    firstPasswordFile,
    setupLogIn,
    setupLogInFile,
  }
}

/** What the hub that runs on this folder takes for a log-in; undefined when none ever ran. */
export function setupLogInOf(dataDir: string): string | undefined {
  const path = join(dataDir, 'secrets', 'setup-log-in.json')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

type Fillable = {
  [Name in keyof HubSettings]: HubSettings[Name] extends string ? Name : never
}[keyof HubSettings]

function filled(
  values: HubSettings,
  defaults: Readonly<Partial<Record<Fillable, string>>>,
): HubSettings {
  const open = Object.entries(defaults).filter(([name]) => values[name as Fillable] === '')
  return { ...values, ...Object.fromEntries(open) }
}

function namesOf({ FSP_HOST }: HubSettings): HostNames {
  const { dns, ip } = thisMachine
  if (/^[\d.]+$|:/.test(FSP_HOST)) return { dns, ip: [...new Set([...ip, FSP_HOST])] }
  return { dns: [...new Set([...dns, FSP_HOST.toLowerCase()])], ip }
}
