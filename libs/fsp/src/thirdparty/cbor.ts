/**
 * The subset of CBOR that an authenticator writes: integers, byte strings, text and maps. RFC 8949.
 */

export type CborValue = number | string | Buffer | CborMap

/** Members in the order in which they are written. */
export type CborMap = ReadonlyMap<number | string, CborValue>

/** Integers within 32 bits, lengths within 64 KiB. */
export function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([head(3, text.length), text])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([name, member]) => [encodeCbor(name), encodeCbor(member)])
  return Buffer.concat([head(5, value.size), ...members])
}

function head(majorType: number, argument: number): Buffer {
  const type = majorType << 5
  if (argument < 24) return Buffer.from([type | argument])
  if (argument < 0x100) return Buffer.from([type | 24, argument])
  if (argument < 0x10000) return Buffer.from([type | 25, argument >> 8, argument & 0xff])
  const wide = Buffer.alloc(5)
  wide.writeUInt8(type | 26)
  wide.writeUInt32BE(argument, 1)
  return wide
}
