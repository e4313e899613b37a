/**
 * The signature of the log: whoever can write its tables, but does not hold the key, cannot make an
 * entry that verifies.
 */
import { readPem, StartError } from '@causeway/runtime'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

export interface Signer {
  readonly kid: string
  /** PEM. */
  readonly publicKey: string
  sign(hash: Buffer): Buffer
}

/** Throws StartError for what is no Ed25519 private key. */
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
  const refusal = new StartError(`${setting} is no Ed25519 private key.`)
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    throw refusal
  }
  throw refusal
}

/** The SHA-256 of the public key: a key cannot pass for another one. */
function kidOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}

export type IsSigned = (kid: string, hash: Buffer, signature: Buffer) => boolean

/** @param keys PEM by kid; a key that is stored under another kid than its own verifies nothing. */
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
