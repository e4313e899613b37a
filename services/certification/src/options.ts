/** The options of the command: names of files are read, and every value is checked. */
import { readSigning, readJwks, type Signing } from '@causeway/fsp'
import { readPublicKey, type VerificationKey } from '@causeway/fspiop'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Role, roles } from './case.ts'
import type { Publishing } from './publish.ts'
import type { CertificationSettings } from './settings.ts'
import { webhook } from './trigger.ts'

export class WrongOption extends Error {}

export interface CommandOptions {
  readonly settings: CertificationSettings
  /** The reference FSP is started and tested. */
  readonly isReference: boolean
  readonly host: string
  readonly port: number
  readonly report: string
  /** Undefined: the report is only written. */
  readonly publishing: Publishing | undefined
  readonly roles: readonly Role[]
  /** Cases whose ids begin so; all when empty. */
  readonly ids: readonly string[]
  readonly isList: boolean
}

/** The FSP of this name is `@causeway/fsp` itself. */
const referenceName = 'reference'

const text = { type: 'string' } as const
const known = {
  fsp: text,
  callback: text,
  host: text,
  port: text,
  hub: text,
  counterparty: text,
  'auth-service': text,
  currency: text,
  party: text,
  'reserve-amount': text,
  user: text,
  'callback-uri': text,
  trigger: text,
  'signing-key': text,
  'fsp-keys': text,
  'encryption-key': text,
  'fsp-encryption-key': text,
  'tls-ca': text,
  'tls-certificate': text,
  'tls-key': text,
  'answer-ms': text,
  'silence-ms': text,
  'watch-ms': text,
  parallel: text,
  report: text,
  publish: text,
  'token-file': text,
  role: { type: 'string', multiple: true },
  case: { type: 'string', multiple: true },
  list: { type: 'boolean' },
} as const

type OptionValues = ReturnType<typeof valuesIn>

function valuesIn(parameters: readonly string[]) {
  try {
    return parseArgs({ args: [...parameters], options: known, strict: true }).values
  } catch (error) {
    throw new WrongOption(error instanceof Error ? error.message : String(error))
  }
}

export async function readOptions(parameters: readonly string[]): Promise<CommandOptions> {
  const values = valuesIn(parameters)
  const isList = values.list ?? false
  const fsp = values.fsp ?? (isList ? referenceName : undefined)
  if (fsp === undefined) throw new WrongOption('--fsp NAME: the FSP to test, or "reference"')
  const isReference = fsp === referenceName
  const { callback } = values
  if (!isReference && callback === undefined) {
    throw new WrongOption('--callback URL: where the FSP takes messages')
  }
  return {
    isReference,
    isList,
    host: values.host ?? '127.0.0.1',
    port: numberIn(values, 'port', isReference ? 0 : 4400),
    report: values.report ?? 'certification-report',
    publishing: await publishingIn(values),
    roles: rolesIn(values),
    ids: values.case ?? [],
    settings: await settingsIn(values, fsp, isReference),
  }
}

async function settingsIn(
  values: OptionValues,
  fsp: string,
  isReference: boolean,
): Promise<CertificationSettings> {
  const { callback = '', party, trigger } = values
  return {
    fsp,
    callbackUrl: withoutSlash(callback),
    hubName: values.hub ?? 'Hub',
    counterparty: values.counterparty ?? 'certifier',
    stranger: 'stranger',
    authService: values['auth-service'] ?? 'centralAuth',
    currency: values.currency ?? 'USD',
    party: party === undefined ? undefined : partyIn(party),
    reserveAmount: values['reserve-amount'],
    userId: values.user,
    callbackUri: values['callback-uri'] ?? 'https://app.certification.example/linked',
    trigger: trigger === undefined ? undefined : webhook(trigger),
    ...(await keysIn(values)),
    tls: await tlsIn(values),
    answer_ms: numberIn(values, 'answer-ms', isReference ? 5_000 : 10_000),
    silence_ms: numberIn(values, 'silence-ms', isReference ? 5_000 : 60_000),
    watch_ms: numberIn(values, 'watch-ms', isReference ? 500 : 5_000),
    parallel: numberIn(values, 'parallel', isReference ? 8 : 1),
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url
}

/** That the token can be read is known before the cases are run. */
async function publishingIn({
  publish: url,
  'token-file': tokenFile,
}: OptionValues): Promise<Publishing | undefined> {
  if (url === undefined) {
    if (tokenFile === undefined) return undefined
    throw new WrongOption('--token-file: it belongs to --publish')
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new WrongOption(`--publish: ${url} is not the http or https URL of an operator API`)
  }
  if (tokenFile !== undefined) await fileOf('token-file', tokenFile)
  return { url: withoutSlash(url), tokenFile }
}

async function keysIn(values: OptionValues) {
  const pemOf = async (name: PathName) => {
    const path = values[name]
    return path === undefined ? undefined : fileOf(name, path)
  }
  const signing = await pemOf('signing-key')
  const fspKeys = await pemOf('fsp-keys')
  const own = await pemOf('encryption-key')
  const theirs = await pemOf('fsp-encryption-key')
  return {
    signing: signing === undefined ? undefined : await readSigning(signing),
    fspKeys: fspKeys === undefined ? [] : await verificationKeys(fspKeys),
    encryptionKey: own === undefined ? undefined : createPrivateKey(own),
    fspEncryptionKey: theirs === undefined ? undefined : createPublicKey(theirs),
  }
}

type PathName =
  | 'signing-key'
  | 'fsp-keys'
  | 'encryption-key'
  | 'fsp-encryption-key'
  | 'tls-ca'
  | 'tls-certificate'
  | 'tls-key'
  | 'token-file'

async function fileOf(name: PathName, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new WrongOption(`--${name}: ${path} cannot be read`)
  }
}

/** Of a JWK set, or of one public key in PEM. */
async function verificationKeys(content: string): Promise<readonly VerificationKey[]> {
  if (content.trimStart().startsWith('{')) return readJwks(JSON.parse(content))
  const reading = await readPublicKey(content, 'sig')
  if ('fault' in reading) throw new WrongOption(`--fsp-keys: the key is ${reading.fault}`)
  return [{ kid: reading.kid, key: reading.key, validFrom: undefined, validTo: undefined }]
}

/** The keys that verify what a signing key signed. */
export function verifying({ kid, key }: Signing): VerificationKey {
  return { kid, key: createPublicKey(key), validFrom: undefined, validTo: undefined }
}

async function tlsIn(values: OptionValues): Promise<CertificationSettings['tls']> {
  const { 'tls-ca': ca, 'tls-certificate': certificate, 'tls-key': key } = values
  if (ca === undefined && certificate === undefined && key === undefined) return undefined
  if (ca === undefined || certificate === undefined || key === undefined) {
    throw new WrongOption('--tls-ca, --tls-certificate and --tls-key belong together')
  }
  return {
    ca: await fileOf('tls-ca', ca),
    certificate: await fileOf('tls-certificate', certificate),
    key: await fileOf('tls-key', key),
  }
}

function numberIn(
  values: OptionValues,
  name: 'port' | 'answer-ms' | 'silence-ms' | 'watch-ms' | 'parallel',
  usual: number,
): number {
  const value = values[name]
  if (value === undefined) return usual
  if (!/^\d{1,7}$/.test(value)) throw new WrongOption(`--${name}: ${value} is not a number`)
  return Number(value)
}

function partyIn(value: string): { readonly type: string; readonly id: string } {
  const [type, id] = value.split('/')
  if (type === undefined || id === undefined || type === '' || id === '') {
    throw new WrongOption(`--party: ${value} is not TYPE/ID, such as MSISDN/12025550101`)
  }
  return { type, id }
}

function rolesIn({ role: names = [...roles] }: OptionValues): readonly Role[] {
  return names.map((name) => {
    const role = roles.find((each) => each === name)
    if (role === undefined) throw new WrongOption(`--role: ${name} is none of ${roles.join(', ')}`)
    return role
  })
}
