/**
 * The signature of the log: write access to its tables without the key is not enough to create an
 * entry that verifies.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { readPem, StartError } from '@causeway/process'

export interface Signer {
  readonly kid: string
  /** PEM. */
  readonly publicKey: string
  sign(hash: Buffer): Buffer
}

/** Throws StartError when the file is not an Ed25519 private key. */
export async function openSigner(setting: string, file: string): Promise<Signer> {
  if (file === '') throw new StartError(`${setting} is not set: name an Ed25519 private key.`)
  const key = privateKeyOf(setting, await readPem(setting, file))
  const publicKey = createPublicKey(key)
  return {
    kid: kidOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (hash) => sign(null, hash, key),
  }
}

function privateKeyOf(setting: string, pem: string): KeyObject {
  const refusal = new StartError(`${setting} is not an Ed25519 private key.`)
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    throw refusal
  }
  throw refusal
}

/** The SHA-256 of the public key, so that two keys never share an id. */
function kidOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}

export type IsSigned = (kid: string, hash: Buffer, signature: Buffer) => boolean

/** @param keys PEM by kid; a key stored under a kid that is not its own is ignored. */
export function openVerifier(keys: ReadonlyMap<string, string>): IsSigned {
  const opened = new Map<string, KeyObject>()
  for (const [kid, pem] of keys) {
    const key = createPublicKey(pem)
    if (kidOf(key) === kid) opened.set(kid, key)
  }
  return (kid, hash, signature) => {
    const key = opened.get(kid)
    return key !== undefined && verify(null, hash, key, signature)
  }
}
