/** The subject of a certificate: one common name, and an organization. */
import {
  AttributeTypeAndValue,
  AttributeValue,
  Name,
  RelativeDistinguishedName,
} from '@peculiar/asn1-x509'
import { X509Certificate } from 'node:crypto'
// Node.js 20: calling toLegacyObject() before this import leaves the process without
// createSecureContext.
import 'node:tls'

export interface Subject {
  /** 1 to 64 characters. */
  readonly commonName: string
  /** 1 to 64 characters; undefined: none. */
  readonly organization: string | undefined
}

const commonNameType = '2.5.4.3'
const organizationType = '2.5.4.10'
/** RFC 5280, appendix A.1: ub-common-name, ub-organization-name. */
const text_max = 64

/** Throws RangeError for a text that a certificate cannot contain. */
export function nameOf({ commonName, organization }: Subject): Name {
  const organizations =
    organization === undefined ? [] : [attribute(organizationType, organization)]
  return new Name([...organizations, attribute(commonNameType, commonName)])
}

function attribute(type: string, text: string): RelativeDistinguishedName {
  if (text.length === 0 || text.length > text_max) {
    throw new RangeError(`a name in a certificate must have 1 to ${text_max} characters: ${text}`)
  }
  const value = new AttributeValue({ utf8String: text })
  return new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })])
}

/**
 * The subject of a certificate in PEM. Undefined for an invalid certificate, for one whose key cannot be
 * read, and for one without exactly one common name: two are ambiguous.
 */
export function readSubject(certificate: string): Subject | undefined {
  const subject = subjectOf(certificate)
  if (typeof subject?.CN !== 'string') return undefined
  return {
    commonName: subject.CN,
    organization: typeof subject.O === 'string' ? subject.O : undefined,
  }
}

/** An attribute that occurs more than once is a list. */
type Attributes = Readonly<Partial<Record<string, string | readonly string[]>>>

function subjectOf(certificate: string): Attributes | undefined {
  try {
    const x509 = new X509Certificate(certificate)
    // Throws for a key that cannot be read: toLegacyObject() would end the process then, in Node.js 24.
    x509.publicKey.export({ type: 'spki', format: 'der' })
    return x509.toLegacyObject().subject
  } catch {
    return undefined
  }
}
