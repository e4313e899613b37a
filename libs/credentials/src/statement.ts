/**
 * Parts of attestation statements that several formats have: members, certificates and signatures. The
 * key of a certificate is judged before anything is verified with it.
 */
import { verify, X509Certificate, type KeyObject } from 'node:crypto'
import { publicKeyFault, type KeyKind } from '@causeway/pki/public-key'
import type { SigningKey } from './cose.ts'

/** `attStmt`, decoded. */
export interface Statement {
  readonly size: number
  get(member: string): unknown
}

export interface Attested {
  readonly statement: Statement
  readonly authData: Buffer
  /** SHA-256 of the client data. */
  readonly clientDataHash: Buffer
  readonly aaguid: Buffer
  readonly rpIdHash: Buffer
  readonly credentialId: Buffer
  readonly key: SigningKey
}

/** Reads an extension of a certificate (DER); undefined: it has none of this kind. */
export type ExtensionIn = (certificate: Buffer, oid: string) => Buffer | undefined

/** What most formats sign. */
export function signedBy({ authData, clientDataHash }: Attested): Buffer {
  return Buffer.concat([authData, clientDataHash])
}

const aaguidExtension = '1.3.6.1.4.1.45724.1.1.4'

/** The certificate may name the AAGUID, in an OCTET STRING. */
export function aaguidFault(
  certificate: X509Certificate,
  aaguid: Buffer,
  extensionIn: ExtensionIn,
): string | undefined {
  const named = extensionIn(certificate.raw, aaguidExtension)
  const isSame = named?.equals(Buffer.concat([Buffer.of(0x04, 0x10), aaguid])) ?? true
  return isSame ? undefined : 'its certificate is for another AAGUID'
}

/** Of COSE. */
export const es256 = -7

interface Algorithm {
  readonly type: 'ec' | 'rsa' | 'ed25519'
  readonly digest: 'sha256' | 'sha384' | 'sha512' | null
}

/** COSE algorithms of attestations, without SHA-1. (RFC 9053, RFC 8812) */
const algorithms: ReadonlyMap<unknown, Algorithm> = new Map<unknown, Algorithm>([
  [es256, { type: 'ec', digest: 'sha256' }],
  [-35, { type: 'ec', digest: 'sha384' }],
  [-36, { type: 'ec', digest: 'sha512' }],
  [-257, { type: 'rsa', digest: 'sha256' }],
  [-258, { type: 'rsa', digest: 'sha384' }],
  [-259, { type: 'rsa', digest: 'sha512' }],
  [-8, { type: 'ed25519', digest: null }],
])

/** The digest of an algorithm that names one; throws for any other. */
export function digestOf(alg: unknown): string {
  const digest = algorithms.get(alg)?.digest ?? null
  if (digest === null) throw new Error(`the algorithm ${String(alg)}`)
  return digest
}

/** False also for an algorithm of another kind of key. */
export function isSigned(key: KeyObject, alg: unknown, signed: Buffer, signature: Buffer): boolean {
  const algorithm = algorithms.get(alg)
  return (
    algorithm !== undefined &&
    algorithm.type === key.asymmetricKeyType &&
    verify(algorithm.digest, signed, key, signature)
  )
}

/** A member that has bytes; throws if there are none. */
export function bytesIn(statement: Statement, member: string): Buffer {
  const value = statement.get(member)
  if (value instanceof Uint8Array) return Buffer.from(value)
  throw new Error(`no ${member}`)
}

const chain_max = 8
const leafKinds: readonly KeyKind[] = ['RSA', 'P-256', 'P-384', 'Ed25519']

/** The certificate that states something about the credential, and its key, which is judged. */
export function leafOf(statement: Statement) {
  const [certificate] = chainOf(statement)
  if (certificate === undefined) throw new Error('no certificate')
  const { publicKey } = certificate
  const fault = publicKeyFault(publicKey, leafKinds)
  if (fault !== undefined) throw new Error(`the key of its certificate is ${fault}`)
  return { certificate, publicKey }
}

export function chainOf(statement: Statement): readonly X509Certificate[] {
  const x5c = statement.get('x5c') ?? []
  if (!Array.isArray(x5c) || x5c.length > chain_max) throw new Error('its certificates')
  return x5c.map((der) => new X509Certificate(Uint8Array.from(der as Uint8Array)))
}
