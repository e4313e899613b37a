/**
 * Certificate requests: read for the key, which the signature proves to be the sender's, and for
 * host names. The subject is ignored. RFC 2986, RFC 2985 5.4.2.
 */
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Attribute, Extensions } from '@peculiar/asn1-x509'
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { publicKeyInfo } from './certificate.ts'
import { arrayBuffer, fromPem, isOneSequence, serialized, toPem } from './der.ts'
import { extensionOf, hostNamesIn, isEmpty, noHostNames, type HostNames } from './host-names.ts'
import {
  algorithmOf,
  faultOfKey,
  identifierOf,
  isSignedBy,
  newKeyPair,
  privatePem,
  signWith,
} from './keys.ts'
import { nameOf, type Subject } from './subject.ts'

/** A valid request. */
export interface SigningRequest {
  readonly key: KeyObject
  readonly names: HostNames
}

const extensionRequest = '1.2.840.113549.1.9.14'
const labels = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']
const text_max = 16_384
const names_max = 20

/**
 * Reads a PKCS #10 request in PEM: RSA of 2048 to 4096 bits or EC on P-256 or P-384, signed by the
 * same key with SHA-2. `fault` describes the fault.
 */
export function readCsr(pem: string): SigningRequest | { readonly fault: string } {
  if (pem.length > text_max) return { fault: `longer than ${text_max} characters` }
  if (pem.includes('PRIVATE KEY-----')) {
    return { fault: 'contains a private key: it is compromised, create a new one' }
  }
  const der = fromPem(pem, labels)
  if (der === undefined) return { fault: `not a PEM ${labels[0] ?? ''}` }
  try {
    if (isOneSequence(der)) return readDer(der)
  } catch {
    // The parser throws for invalid input.
  }
  return { fault: 'not a valid certificate request (PKCS #10)' }
}

function readDer(der: Buffer): SigningRequest | { readonly fault: string } {
  const request = AsnConvert.parse(arrayBuffer(der), CertificationRequest)
  const { certificationRequestInfo: info, certificationRequestInfoRaw: raw } = request
  if (raw === undefined) return { fault: 'has no signed bytes' }
  const key = createPublicKey({
    key: serialized(info.subjectPKInfo),
    format: 'der',
    type: 'spki',
  })
  const fault = faultOfKey(key)
  if (fault !== undefined) return { fault: `its key is ${fault}` }
  const signature = Buffer.from(request.signature)
  if (!isSignedBy(key, request.signatureAlgorithm, Buffer.from(raw), signature)) {
    return { fault: 'its signature does not verify with its own key (over SHA-2)' }
  }
  const names = hostNamesIn(requestedExtensions(info))
  if ('fault' in names) return names
  if (names.dns.length + names.ip.length > names_max) {
    return { fault: `more than ${names_max} host names` }
  }
  return { key, names }
}

/** A request without attributes may omit the list, although the type requires it. */
function requestedExtensions({ attributes }: { readonly attributes?: Attributes }): Extensions {
  const [value] = attributes?.find(({ type }) => type === extensionRequest)?.values ?? []
  return value === undefined ? new Extensions() : AsnConvert.parse(value, Extensions)
}

interface RequestContent {
  readonly subject: Subject
  readonly names: HostNames
  readonly publicKey: KeyObject
}

/** Creates a request, and its key unless one is given (PEM, private). */
export function makeCsr({
  subject,
  names = noHostNames,
  key: given,
}: {
  readonly subject: Subject
  readonly names?: HostNames
  readonly key?: string
}): { readonly csr: string; readonly key: string } {
  const privateKey = given === undefined ? newKeyPair().privateKey : createPrivateKey(given)
  const publicKey = createPublicKey(privateKey)
  const info = requestInfo({ subject, names, publicKey })
  const csr = requestPem(info, publicKey, signWith(privateKey, serialized(info)))
  return { csr, key: privatePem(privateKey) }
}

/**
 * Creates a request for a key that is held elsewhere, such as in an HSM.
 * @param sign With the algorithm of the key: SHA-256, on P-384 SHA-384; of EC keys in DER.
 */
export async function makeCsrOf({
  sign,
  ...content
}: RequestContent & { readonly sign: (bytes: Buffer) => Promise<Buffer> }): Promise<string> {
  const info = requestInfo(content)
  return requestPem(info, content.publicKey, await sign(serialized(info)))
}

function requestInfo({ subject, names, publicKey }: RequestContent): CertificationRequestInfo {
  const extensions = serialized(new Extensions([extensionOf(names)]))
  const attribute = new Attribute({ type: extensionRequest, values: [arrayBuffer(extensions)] })
  return new CertificationRequestInfo({
    subject: nameOf(subject),
    subjectPKInfo: publicKeyInfo(publicKey),
    attributes: new Attributes(isEmpty(names) ? [] : [attribute]),
  })
}

function requestPem(info: CertificationRequestInfo, key: KeyObject, signature: Buffer): string {
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: identifierOf(algorithmOf(key)),
    signature: arrayBuffer(signature),
  })
  return toPem('CERTIFICATE REQUEST', serialized(request))
}
