/** One certificate: the statement about a key, its validity and the signature. RFC 5280. */
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity as CertificateValidity,
  Version,
} from '@peculiar/asn1-x509'
import { createHash, randomBytes, type KeyObject } from 'node:crypto'
import { arrayBuffer, serialized, toPem } from './der.ts'
import { extensionOf, isEmpty, type HostNames } from './host-names.ts'
import { algorithmOf, identifierOf, signWith } from './keys.ts'

/** From `from` on, before `to`; whole seconds. */
export interface Validity {
  readonly from: Date
  readonly to: Date
}

export type Usage =
  | { readonly type: 'CA' }
  | { readonly type: 'END'; readonly client: boolean; readonly server: boolean }

export interface CertificateContent {
  readonly subject: Name
  readonly key: KeyObject
  readonly validity: Validity
  readonly usage: Usage
  readonly names: HostNames
}

export interface Issuer {
  readonly name: Name
  /** Private. */
  readonly key: KeyObject
  /** Its own subject key identifier. */
  readonly keyId: Buffer
}

const serial_bytes = 16
const keyId_bytes = 20

/** The certificate in PEM. */
export function certify(issuer: Issuer, content: CertificateContent): string {
  const signature = identifierOf(algorithmOf(issuer.key))
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: arrayBuffer(newSerial()),
    signature,
    issuer: issuer.name,
    validity: new CertificateValidity({
      notBefore: content.validity.from,
      notAfter: content.validity.to,
    }),
    subject: content.subject,
    subjectPublicKeyInfo: publicKeyInfo(content.key),
    extensions: new Extensions(extensionsOf(issuer, content)),
  })
  const signed = signWith(issuer.key, serialized(tbsCertificate))
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: signature,
    signatureValue: arrayBuffer(signed),
  })
  return toPem('CERTIFICATE', serialized(certificate))
}

function extensionsOf(issuer: Issuer, { key, usage, names }: CertificateContent): Extension[] {
  const ca = usage.type === 'CA'
  return [
    extension(
      id_ce_basicConstraints,
      new BasicConstraints(ca ? { cA: true, pathLenConstraint: 0 } : {}),
      true,
    ),
    extension(id_ce_keyUsage, new KeyUsage(keyUsageOf(usage, key)), true),
    ...(ca ? [] : [extension(id_ce_extKeyUsage, new ExtendedKeyUsage(purposesOf(usage)))]),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(arrayBuffer(keyIdOf(key)))),
    extension(
      id_ce_authorityKeyIdentifier,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(arrayBuffer(issuer.keyId)) }),
    ),
    ...(isEmpty(names) ? [] : [extensionOf(names)]),
  ]
}

function extension(extnID: string, value: object, critical = false): Extension {
  const extnValue = new OctetString(arrayBuffer(serialized(value)))
  return new Extension({ extnID, critical, extnValue })
}

/** RSA keys may also encrypt the secret of an older handshake. */
function keyUsageOf({ type }: Usage, { asymmetricKeyType }: KeyObject): number {
  if (type === 'CA') return KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
  if (asymmetricKeyType !== 'rsa') return KeyUsageFlags.digitalSignature
  return KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment
}

function purposesOf({ client, server }: Extract<Usage, { type: 'END' }>): string[] {
  return [...(client ? [id_kp_clientAuth] : []), ...(server ? [id_kp_serverAuth] : [])]
}

/** The value of an extension of a certificate (DER); undefined: it has none with this identifier. */
export function extensionIn(certificate: Buffer, oid: string): Buffer | undefined {
  const { tbsCertificate } = AsnConvert.parse(arrayBuffer(certificate), Certificate)
  const found = tbsCertificate.extensions?.find(({ extnID }) => extnID === oid)
  return found === undefined ? undefined : Buffer.from(found.extnValue.buffer)
}

/** Positive, with a fixed length. */
function newSerial(): Buffer {
  const serial = randomBytes(serial_bytes)
  serial.writeUInt8((serial.readUInt8(0) & 0x3f) | 0x40, 0)
  return serial
}

export function publicKeyInfo(key: KeyObject): SubjectPublicKeyInfo {
  const der = key.export({ type: 'spki', format: 'der' })
  return AsnConvert.parse(arrayBuffer(der), SubjectPublicKeyInfo)
}

/** RFC 7093, method 1: 160 bits of a SHA-256. */
export function keyIdOf(key: KeyObject): Buffer {
  const { subjectPublicKey } = publicKeyInfo(key)
  return createHash('sha256')
    .update(Buffer.from(subjectPublicKey))
    .digest()
    .subarray(0, keyId_bytes)
}
