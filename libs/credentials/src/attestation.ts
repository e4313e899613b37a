/**
 * Attestation statements of new credentials: all that a statement says is verified, its signature
 * included. Who made the device is not judged, and neither is the end of a certificate, unless roots are
 * listed: then the chain has to end in one of them. Nothing is fetched. (Web Authentication Level 3,
 * section 8)
 */
import { hash, type KeyObject, type X509Certificate } from 'node:crypto'
import {
  aaguidFault,
  bytesIn,
  chainOf,
  es256,
  isSigned,
  leafOf,
  signedBy,
  type Attested,
  type ExtensionIn,
  type Statement,
} from './statement.ts'
import { tpmFault } from './tpm.ts'

/** The fault in a statement; undefined: it is right. Throws an Error for a malformed one. */
type Check = (attested: Attested, extensionIn: ExtensionIn) => string | undefined

/** Without SafetyNet: its statements expire after 60 seconds, too soon for a relayed message. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['none', ({ statement }) => (statement.size === 0 ? undefined : 'it has a statement')],
  ['packed', packedFault],
  ['fido-u2f', u2fFault],
  ['tpm', tpmFault],
  ['android-key', androidFault],
  ['apple', appleFault],
])

/**
 * The fault in an attestation; undefined: it is right.
 *
 * @param roots empty: any maker
 */
export function attestationFault(
  format: string,
  attested: Attested,
  roots: readonly X509Certificate[],
  extensionIn: ExtensionIn,
): string | undefined {
  const check = checks.get(format)
  if (check === undefined) return `attestation format ${format}`
  try {
    const fault = check(attested, extensionIn) ?? rootFault(attested.statement, roots)
    return fault === undefined ? undefined : `the ${format} attestation: ${fault}`
  } catch (error) {
    return `the ${format} attestation cannot be read: ${(error as Error).message}`
  }
}

/** Section 8.2. */
function packedFault(attested: Attested, extensionIn: ExtensionIn): string | undefined {
  const { statement, aaguid, key } = attested
  const alg = statement.get('alg')
  if (statement.get('x5c') === undefined) {
    return alg === key.alg ? signatureFault(key.key, alg, attested) : 'its alg is not of the key'
  }
  const { certificate, publicKey } = leafOf(statement)
  return (
    packedCertificateFault(certificate) ??
    aaguidFault(certificate, aaguid, extensionIn) ??
    signatureFault(publicKey, alg, attested)
  )
}

/** Section 8.2.1. */
function packedCertificateFault(certificate: X509Certificate): string | undefined {
  const { C, O, OU, CN } = certificate.toLegacyObject().subject
  const isNamed = C?.length === 2 && isText(O) && isText(CN) && OU === 'Authenticator Attestation'
  if (!isNamed) return 'the subject of its certificate is not that of an authenticator'
  return certificate.ca ? 'its certificate is that of an authority' : undefined
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

/** Section 8.6. Its AAGUID is not signed, and may be any. */
function u2fFault({ statement, ...attested }: Attested): string | undefined {
  if (chainOf(statement).length !== 1) return 'it has not exactly one certificate'
  const { publicKey } = leafOf(statement)
  const { x = '', y = '' } = attested.key.key.export({ format: 'jwk' })
  const signed = Buffer.concat([
    Buffer.of(0),
    attested.rpIdHash,
    attested.clientDataHash,
    attested.credentialId,
    Buffer.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ])
  return isSigned(publicKey, es256, signed, bytesIn(statement, 'sig'))
    ? undefined
    : 'its signature does not verify'
}

/** Section 8.4. */
function androidFault(attested: Attested, extensionIn: ExtensionIn): string | undefined {
  const { statement, clientDataHash, key } = attested
  const { certificate, publicKey } = leafOf(statement)
  if (!publicKey.equals(key.key)) return 'its certificate is of another key'
  const description = extensionIn(certificate.raw, '1.3.6.1.4.1.11129.2.1.17')
  if (description === undefined) return 'its certificate does not describe the key'
  return (
    descriptionFault(description, clientDataHash) ??
    signatureFault(publicKey, statement.get('alg'), attested)
  )
}

const allApplications = 600

/**
 * KeyDescription: a SEQUENCE of three versions and levels, their security level, the challenge, a unique
 * id, and two lists of what the key is for, by software and by hardware.
 */
function descriptionFault(description: Buffer, clientDataHash: Buffer): string | undefined {
  const [outer] = elementsOf(description)
  const parts = elementsOf(outer?.content ?? Buffer.alloc(0))
  if (parts[4]?.content.equals(clientDataHash) !== true) return 'it is for another challenge'
  const lists = [parts[6], parts[7]].flatMap((part) => {
    if (part === undefined) throw new Error('a key description without lists')
    return elementsOf(part.content)
  })
  return lists.some(({ tag }) => tag === allApplications)
    ? 'its key is not for one application'
    : undefined
}

interface Element {
  /** Without class and form. */
  readonly tag: number
  readonly content: Buffer
}

/** The elements of DER, one after the other. Throws RangeError for what is cut off. */
function elementsOf(der: Buffer): readonly Element[] {
  const found: Element[] = []
  for (let at = 0; at < der.length;) {
    let tag = der.readUInt8(at++) & 0x1f
    if (tag === 0x1f) {
      tag = 0
      for (let more = true; more;) {
        const byte = der.readUInt8(at++)
        tag = (tag * 128 + (byte & 0x7f)) % 2 ** 32
        more = byte >= 0x80
      }
    }
    const first = der.readUInt8(at++)
    const length_bytes = first < 0x80 ? 0 : first & 0x7f
    const length = length_bytes === 0 ? first : der.readUIntBE(at, length_bytes)
    at += length_bytes
    if (at + length > der.length) throw new RangeError('cut off')
    found.push({ tag, content: der.subarray(at, at + length) })
    at += length
  }
  return found
}

/** A SEQUENCE with the nonce in an element of its own. */
const nonceHead = Buffer.from('3024a1220420', 'hex')

/** Section 8.8. */
function appleFault(attested: Attested, extensionIn: ExtensionIn): string | undefined {
  const { certificate, publicKey } = leafOf(attested.statement)
  const nonce = Buffer.concat([nonceHead, hash('sha256', signedBy(attested), 'buffer')])
  if (extensionIn(certificate.raw, '1.2.840.113635.100.8.2')?.equals(nonce) !== true) {
    return 'its certificate is for another challenge'
  }
  return publicKey.equals(attested.key.key) ? undefined : 'its certificate is of another key'
}

function signatureFault(key: KeyObject, alg: unknown, attested: Attested): string | undefined {
  return isSigned(key, alg, signedBy(attested), bytesIn(attested.statement, 'sig'))
    ? undefined
    : 'its signature does not verify'
}

/** Where roots are listed, a credential without a chain is refused as well. */
function rootFault(statement: Statement, roots: readonly X509Certificate[]): string | undefined {
  if (roots.length === 0) return undefined
  const chain = chainOf(statement)
  for (const [at, certificate] of chain.entries()) {
    if (roots.some((root) => root.raw.equals(certificate.raw) || isIssued(certificate, root))) {
      return undefined
    }
    const next = chain[at + 1]
    if (next === undefined || !isIssued(certificate, next)) break
  }
  return 'it does not end in a listed root'
}

function isIssued(certificate: X509Certificate, by: X509Certificate): boolean {
  return by.ca && certificate.checkIssued(by) && certificate.verify(by.publicKey)
}
