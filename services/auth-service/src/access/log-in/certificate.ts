/**
 * A client certificate as the proof of an operator's identity: issued by the operators' or the
 * services' authority, valid now, for clients, and its private key has signed the nonce. (RFC 5280,
 * section 6)
 */
import { verify, X509Certificate, type KeyObject } from 'node:crypto'
import { readSubject } from '@causeway/pki'
import { publicKeyFault } from '@causeway/pki/public-key'

export interface Authorities {
  /** They certify people and programs. */
  readonly operators: readonly X509Certificate[]
  /** They certify programs only. */
  readonly services: readonly X509Certificate[]
}

export interface CertificateProof {
  /** PEM; of several certificates the first. */
  readonly certificate: string
  readonly nonce: string
  /** base64. */
  readonly signature: string
}

export type Certified =
  | { readonly type: 'CERTIFIED'; readonly name: string; readonly mayBePerson: boolean }
  /** `name` is what the certificate claims, as far as it can be read. */
  | { readonly type: 'FAULTY'; readonly name: string; readonly fault: string }

const clientAuthentication = '1.3.6.1.5.5.7.3.2'

export function checkCertificate(
  { certificate: pem, nonce, signature }: CertificateProof,
  authorities: Authorities,
  now: Date,
): Certified {
  const certificate = certificateIn(pem)
  const name = readSubject(pem)?.commonName ?? ''
  const faulty = (fault: string): Certified => ({ type: 'FAULTY', name, fault })
  if (certificate === undefined) return faulty('it is not a certificate in PEM')
  if (name === '') return faulty('it has not exactly one common name')
  const ofOperators = isIssuedBy(certificate, authorities.operators, now)
  if (!ofOperators && !isIssuedBy(certificate, authorities.services, now)) {
    return faulty('no authority for log-ins has issued it')
  }
  if (!isValidAt(certificate, now)) return faulty('it is not valid now')
  if (certificate.ca) return faulty('it is the certificate of an authority')
  // Node.js calls the extended key usage so.
  const usages = certificate.keyUsage as readonly string[] | undefined
  if (usages?.includes(clientAuthentication) !== true) return faulty('it is not for clients')
  const weakness = publicKeyFault(certificate.publicKey, ['RSA', 'P-256', 'P-384', 'Ed25519'])
  if (weakness !== undefined) return faulty(`its key is ${weakness}`)
  if (!isSigned(certificate.publicKey, nonce, Buffer.from(signature, 'base64'))) {
    return faulty('the signature of the nonce does not verify')
  }
  return { type: 'CERTIFIED', name, mayBePerson: ofOperators }
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function isIssuedBy(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: Date,
): boolean {
  return authorities.some(
    (authority) =>
      isValidAt(authority, now) &&
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey),
  )
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return new Date(validFrom) <= now && now < new Date(validTo)
}

/** ECDSA or RSA (PKCS #1 v1.5) with SHA-256, or Ed25519: what `openssl` signs by default. */
function isSigned(key: KeyObject, nonce: string, signature: Buffer): boolean {
  const bytes = Buffer.from(nonce)
  switch (key.asymmetricKeyType) {
    case 'ec':
    case 'rsa':
      return verify('sha256', bytes, key, signature)
    case 'ed25519':
      return verify(null, bytes, key, signature)
    default:
      return false
  }
}
