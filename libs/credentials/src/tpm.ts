/**
 * Attestations of TPMs: a TPM certifies the public area of the credential's key, and with it the
 * challenge. (Web Authentication Level 3, section 8.3; TPM 2.0 Library, part 2)
 */
import { hash } from 'node:crypto'
import {
  aaguidFault,
  bytesIn,
  digestOf,
  isSigned,
  leafOf,
  signedBy,
  type Attested,
  type ExtensionIn,
} from './statement.ts'

const magic = 0xff544347
const attestCertify = 0x8017
const aikPurpose = '2.23.133.8.3'

/** The fault in the statement; undefined: it is right. Throws an Error for a malformed one. */
export function tpmFault(attested: Attested, extensionIn: ExtensionIn): string | undefined {
  const { statement, aaguid } = attested
  if (statement.get('ver') !== '2.0') return 'it is not of version 2.0'
  const [pubArea, certInfo] = [bytesIn(statement, 'pubArea'), bytesIn(statement, 'certInfo')]
  const alg = statement.get('alg')
  const { certificate, publicKey } = leafOf(statement)
  const { subject, subjectAltName, keyUsage } = certificate
  // Node.js has undefined where it is empty.
  if (((subject as string | undefined) ?? '') !== '') return 'its certificate names a subject'
  if (subjectAltName === undefined) return 'its certificate does not name the TPM'
  // Node.js calls the extended key usage so.
  if ((keyUsage as readonly string[] | undefined)?.includes(aikPurpose) !== true) {
    return 'its certificate is not for attestations'
  }
  if (certificate.ca) return 'its certificate is that of an authority'
  return (
    keyFault(attested, pubArea) ??
    certificationFault(certInfo, pubArea, hash(digestOf(alg), signedBy(attested), 'buffer')) ??
    aaguidFault(certificate, aaguid, extensionIn) ??
    (isSigned(publicKey, alg, certInfo, bytesIn(statement, 'sig'))
      ? undefined
      : 'its signature does not verify')
  )
}

const tpmRsa = 0x0001
const tpmEcc = 0x0023
/** TPM_ECC_NIST_P256. */
const tpmP256 = 0x0003
const defaultExponent = 65_537

/** TPMT_PUBLIC without symmetric algorithm: 12.2.4 of the library. */
function keyFault({ key: { key } }: Attested, pubArea: Buffer): string | undefined {
  const fault = 'it is of another key'
  const type = pubArea.readUInt16BE(0)
  const { n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' })
  let at = 8
  const sized = () => {
    const from = at + 2
    at = from + pubArea.readUInt16BE(at)
    return pubArea.subarray(from, at)
  }
  // The policy of the key.
  sized()
  if (type === tpmRsa && key.asymmetricKeyType === 'rsa') {
    const exponent = pubArea.readUInt32BE(at + 6)
    at += 10
    const own = Buffer.from(e, 'base64url')
    const isSame = own.readUIntBE(0, own.length) === (exponent || defaultExponent)
    return isSame && sized().equals(Buffer.from(n, 'base64url')) ? undefined : fault
  }
  if (type === tpmEcc && key.asymmetricKeyType === 'ec') {
    const isSame = pubArea.readUInt16BE(at + 4) === tpmP256
    at += 8
    const points = [x, y].map((text) => Buffer.from(text, 'base64url'))
    return isSame && points.every((point) => sized().equals(point)) ? undefined : fault
  }
  return fault
}

/** TPM_ALG_SHA256, TPM_ALG_SHA384, TPM_ALG_SHA512. */
const nameDigests: ReadonlyMap<number, string> = new Map([
  [0x000b, 'sha256'],
  [0x000c, 'sha384'],
  [0x000d, 'sha512'],
])

/** TPMS_ATTEST: 10.12.8 of the library. */
function certificationFault(
  certInfo: Buffer,
  pubArea: Buffer,
  extraData: Buffer,
): string | undefined {
  if (certInfo.readUInt32BE(0) !== magic || certInfo.readUInt16BE(4) !== attestCertify) {
    return 'it certifies no key'
  }
  let at = 6
  const sized = () => {
    const from = at + 2
    at = from + certInfo.readUInt16BE(at)
    return certInfo.subarray(from, at)
  }
  // Who signed it.
  sized()
  if (!sized().equals(extraData)) return 'it is for another challenge'
  // Clock and firmware.
  at += 25
  const name = sized()
  const digest = nameDigests.get(name.readUInt16BE(0))
  const isNamed = digest !== undefined && name.subarray(2).equals(hash(digest, pubArea, 'buffer'))
  return isNamed ? undefined : 'it certifies another key'
}
