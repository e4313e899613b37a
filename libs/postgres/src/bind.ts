/**
 * The message Bind for a statement with a large parameter. The client copies a parameter up to four
 * times, into buffers that grow: 5 MB of garbage for each message of a bulk of 1,000. Here its bytes go
 * to the socket as they are.
 *
 * PostgreSQL, Frontend/Backend Protocol, Message Formats, Bind (F).
 */
import type { Writable } from 'node:stream'

/** Text and numbers are sent as text, a Buffer as binary. */
export type Parameter = string | Buffer | null

/** Copying less than this costs less than a part of its own costs the socket. */
export const large_bytes_min = 32_768

const inText = 0
const inBinary = 1
const absent = -1

/** Bytes of the message without the name and the values: type, length, two ends of names, two counts. */
const frame_bytes = 1 + 4 + 2 + 2 + 2 + 2
/** Each value has its format and its length. */
const frameOfValue_bytes = 2 + 4

/** Whether it is worth sending without a copy. */
export function isLarge(parameter: Parameter): parameter is Buffer {
  return Buffer.isBuffer(parameter) && parameter.length >= large_bytes_min
}

/**
 * Binds the parameters to the unnamed portal of a prepared statement, whose results then come as text.
 * The buffers of large parameters must not change until the server has answered.
 */
export function bind(stream: Writable, name: string, parameters: readonly Parameter[]): void {
  const sizes = parameters.map(bytesOf)
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  const values_bytes = sum(sizes) + frameOfValue_bytes * parameters.length
  const message_bytes = frame_bytes + Buffer.byteLength(name) + values_bytes
  const large_bytes = sum(parameters.filter(isLarge).map(({ length }) => length))
  const block = Buffer.allocUnsafe(message_bytes - large_bytes)
  let sent = 0
  let end = block.write('B', 0)
  end = block.writeInt32BE(message_bytes - 1, end)
  end += block.write(`\0${name}\0`, end)
  end = block.writeInt16BE(parameters.length, end)
  for (const each of parameters) {
    end = block.writeInt16BE(Buffer.isBuffer(each) ? inBinary : inText, end)
  }
  end = block.writeInt16BE(parameters.length, end)
  for (const [at, each] of parameters.entries()) {
    end = block.writeInt32BE(each === null ? absent : (sizes[at] ?? 0), end)
    if (each === null) continue
    if (typeof each === 'string') end += block.write(each, end)
    else if (each.length < large_bytes_min) end += each.copy(block, end)
    else {
      stream.write(block.subarray(sent, end))
      stream.write(each)
      sent = end
    }
  }
  block.writeInt16BE(0, end)
  stream.write(block.subarray(sent))
}

function bytesOf(parameter: Parameter): number {
  if (parameter === null) return 0
  return typeof parameter === 'string' ? Buffer.byteLength(parameter) : parameter.length
}
