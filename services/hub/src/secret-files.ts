/**
 * Secrets that are created once and stored in files: a valid file stays, a missing or invalid one
 * is created again. Only the user who created them can read them.
 */
import {
  createPrivateKey,
  generateKeyPair,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Ca, Validity } from '@causeway/pki'
import { StartError } from '@causeway/process'

const day_ms = 86_400_000
/** A certificate is replaced this long before it expires. */
const renewedBefore_d = 30
const newKeyPair = promisify(generateKeyPair)

export interface PairFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

interface StoredPair extends PairFiles {
  readonly pair: Ca
}

/** A certificate that no longer matches, or was only half replaced, is created again. */
export function ensurePair(
  files: PairFiles,
  ca: Ca | undefined,
  life_d: number,
  issue: (validity: Validity) => Ca,
): StoredPair {
  const { certificateFile, keyFile } = files
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const pair = {
      certificate: readFileSync(certificateFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
    }
    if (isGood(pair, ca)) return { ...files, pair }
  }
  const now_ms = Date.now()
  // Valid from a minute ago: clocks of two machines always differ a little.
  const pair = issue({ from: new Date(now_ms - 60_000), to: new Date(now_ms + life_d * day_ms) })
  write(keyFile, pair.key)
  write(certificateFile, pair.certificate)
  return { ...files, pair }
}

/**
 * Key and certificate match, the current CA has issued the certificate, and it does not expire
 * soon.
 */
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

/** RSA, because every FSP can verify it. FSPIOP (Signature) 3. */
export async function ensureSigningKey(path: string): Promise<string> {
  if (existsSync(path)) return path
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  write(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return path
}

/** For messages that only the hub itself verifies. */
export function ensureEd25519Key(path: string): string {
  ensureText(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  return path
}

/** For what components sign. */
export function ensureComponentKey(path: string): string {
  ensureText(path, () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  )
  return path
}

export function ensureText(path: string, text: () => string): string {
  if (!existsSync(path)) write(path, text())
  return readFileSync(path, 'utf8')
}

/** Writes the whole file or nothing: the next start would take a partial file for a secret. */
export function write(path: string, text: string): void {
  make(path, () => {
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  })
}

export function make(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new StartError(`${what} cannot be written: ${(error as Error).message}.`)
  }
}
