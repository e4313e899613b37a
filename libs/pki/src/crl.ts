/** Revocation lists (CRL) of an authority. RFC 5280 5. */
import { AsnConvert } from '@peculiar/asn1-schema'
import { CertificateList, type Extension } from '@peculiar/asn1-x509'
import type { X509Certificate } from 'node:crypto'
import { arrayBuffer, isOneSequence, serialized } from './der.ts'
import { isSignedBy } from './keys.ts'

export interface RevocationList {
  /** The subject of the authority, as `X509Certificate.issuer` of its certificates has it. */
  readonly issuer: string
  readonly thisUpdate: Date
  /** When the next one is issued at the latest. */
  readonly nextUpdate: Date
  /** The serial numbers of revoked certificates, as `X509Certificate.serialNumber` has them. */
  readonly serials: ReadonlySet<string>
}

/** Of 100,000 certificates, with the reason for each: reading them takes some seconds. */
const nodes_max = 800_000

const blockPattern = /-----BEGIN X509 CRL-----([^-]*)-----END X509 CRL-----/g

/**
 * The lists in a text of PEM, or the one in DER, each signed by one of the authorities; `fault` describes
 * the fault. A list that is complete only together with others (delta, partial or indirect) is a fault,
 * since what it leaves out would count as not revoked.
 */
export function readCrls(
  content: string | Buffer,
  authorities: readonly X509Certificate[],
): readonly RevocationList[] | { readonly fault: string } {
  if (Buffer.isBuffer(content) && !content.includes('-----BEGIN')) {
    const list = readDer(content, authorities)
    return 'fault' in list ? list : [list]
  }
  const lists: RevocationList[] = []
  for (const [, base64 = ''] of content.toString().matchAll(blockPattern)) {
    const list = readDer(Buffer.from(base64, 'base64'), authorities)
    if ('fault' in list) return list
    lists.push(list)
  }
  return lists.length === 0 ? { fault: 'not a PEM X509 CRL' } : lists
}

function readDer(
  der: Buffer,
  authorities: readonly X509Certificate[],
): RevocationList | { readonly fault: string } {
  const list = isOneSequence(der) ? parsed(der) : undefined
  if (list?.tbsCertListRaw === undefined) return { fault: 'not a valid revocation list' }
  const { tbsCertList, tbsCertListRaw, signatureAlgorithm } = list
  const { nextUpdate } = tbsCertList
  if (nextUpdate === undefined) return { fault: 'it does not say when the next one is due' }
  const [raw, signature] = [Buffer.from(tbsCertListRaw), Buffer.from(list.signature)]
  // The parser leaves out what it does not recognise.
  if (!serialized(tbsCertList).equals(raw)) return { fault: 'not a valid revocation list' }
  const authority = authorities.find(({ publicKey }) =>
    isSignedBy(publicKey, signatureAlgorithm, raw, signature),
  )
  if (authority === undefined) return { fault: 'none of the CAs has signed it (over SHA-2)' }
  const revoked = tbsCertList.revokedCertificates ?? []
  const extensions = [
    ...(tbsCertList.crlExtensions ?? []),
    ...revoked.flatMap(({ crlEntryExtensions = [] }) => crlEntryExtensions),
  ]
  const critical = extensions.find(isCritical)
  if (critical !== undefined) return { fault: `it is not complete (extension ${critical.extnID})` }
  return {
    issuer: authority.subject,
    thisUpdate: tbsCertList.thisUpdate.getTime(),
    nextUpdate: nextUpdate.getTime(),
    serials: new Set(revoked.map(({ userCertificate }) => serialOf(Buffer.from(userCertificate)))),
  }
}

function parsed(der: Buffer): CertificateList | undefined {
  try {
    return AsnConvert.parse(arrayBuffer(der), CertificateList, {
      berOptions: { maxNodes: nodes_max },
    })
  } catch {
    // The parser throws for invalid input.
    return undefined
  }
}

function isCritical({ critical }: Extension): boolean {
  return critical
}

/** DER begins with a zero byte where the first bit would otherwise mean a negative number. */
function serialOf(bytes: Buffer): string {
  return bytes
    .toString('hex')
    .replace(/^(?:00)+(?=.)/, '')
    .toUpperCase()
}
