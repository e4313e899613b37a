/**
 * A message as the log stores it: its payload as JSON, and one block with its CloudEvents
 * attributes and its headers. Relayed bodies are carried byte for byte.
 *
 * The block is a list of entries: length of the name (1 byte), the name, 0 for text or 1 for bytes,
 * length of the value (4 bytes, big-endian), the value. The first three are ce_id, ce_source,
 * ce_time.
 */
import type { Message, MessageHeaders } from '../event-bus.ts'
import { checkSize } from '../message-size.ts'

/** A row of the log without its number. */
export interface StoredMessage {
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly headers: Buffer
  readonly value: Buffer
}

const attributes = ['ce_id', 'ce_source', 'ce_time'] as const
const text = 0
const bytes = 1
const entry_bytes = 6
const name_bytes_max = 255

/**
 * A message ready to be written: its size is known, and serializing it can no longer fail.
 */
export interface Prepared {
  readonly message: Message
  /** The payload. */
  readonly json: string
  readonly json_bytes: number
  readonly headers_bytes: number
}

/** Throws when JSON, PostgreSQL or a broker cannot carry the message: a bug of the publisher. */
export function prepare(message: Message): Prepared {
  const { id, topic, key, type, source, time, headers } = message
  if (topic.includes('\0') || key.includes('\0') || type.includes('\0')) {
    throw new Error(`the message ${id} has U+0000 in its topic, key or type`)
  }
  const json = JSON.stringify(message.payload) as string | undefined
  if (json === undefined) throw new Error(`the payload of the message ${id} is not JSON`)
  let headers_bytes = bytesOf('ce_id', id) + bytesOf('ce_source', source) + bytesOf('ce_time', time)
  for (const name in headers) headers_bytes += bytesOf(name, headers[name] ?? '')
  const json_bytes = Buffer.byteLength(json)
  checkSize(topic, json_bytes + headers_bytes)
  return { message, json, json_bytes, headers_bytes }
}

/** Writes the payload and returns where it ends. */
export function writeValue({ json }: Prepared, target: Buffer, at: number): number {
  return at + target.write(json, at)
}

/** Writes the header block and returns where it ends. */
export function writeHeaders({ message }: Prepared, target: Buffer, at: number): number {
  const { id, source, time, headers } = message
  let end = writeEntry(target, at, 'ce_id', id)
  end = writeEntry(target, end, 'ce_source', source)
  end = writeEntry(target, end, 'ce_time', time)
  for (const name in headers) end = writeEntry(target, end, name, headers[name] ?? '')
  return end
}

/** The row of a message that is ready to be written. */
export function stored(prepared: Prepared): StoredMessage {
  const { topic, key, type } = prepared.message
  const headers = Buffer.allocUnsafe(prepared.headers_bytes)
  writeHeaders(prepared, headers, 0)
  return { topic, key, type, headers, value: Buffer.from(prepared.json) }
}

/**
 * The message with its payload as parsed JSON; it may be a redelivery. Throws when it cannot be read.
 */
export function restore({ topic, key, type, headers, value }: StoredMessage): Message {
  const { id, source, time, rest } = readHeaders(headers)
  const payload: unknown = JSON.parse(value.toString())
  return { id, topic, key, type, source, time, payload, headers: rest, maybeDuplicate: true }
}

/** The id alone; undefined when the block cannot be read. */
export function idOf({ headers }: StoredMessage): string | undefined {
  try {
    return readHeaders(headers).id
  } catch {
    return undefined
  }
}

function bytesOf(name: string, value: string | Buffer): number {
  const name_bytes = Buffer.byteLength(name)
  if (name_bytes > name_bytes_max) throw new Error(`the name of the header ${name} is too long`)
  return entry_bytes + name_bytes + Buffer.byteLength(value)
}

function writeEntry(block: Buffer, at: number, name: string, value: string | Buffer): number {
  const name_bytes = block.write(name, at + 1)
  block[at] = name_bytes
  const kind = at + 1 + name_bytes
  const start = kind + 5
  const isText = typeof value === 'string'
  const value_bytes = isText ? block.write(value, start) : value.copy(block, start)
  block[kind] = isText ? text : bytes
  block.writeUInt32BE(value_bytes, kind + 1)
  return start + value_bytes
}

interface ReadHeaders {
  readonly id: string
  readonly source: string
  readonly time: string
  readonly rest: MessageHeaders
}

function readHeaders(block: Buffer): ReadHeaders {
  const found: string[] = []
  const rest: [string, string | Buffer][] = []
  let offset = 0
  while (offset < block.length) {
    const { name, value, end } = readEntry(block, offset)
    const attribute = attributes[found.length]
    if (attribute === undefined) rest.push([name, value])
    else if (name === attribute && typeof value === 'string') found.push(value)
    else throw new Error(`the header block has ${name} instead of ${attribute}`)
    offset = end
  }
  const [id, source, time] = found
  if (id === undefined || source === undefined || time === undefined) {
    throw new Error('the header block lacks attributes')
  }
  return { id, source, time, rest: Object.fromEntries(rest) }
}

function readEntry(block: Buffer, at: number) {
  const kind = at + 1 + (block[at] ?? 0)
  const start = kind + 5
  const end = start <= block.length ? start + block.readUInt32BE(kind + 1) : Infinity
  if (end > block.length) throw new Error('the header block is cut off')
  const name = block.toString('utf8', at + 1, kind)
  const value = block.subarray(start, end)
  return { name, value: block[kind] === text ? value.toString() : value, end }
}
