/**
 * The signature of the log: write access to its tables without the key is not enough to create an
 * entry that verifies. The keys that verify come from files, never from the database.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { algorithmOf, openSigningKey, type Token } from '@causeway/keys/provider'
import { readPem, StartError } from '@causeway/process'

export interface Signer {
  readonly kid: string
  /** PEM. */
  readonly publicKey: string
  sign(content: Buffer): Buffer
}

/**
 * Throws StartError when there is no such key, or it is not an Ed25519 private key.
 *
 * @param reference a file, or `pkcs11:object=LABEL`
 * @param token undefined: there is no HSM
 */
export async function openSigner(
  setting: string,
  reference: string | undefined,
  token?: Token,
): Promise<Signer> {
  if (reference === undefined)
    throw new StartError(`${setting} is not set: name an Ed25519 private key.`)
  const { algorithm, publicKey, signNow } = await openSigningKey(token, setting, reference)
  if (algorithm !== 'EdDSA') throw new StartError(`${setting} is not an Ed25519 private key.`)
  return {
    kid: kidOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: signNow,
  }
}

/** The SHA-256 of the public key, so that two keys never share an id. */
function kidOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}

export type IsSigned = (kid: string, content: Buffer, signature: Buffer) => boolean

export interface Verifier {
  readonly isSigned: IsSigned
  trusts(kid: string): boolean
}

/**
 * Trusts the signer's own key and those of the file: public keys, PEM, one after the other. Throws
 * StartError when the file contains anything else.
 *
 * @param file undefined: the signer's own key alone
 */
export async function openVerifier(
  setting: string,
  file: string | undefined,
  signer: Pick<Signer, 'publicKey'>,
): Promise<Verifier> {
  const earlier = file === undefined ? [] : publicKeysOf(setting, await readPem(setting, file))
  const trusted = [createPublicKey(signer.publicKey), ...earlier]
  const keys = new Map(trusted.map((key) => [kidOf(key), key]))
  return {
    trusts: (kid) => keys.has(kid),
    isSigned(kid, content, signature) {
      const key = keys.get(kid)
      return key !== undefined && verify(null, content, key, signature)
    },
  }
}

const publicKeyEnd = '-----END PUBLIC KEY-----'

function publicKeysOf(setting: string, text: string): readonly KeyObject[] {
  const refusal = new StartError(`${setting} contains something other than Ed25519 public keys.`)
  const parts = text.split(publicKeyEnd)
  if (parts.pop()?.trim() !== '') throw refusal
  return parts.map((part) => {
    const key = publicKeyIn(`${part.trimStart()}${publicKeyEnd}\n`)
    if (key === undefined || algorithmOf(key) !== 'EdDSA') throw refusal
    return key
  })
}

function publicKeyIn(pem: string): KeyObject | undefined {
  // createPublicKey also takes private keys, which do not belong in this file.
  if (!pem.startsWith('-----BEGIN PUBLIC KEY-----')) return undefined
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}
