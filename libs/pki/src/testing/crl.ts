import {
  CertificateList,
  Certificate,
  Extension,
  RevokedCertificate,
  TBSCertList,
  Time,
  Version,
} from '@peculiar/asn1-x509'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { Ca } from '../ca.ts'
import { arrayBuffer, fromPem, serialized, toPem } from '../der.ts'
import { algorithmOf, identifierOf, signWith } from '../keys.ts'

export interface CrlContent {
  /** As `X509Certificate.serialNumber` has them. */
  readonly serials: readonly string[]
  readonly thisUpdate: Date
  readonly nextUpdate?: Date | undefined
  /** The id of a critical extension. */
  readonly critical?: string
}

/** A revocation list in PEM, as an authority of the scheme publishes it. */
export function makeCrl(ca: Ca, { serials, thisUpdate, nextUpdate, critical }: CrlContent): string {
  const key = createPrivateKey(ca.key)
  const signature = identifierOf(algorithmOf(createPublicKey(key)))
  const certificate = fromPem(ca.certificate, ['CERTIFICATE']) ?? Buffer.alloc(0)
  const { tbsCertificate } = AsnConvert.parse(arrayBuffer(certificate), Certificate)
  const revoked = serials.map(
    (serial) =>
      new RevokedCertificate({
        userCertificate: arrayBuffer(Buffer.from(`00${serial}`, 'hex')),
        revocationDate: new Time(thisUpdate),
      }),
  )
  const extension = (extnID: string) =>
    new Extension({ extnID, critical: true, extnValue: new OctetString(Buffer.of(5, 0)) })
  const tbsCertList = new TBSCertList({
    version: Version.v2,
    signature,
    issuer: tbsCertificate.subject,
    thisUpdate: new Time(thisUpdate),
    ...(nextUpdate === undefined ? {} : { nextUpdate: new Time(nextUpdate) }),
    ...(revoked.length === 0 ? {} : { revokedCertificates: revoked }),
    ...(critical === undefined ? {} : { crlExtensions: [extension(critical)] }),
  })
  const list = new CertificateList({
    tbsCertList,
    signatureAlgorithm: signature,
    signature: arrayBuffer(signWith(key, serialized(tbsCertList))),
  })
  return toPem('X509 CRL', serialized(list))
}
