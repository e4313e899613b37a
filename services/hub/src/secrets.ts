/**
 * What makes the hub safe from its first payment: a scheme CA, the certificates that it vouches for,
 * and keys. All are made once, lie in DATA_DIR/secrets and can be read by the hub's user alone. A
 * setting that names a file of one's own goes before.
 */
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type Ca,
  type HostNames,
  type Validity,
} from '@causeway/pki'
import { StartError } from '@causeway/runtime'
import { createPrivateKey, generateKeyPair, randomBytes, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HubSettings } from './settings.ts'

/** The files of an FSP that the hub's own scheme vouches for. */
export interface FspSecrets {
  readonly certificateFile: string
  readonly keyFile: string
  readonly caFile: string
  readonly signingKeyFile: string
}

export interface Secrets {
  /** The settings with every file that was left open filled in. */
  readonly settings: HubSettings
  /** Makes what the FSP needs, unless it was made before. */
  ofFsp(name: string): Promise<FspSecrets>
}

const day_ms = 86_400_000
const caLife_d = 3_650
/** An end certificate is made anew this long before it ends, at a start. */
const renewedBefore_d = 30
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
  const organization = values.HUB_NAME

  const ca = keptPair(file('ca'), undefined, caLife_d, (validity) =>
    makeCa({ subject: { commonName: `${organization} CA`, organization }, validity }),
  )
  const port = keptPair(file('fsp-port'), ca.pair, certificateLife_d, (validity) =>
    issueServerCertificate(ca.pair, {
      subject: { commonName: 'localhost', organization },
      names: namesOf(values),
      validity,
    }),
  )
  const client = keptPair(file('hub'), ca.pair, certificateLife_d, (validity) =>
    issueClientCertificate(ca.pair, {
      subject: { commonName: organization, organization },
      validity,
    }),
  )
  const signingKeyFile = await keptSigningKey(file('hub-signing.key'))
  const secretsKey = keptText(file('auth-service.key'), () => randomBytes(32).toString('base64url'))
  return {
    settings: filled(values, {
      EDGE_TLS_CERTIFICATE_FILE: port.certificateFile,
      EDGE_TLS_KEY_FILE: port.keyFile,
      EDGE_TLS_CA_FILE: ca.certificateFile,
      JWS_SIGNING_KEY_FILE: signingKeyFile,
      NOTIFICATIONS_TLS_CERTIFICATE_FILE: client.certificateFile,
      NOTIFICATIONS_TLS_KEY_FILE: client.keyFile,
      NOTIFICATIONS_TLS_CA_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_CERTIFICATE_FILE: ca.certificateFile,
      AUTH_SERVICE_CA_KEY_FILE: ca.keyFile,
      AUTH_SERVICE_SECRETS_KEY: secretsKey,
    }),
    async ofFsp(name) {
      const own = keptPair(file(name), ca.pair, certificateLife_d, (validity) =>
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

interface KeptPair {
  readonly pair: Ca
  readonly certificateFile: string
  readonly keyFile: string
}

/** One that does not fit any more, or was half replaced, is made anew. */
function keptPair(
  path: string,
  ca: Ca | undefined,
  life_d: number,
  issue: (validity: Validity) => Ca,
): KeptPair {
  const certificateFile = `${path}.pem`
  const keyFile = `${path}.key`
  const kept = { certificateFile, keyFile }
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const pair = {
      certificate: readFileSync(certificateFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
    }
    if (isGood(pair, ca)) return { ...kept, pair }
  }
  const now_ms = Date.now()
  // A minute back: the clocks of two machines are never quite the same.
  const pair = issue({ from: new Date(now_ms - 60_000), to: new Date(now_ms + life_d * day_ms) })
  write(keyFile, pair.key)
  write(certificateFile, pair.certificate)
  return { ...kept, pair }
}

/** Key and certificate belong together, are vouched for by the CA of today, and last for a while. */
function isGood({ certificate, key }: Ca, ca: Ca | undefined): boolean {
  try {
    const own = new X509Certificate(certificate)
    const issuer = ca === undefined ? own : new X509Certificate(ca.certificate)
    const left_ms = Date.parse(own.validTo) - Date.now()
    return (
      left_ms > renewedBefore_d * day_ms &&
      own.checkPrivateKey(createPrivateKey(key)) &&
      own.verify(issuer.publicKey)
    )
  } catch {
    return false
  }
}

const newKeyPair = promisify(generateKeyPair)

/** RSA, because every FSP can verify it. FSPIOP (Signature) 3. */
async function keptSigningKey(path: string): Promise<string> {
  if (existsSync(path)) return path
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  write(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return path
}

function keptText(path: string, text: () => string): string {
  if (!existsSync(path)) write(path, text())
  return readFileSync(path, 'utf8')
}

/** All of it or nothing: a file that is half written would be taken for a secret at the next start. */
function write(path: string, text: string): void {
  make(path, () => {
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  })
}

function make(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new StartError(`${what} cannot be written: ${(error as Error).message}.`)
  }
}
