/**
 * The secrets of a distributed hub, one folder for each process that needs some: three authorities
 * (for FSPs, for services, for operators), their certificates, and keys. Made once; a repeated run
 * renews what expires soon and leaves the rest. Each process gets only its own folder.
 */
import { listIn } from '@causeway/process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  type Ca,
  type HostNames,
} from '@causeway/pki'
import { serviceNames, settingPrefix } from '@causeway/services'
import type { SettingValues } from '@causeway/process'
import {
  ensureComponentKey,
  ensureEd25519Key,
  ensurePair,
  ensureSigningKey,
  ensureText,
  make,
  write,
  type PairFiles,
} from '../secret-files.ts'
import type { secretsSettings } from './settings.ts'

const caLife_d = 3_650
const life_d = 730

type SecretsSettings = SettingValues<typeof secretsSettings>

/**
 * Creates `values.SECRETS_DIR` when it does not exist. Throws StartError when it cannot be written.
 */
export async function makeSecrets(values: SecretsSettings): Promise<void> {
  const scheme = authority(values, 'scheme')
  const operators = authority(values, 'operators')
  ofServices(values, authority(values, 'services'))
  await ofEdge(values, scheme)
  await ofSandbox(values, scheme)
  ofOperators(values, operators)
  ofLogIns(values)
  ofSeals(values)
  ensureEd25519Key(join(folder(join(values.SECRETS_DIR, 'audit', 'signing')), 'private.pem'))
  if (values.SECRETS_OWNER !== undefined) giveTo(Number(values.SECRETS_OWNER), values.SECRETS_DIR)
}

/** The folders of authorities are only for issuing certificates; no running service needs them. */
function authority({ SECRETS_DIR, HUB_NAME }: SecretsSettings, name: string): Ca {
  const files = pairIn(join(SECRETS_DIR, 'authorities', name))
  const subject = { commonName: `${HUB_NAME} ${name} CA`, organization: HUB_NAME }
  const { pair } = ensurePair(files, undefined, caLife_d, (validity) =>
    makeCa({ subject, validity }),
  )
  return pair
}

/**
 * The certificates by which services identify each other: the common name is the folder's. And the
 * keys with which they sign as components.
 */
function ofServices(values: SecretsSettings, ca: Ca): void {
  for (const service of serviceNames) {
    ensureComponentKey(join(folder(join(values.SECRETS_DIR, service, 'component')), 'private.pem'))
    certified(values, ca, join(service, 'grpc'), service, { dns: [service], ip: [] })
  }
}

async function ofEdge(values: SecretsSettings, ca: Ca): Promise<void> {
  const { SECRETS_DIR, HUB_NAME } = values
  const port = folderIn(values, join('fspiop-api', 'fsp-port'), ca)
  const names = hostsOf(values.SECRETS_FSP_HOSTS)
  ensurePair(pairIn(port), ca, life_d, (validity) =>
    issueServerCertificate(ca, {
      subject: { commonName: names.dns[0] ?? HUB_NAME, organization: HUB_NAME },
      names,
      validity,
    }),
  )
  const signing = folder(join(SECRETS_DIR, 'fspiop-api', 'signing'))
  await ensureSigningKey(join(signing, 'private.pem'))
  await ensureSigningKey(join(signing, 'auth-service.pem'))
  certified(values, ca, join('notifications', 'fsp-client'), HUB_NAME, undefined)

  const vouching = folder(join(SECRETS_DIR, 'auth-service', 'scheme-ca'))
  write(join(vouching, 'tls.crt'), ca.certificate)
  write(join(vouching, 'tls.key'), ca.key)
}

/** The keys with which services encrypt what they store. */
function ofSeals({ SECRETS_DIR }: SecretsSettings): void {
  for (const service of ['audit', 'auth-service', 'config'] as const) {
    const seal = folder(join(SECRETS_DIR, service, 'seal'))
    const name = `${settingPrefix(service)}_SECRETS_KEY`
    const key = ensureText(join(seal, name), () => randomBytes(32).toString('base64url'))
    ensureText(join(seal, 'env'), () => `${name}=${key}\n`)
  }
}

async function ofSandbox(values: SecretsSettings, ca: Ca): Promise<void> {
  for (const fsp of ['greenbank', 'bluewallet', 'amberpay', 'lemonpay']) {
    const place = join('sandbox-fsp', fsp)
    certified(values, ca, place, fsp, hostsOf(values.SECRETS_SANDBOX_HOSTS))
    await ensureSigningKey(join(values.SECRETS_DIR, place, 'signing.pem'))
  }
}

function ofOperators(values: SecretsSettings, ca: Ca): void {
  const names = hostsOf(values.SECRETS_OPERATOR_HOSTS)
  certified(values, ca, join('admin', 'operator-port'), names.dns[0] ?? 'admin', names)
  certified(values, ca, join('operator', 'operator-client'), 'operator', undefined)
}

/**
 * The first log-ins: two administrators, persons who must change the password at once and approve each
 * other's changes, and the program that sets the hub up.
 */
function ofLogIns({ SECRETS_DIR }: SecretsSettings): void {
  const known = folder(join(SECRETS_DIR, 'auth-service', 'operators'))
  // Who reads both is two persons, so each is a Secret of its own.
  const ofSecond = folder(join(SECRETS_DIR, 'auth-service', 'administrator2'))
  const password = (file: string) => ensureText(file, () => randomBytes(15).toString('base64url'))
  password(join(known, 'administrator-password'))
  password(join(ofSecond, 'administrator2-password'))
  const secret = ensureText(join(known, 'setup-secret'), () =>
    randomBytes(32).toString('base64url'),
  )
  const logIn = folder(join(SECRETS_DIR, 'operator', 'log-in'))
  write(join(logIn, 'setup.json'), JSON.stringify({ id: 'setup', secret }))
}

/** A folder with `tls.crt`, `tls.key`, `ca.crt`: the names that Kubernetes and cert-manager use. */
function certified(
  values: SecretsSettings,
  ca: Ca,
  place: string,
  commonName: string,
  names: HostNames | undefined,
): void {
  const path = folderIn(values, place, ca)
  ensurePair(pairIn(path), ca, life_d, (validity) =>
    issueClientCertificate(ca, {
      subject: { commonName, organization: values.HUB_NAME },
      validity,
      ...(names === undefined ? {} : { names }),
    }),
  )
}

function folderIn({ SECRETS_DIR }: SecretsSettings, place: string, ca: Ca): string {
  const path = folder(join(SECRETS_DIR, place))
  write(join(path, 'ca.crt'), ca.certificate)
  return path
}

function pairIn(path: string): PairFiles {
  folder(path)
  return { certificateFile: join(path, 'tls.crt'), keyFile: join(path, 'tls.key') }
}

function folder(path: string): string {
  make(`The folder ${path}`, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
  return path
}

function hostsOf(list: string): HostNames {
  const names = listIn(list.toLowerCase())
  const isAddress = (name: string) => /^[\d.]+$|:/.test(name)
  return { dns: names.filter((name) => !isAddress(name)), ip: names.filter(isAddress) }
}

/** Everything except the authorities: no running process needs their keys. */
function giveTo(owner: number, path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'authorities') continue
    const each = join(path, entry.name)
    if (entry.isDirectory()) giveTo(owner, each)
    make(each, () => chownSync(each, owner, owner))
  }
}
