/**
 * A message as Kafka carries it: its payload as JSON, its attributes as headers after the
 * CloudEvents Kafka binding, and its own headers with them. Relayed bodies are carried byte for
 * byte.
 *
 * Headers whose name begins with `ce_` are reserved for the bus. `ce_byteheaders` lists, as JSON, the
 * other headers whose value is bytes and not text.
 */
import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { AnnouncedMessage, Message, MessageHeaders } from '../event-bus.ts'
import { checkSize } from '../message-size.ts'

/** A record ready to be sent; nothing about it can fail any more. */
export interface OutgoingRecord {
  /** Its name in the catalogue. */
  readonly topic: string
  /** '' means none. */
  readonly key: string
  /** null removes the record of the key from a compacted topic. */
  readonly value: string | Buffer | null
  readonly headers: MessageHeaders
  /** Approximate size on the wire. */
  readonly bytes: number
}

const own = 'ce_'
export const attributes = {
  id: 'ce_id',
  type: 'ce_type',
  source: 'ce_source',
  time: 'ce_time',
  version: 'ce_specversion',
  byteHeaders: 'ce_byteheaders',
  /** The only group that takes it; set for a dead letter that is delivered again. */
  replayFor: 'ce_replayfor',
} as const

const overhead_bytes = 64

/** Throws for a message that cannot be carried: a bug of the publisher. */
export function toRecord(message: AnnouncedMessage): OutgoingRecord {
  const { id, topic, key, type, source, time, payload, headers } = message
  const value = JSON.stringify(payload) as string | undefined
  if (value === undefined) throw new Error(`the payload of the message ${id} is not JSON`)
  const all: Record<string, string | Buffer> = {
    [attributes.version]: '1.0',
    [attributes.id]: id,
    [attributes.type]: type,
    [attributes.source]: source,
    [attributes.time]: time,
  }
  const byteHeaders: string[] = []
  for (const name in headers) {
    if (name.startsWith(own)) throw new Error(`the message ${id} has the header ${name}`)
    const header = headers[name] ?? ''
    all[name] = header
    if (typeof header !== 'string') byteHeaders.push(name)
  }
  if (byteHeaders.length > 0) all[attributes.byteHeaders] = JSON.stringify(byteHeaders)
  return recordOf({ topic, key, value, headers: all })
}

/** Throws when it is larger than a broker takes. */
export function recordOf(record: Omit<OutgoingRecord, 'bytes'>): OutgoingRecord {
  const { topic, key, value, headers } = record
  let bytes = overhead_bytes + key.length + (value === null ? 0 : Buffer.byteLength(value))
  for (const name in headers) bytes += name.length + Buffer.byteLength(headers[name] ?? '') + 4
  checkSize(topic, bytes)
  return { ...record, bytes }
}

/** The message with its payload as parsed JSON; throws when it cannot be read. */
export function toMessage(topic: string, { key, value, headers = {} }: KafkaMessage): Message {
  if (value === null) throw new Error('the message has no value')
  const attribute = (name: string) => {
    const text = headerText(headers, name)
    if (text === undefined) throw new Error(`the message lacks its header ${name}`)
    return text
  }
  const id = attribute(attributes.id)
  const type = attribute(attributes.type)
  const source = attribute(attributes.source)
  const time = attribute(attributes.time)
  const payload: unknown = JSON.parse(value.toString())
  // It is not known whether another member had it, or its sender sent it twice.
  const maybeDuplicate = true
  return {
    id,
    topic,
    key: keyOf(key),
    type,
    source,
    time,
    payload,
    headers: ownHeaders(headers),
    maybeDuplicate,
  }
}

export function keyOf(key: Buffer | null): string {
  return key === null ? '' : key.toString()
}

/** undefined when the record has none of that name. */
export function headerText(headers: IHeaders | undefined, name: string): string | undefined {
  const value = headers?.[name]
  return value === undefined || Array.isArray(value) ? undefined : value.toString()
}

/** Every header as received, for a record that is forwarded. */
export function headerBytes(headers: IHeaders | undefined): Record<string, Buffer> {
  const all: Record<string, Buffer> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !Array.isArray(value)) {
      all[name] = typeof value === 'string' ? Buffer.from(value) : value
    }
  }
  return all
}

function ownHeaders(headers: IHeaders): MessageHeaders {
  const byteHeaders = namesIn(headerText(headers, attributes.byteHeaders))
  const rest: Record<string, string | Buffer> = {}
  for (const name in headers) {
    const value = headers[name]
    if (name.startsWith(own) || value === undefined || Array.isArray(value)) continue
    if (byteHeaders.has(name)) rest[name] = typeof value === 'string' ? Buffer.from(value) : value
    else rest[name] = value.toString()
  }
  return rest
}

/** The same few lists occur all the time. */
const lists = new Map<string, ReadonlySet<string>>()
const lists_max = 1_000
const none: ReadonlySet<string> = new Set()

function namesIn(list: string | undefined): ReadonlySet<string> {
  if (list === undefined) return none
  const known = lists.get(list)
  if (known !== undefined) return known
  const names = new Set(JSON.parse(list) as readonly string[])
  if (lists.size < lists_max) lists.set(list, names)
  return names
}

const entry_bytes = 5
const name_bytes_max = 255

/**
 * Headers as one value of a row: a list of entries, each the length of its name (1 byte), the name, the
 * length of its value (4 bytes, big-endian), the value. Throws for a name that is too long.
 */
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

/** Every value as bytes: Kafka carries text as bytes as well. Throws for a block that is cut off. */
export function unpackHeaders(block: Buffer): Readonly<Record<string, Buffer>> {
  const headers: Record<string, Buffer> = {}
  let at = 0
  while (at < block.length) {
    const start = at + 1 + (block[at] ?? 0)
    const end = start + 4 + block.readUInt32BE(start)
    if (end > block.length) throw new Error('the header block is cut off')
    headers[block.toString('utf8', at + 1, start)] = block.subarray(start + 4, end)
    at = end
  }
  return headers
}
