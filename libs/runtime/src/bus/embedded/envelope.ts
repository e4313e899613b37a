/**
 * A message as the log keeps it: its payload as JSON, and one block with its CloudEvents attributes
 * and its headers. Relayed bodies go in and come out byte for byte.
 *
 * The block is a list of entries: length of the name (1 byte), the name, 0 for text or 1 for bytes,
 * length of the value (4 bytes, big-endian), the value. The first three are ce_id, ce_source, ce_time.
 */
import type { Message, MessageHeaders } from '../event-bus.ts'

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

/** Throws when JSON or PostgreSQL cannot carry the message: a bug of who announces it. */
export function store(message: Message): StoredMessage {
  const { topic, key, type } = message
  if (`${topic}${key}${type}`.includes('\0')) {
    throw new Error(`the message ${message.id} has U+0000 in its topic, key or type`)
  }
  const json = JSON.stringify(message.payload) as string | undefined
  if (json === undefined) throw new Error(`the payload of the message ${message.id} is no JSON`)
  return { topic, key, type, headers: writeHeaders(message), value: Buffer.from(json) }
}

/** The message with its payload as parsed JSON; throws when it cannot be read. */
export function restore({ topic, key, type, headers, value }: StoredMessage): Message {
  const { id, source, time, rest } = readHeaders(headers)
  const payload: unknown = JSON.parse(value.toString())
  return { id, topic, key, type, source, time, payload, headers: rest }
}

/** The id alone; undefined when the block cannot be read. */
export function idOf({ headers }: StoredMessage): string | undefined {
  try {
    return readHeaders(headers).id
  } catch {
    return undefined
  }
}

function writeHeaders({ id, source, time, headers }: Message): Buffer {
  const names = Object.keys(headers)
  let length = attributesLength(id, source, time)
  for (const name of names) length += entryLength(name, headers[name] ?? '')
  const block = Buffer.allocUnsafe(length)
  let offset = writeEntry(block, 0, attributes[0], id)
  offset = writeEntry(block, offset, attributes[1], source)
  offset = writeEntry(block, offset, attributes[2], time)
  for (const name of names) offset = writeEntry(block, offset, name, headers[name] ?? '')
  return block
}

function attributesLength(id: string, source: string, time: string): number {
  return entryLength('ce_id', id) + entryLength('ce_source', source) + entryLength('ce_time', time)
}

function entryLength(name: string, value: string | Buffer): number {
  const value_bytes = typeof value === 'string' ? Buffer.byteLength(value) : value.length
  return entry_bytes + Buffer.byteLength(name) + value_bytes
}

function writeEntry(block: Buffer, at: number, name: string, value: string | Buffer): number {
  const name_bytes = block.write(name, at + 1)
  if (name_bytes > name_bytes_max) throw new Error(`the name of the header ${name} is too long`)
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
    else throw new Error(`the header block has ${name} in the place of ${attribute}`)
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
