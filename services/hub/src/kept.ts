/**
 * Secrets that are made once and kept in files: what is there and good stays, all else is made anew.
 * Only the user who made them can read them.
 */
import type { Ca, Validity } from '@causeway/pki'
import { StartError } from '@causeway/runtime'
import {
  createPrivateKey,
  generateKeyPair,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'

const day_ms = 86_400_000
/** A certificate is made anew this long before it ends. */
const renewedBefore_d = 30
const newKeyPair = promisify(generateKeyPair)

export interface PairFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

interface KeptPair extends PairFiles {
  readonly pair: Ca
}

/** One that does not fit any more, or was half replaced, is made anew. */
export function keptPair(
  files: PairFiles,
  ca: Ca | undefined,
  life_d: number,
  issue: (validity: Validity) => Ca,
): KeptPair {
  const { certificateFile, keyFile } = files
  if (existsSync(certificateFile) && existsSync(keyFile)) {
    const pair = {
      certificate: readFileSync(certificateFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
    }
    if (isGood(pair, ca)) return { ...files, pair }
  }
  const now_ms = Date.now()
  // A minute back: the clocks of two machines are never quite the same.
  const pair = issue({ from: new Date(now_ms - 60_000), to: new Date(now_ms + life_d * day_ms) })
  write(keyFile, pair.key)
  write(certificateFile, pair.certificate)
  return { ...files, pair }
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

/** RSA, because every FSP can verify it. FSPIOP (Signature) 3. */
export async function keptSigningKey(path: string): Promise<string> {
  if (existsSync(path)) return path
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  write(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  return path
}

/** For what only the hub itself verifies. */
export function keptEd25519Key(path: string): string {
  keptText(path, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  return path
}

export function keptText(path: string, text: () => string): string {
  if (!existsSync(path)) write(path, text())
  return readFileSync(path, 'utf8')
}

/** All of it or nothing: a file that is half written would be taken for a secret at the next start. */
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
