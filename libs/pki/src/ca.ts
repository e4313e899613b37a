/**
 * The certificate authority of a scheme, with PEM as input and output. The holder of its
 * certificate and key can certify any identity. An issued certificate never outlives the authority
 * and cannot certify others.
 */
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate, SubjectKeyIdentifier, id_ce_subjectKeyIdentifier } from '@peculiar/asn1-x509'
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto'
import {
  certify,
  keyIdOf,
  type CertificateContent,
  type Issuer,
  type Validity,
} from './certificate.ts'
import { readCsr, type SigningRequest } from './csr.ts'
import { arrayBuffer } from './der.ts'
import { isEmpty, noHostNames, type HostNames } from './host-names.ts'
import { faultOfKey, newKeyPair, privatePem } from './keys.ts'
import { nameOf, type Subject } from './subject.ts'

/** A certificate and the private key that belongs to it, both PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

/** The first certificate of the text is the one that signs; the rest may be its own chain. */
export type Ca = Certified

/** A new authority; its key is new too, P-256, unless one is given (PEM, private). */
export function makeCa({
  subject,
  validity,
  key: given,
}: {
  readonly subject: Subject
  readonly validity: Validity
  readonly key?: string
}): Ca {
  const key = given === undefined ? newKeyPair().privateKey : createPrivateKey(given)
  const publicKey = createPublicKey(key)
  const name = nameOf(subject)
  const certificate = certify(
    { name, key, keyId: keyIdOf(publicKey) },
    { subject: name, key: publicKey, validity, usage: { type: 'CA' }, names: noHostNames },
  )
  return { certificate, key: privatePem(key) }
}

/** The fault in an authority, for the operator that provides it; undefined: none. */
export function faultOfCa({ certificate, key }: Ca, now: Date): string | undefined {
  const x509 = attempt(() => new X509Certificate(certificate))
  if (x509 === undefined) return 'its certificate is not a certificate in PEM'
  const privateKey = attempt(() => createPrivateKey(key))
  if (privateKey === undefined) return 'its key is not a private key in PEM'
  if (!x509.ca) return 'its certificate is not that of a certificate authority'
  const unfit = faultOfKey(x509.publicKey)
  if (unfit !== undefined) return `its key is ${unfit}`
  if (!x509.checkPrivateKey(privateKey)) return 'its key does not belong to its certificate'
  return new Date(x509.validTo) <= now ? `its certificate expired on ${x509.validTo}` : undefined
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** For a server that FSPs or the hub connect to under these names. The key is new, P-256. */
export function issueServerCertificate(
  ca: Ca,
  {
    subject,
    names,
    validity,
  }: { readonly subject: Subject; readonly names: HostNames; readonly validity: Validity },
): Certified {
  return withNewKey(ca, subject, validity, names, false)
}

/** For a client; with names also for the server that the same party runs. The key is new, P-256. */
export function issueClientCertificate(
  ca: Ca,
  {
    subject,
    names = noHostNames,
    validity,
  }: { readonly subject: Subject; readonly names?: HostNames; readonly validity: Validity },
): Certified {
  return withNewKey(ca, subject, validity, names, true)
}

function withNewKey(
  ca: Ca,
  subject: Subject,
  validity: Validity,
  names: HostNames,
  client: boolean,
): Certified {
  const { publicKey, privateKey } = newKeyPair()
  const server = !isEmpty(names)
  if (!client && !server) throw new RangeError('a server certificate must name at least one host')
  const usage = { type: 'END', client, server } as const
  const content = { subject: nameOf(subject), key: publicKey, validity, usage, names }
  return { certificate: issue(ca, content), key: privatePem(privateKey) }
}

interface RequestToSign {
  readonly request: string | SigningRequest
  readonly subject: Subject
  readonly names: HostNames
  readonly validity: Validity
}

/**
 * Certifies the key of a request for `subject` as a client, and as the server of `names`, which may
 * be fewer than requested; without names, as a client only. The subject in the request is ignored.
 * Throws for a request in which `readCsr` finds a fault.
 */
export function signCsr(ca: Ca, { request, subject, names, validity }: RequestToSign): string {
  const usage = { type: 'END', client: true, server: !isEmpty(names) } as const
  return issue(ca, { subject: nameOf(subject), key: keyIn(request), validity, usage, names })
}

/** As `signCsr`, but as a server of `names` alone: the certificate identifies no client. */
export function certifyServer(
  ca: Ca,
  { request, subject, names, validity }: RequestToSign,
): string {
  const usage = { type: 'END', client: false, server: true } as const
  return issue(ca, { subject: nameOf(subject), key: keyIn(request), validity, usage, names })
}

function keyIn(request: string | SigningRequest): KeyObject {
  const read = typeof request === 'string' ? readCsr(request) : request
  if ('fault' in read) throw new TypeError(`a certificate request: ${read.fault}`)
  return read.key
}

function issue(ca: Ca, content: CertificateContent): string {
  const own = new X509Certificate(ca.certificate)
  const { from, to } = content.validity
  const end = new Date(own.validTo)
  const pem = certify(issuerOf(own, createPrivateKey(ca.key)), {
    ...content,
    validity: { from, to: end < to ? end : to },
  })
  const issued = new X509Certificate(pem)
  if (!issued.checkIssued(own) || !issued.verify(own.publicKey)) {
    throw new Error('the issued certificate does not verify with its authority')
  }
  return pem
}

/**
 * The issuer's name, byte for byte as in its own certificate, and its own key identifier, however
 * that was computed.
 */
function issuerOf(own: X509Certificate, key: KeyObject): Issuer {
  const { tbsCertificate } = AsnConvert.parse(arrayBuffer(own.raw), Certificate)
  const identifier = tbsCertificate.extensions?.find(
    ({ extnID }) => extnID === id_ce_subjectKeyIdentifier,
  )
  const keyId =
    identifier === undefined
      ? keyIdOf(own.publicKey)
      : Buffer.from(AsnConvert.parse(identifier.extnValue.buffer, SubjectKeyIdentifier).buffer)
  return { name: tbsCertificate.subject, key, keyId }
}
