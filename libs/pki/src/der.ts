/** Conversion between PEM and DER. RFC 7468. */
import { AsnConvert } from '@peculiar/asn1-schema'

const line_max = 64

export function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(new RegExp(`.{1,${line_max}}`, 'g')) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** The bytes of the first block with one of these labels; undefined: none. */
export function fromPem(pem: string, labels: readonly string[]): Buffer | undefined {
  const block = new RegExp(`-----BEGIN (${labels.join('|')})-----([^-]*)-----END \\1-----`).exec(
    pem,
  )
  return block?.[2] === undefined ? undefined : Buffer.from(block[2], 'base64')
}

const sequence = 0x30

/**
 * Whether the bytes are exactly one SEQUENCE; the parser accepts truncated input and trailing
 * bytes.
 */
export function isOneSequence(der: Buffer): boolean {
  if (der.length < 2 || der.readUInt8(0) !== sequence) return false
  const first = der.readUInt8(1)
  if (first < 0x80) return der.length === 2 + first
  const length_bytes = first & 0x7f
  if (length_bytes === 0 || length_bytes > 4 || der.length < 2 + length_bytes) return false
  return der.length === 2 + length_bytes + der.readUIntBE(2, length_bytes)
}

/** The DER of a structure. */
export function serialized(structure: object): Buffer {
  return Buffer.from(AsnConvert.serialize(structure))
}

/** The buffer type of ASN.1 structures. */
export function arrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
