/**
 * Headers as one value of a row: a list of entries, each the length of its name (1 byte), the name, the
 * length of its value (4 bytes, big-endian), the value.
 */
import type { MessageHeaders } from '../event-bus.ts'

const entry_bytes = 5
const name_bytes_max = 255

/** Throws for a name that is too long. */
export function packHeaders(headers: MessageHeaders): Buffer {
  let length = 0
  for (const name in headers) {
    const name_bytes = Buffer.byteLength(name)
    if (name_bytes > name_bytes_max) throw new Error(`the name of the header ${name} is too long`)
    length += entry_bytes + name_bytes + Buffer.byteLength(headers[name] ?? '')
  }
  const block = Buffer.allocUnsafe(length)
  let at = 0
  for (const name in headers) {
    const value = headers[name] ?? ''
    const start = at + 1 + block.write(name, at + 1)
    block[at] = start - at - 1
    const value_bytes =
      typeof value === 'string' ? block.write(value, start + 4) : value.copy(block, start + 4)
    block.writeUInt32BE(value_bytes, start)
    at = start + 4 + value_bytes
  }
  return block
}

/** Every value as bytes: Kafka carries text as bytes as well. */
export function unpackHeaders(block: Buffer): Readonly<Record<string, Buffer>> {
  const headers: Record<string, Buffer> = {}
  let at = 0
  while (at < block.length) {
    const start = at + 1 + (block[at] ?? 0)
    const end = start + 4 + block.readUInt32BE(start)
    headers[block.toString('utf8', at + 1, start)] = block.subarray(start + 4, end)
    at = end
  }
  return headers
}
