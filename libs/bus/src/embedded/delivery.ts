/**
 * A message on its way to groups: from memory as it was published, or from a table as it was stored.
 */
import type { Message, MessageHeaders } from '../event-bus.ts'
import { restore, type StoredMessage } from './envelope.ts'
import type { LogRow, StoredDeadLetter } from './store.ts'

/** Assumed memory of a payload that was never serialized, in bytes. */
const payload_bytes = 1_024

export interface Delivery {
  /** 0 for a message without a number in the log: a replayed dead letter or a derived event. */
  readonly n: number
  /**
   * Position of such a message among those that its group has taken; 0 before and for all others.
   */
  derivedNumber: number
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly bytes: number
  /** Neither it nor any later row of the log was announced before, in ms since 1970. */
  readonly at_ms: number
  readonly content: InMemory | FromTable | Replayed
  /** Counts its own work and each derived event that a reader has not finished yet. */
  unfinished: number
  /** Called when all of that is finished. */
  readonly onFinished: (() => void) | undefined
}

interface InMemory {
  readonly from: 'memory'
  /** The publisher's object, never serialized. */
  readonly message: Message
}

interface FromTable {
  readonly from: 'table'
  readonly stored: StoredMessage
}

interface Replayed {
  readonly from: 'dead letter'
  readonly id: string
  readonly stored: StoredMessage
}

export function inMemory(n: number, message: Message, bytes: number, at_ms: number): Delivery {
  const { topic, key, type } = message
  const content = { from: 'memory', message } as const
  return {
    n,
    derivedNumber: 0,
    topic,
    key,
    type,
    bytes,
    at_ms,
    content,
    unfinished: 1,
    onFinished: undefined,
  }
}

/** A derived event, which is not in the log. */
export function derived(message: Message, at_ms: number, onFinished: () => void): Delivery {
  const bytes = payload_bytes + bytesOf(message.headers)
  return { ...inMemory(0, message, bytes, at_ms), onFinished }
}

/** Of the values. */
export function bytesOf(headers: MessageHeaders): number {
  let bytes = 0
  for (const name in headers) bytes += headers[name]?.length ?? 0
  return bytes
}

export function fromTable(row: LogRow): Delivery {
  return stored(row.n, row, { from: 'table', stored: row }, undefined)
}

export function replayed(deadLetter: StoredDeadLetter, onFinished: () => void): Delivery {
  return stored(
    0,
    deadLetter,
    { from: 'dead letter', id: deadLetter.id, stored: deadLetter },
    onFinished,
  )
}

function stored(
  n: number,
  row: StoredMessage & { readonly at: Date },
  content: FromTable | Replayed,
  onFinished: (() => void) | undefined,
): Delivery {
  const { topic, key, type, headers, value, at } = row
  const bytes = headers.length + value.length
  const at_ms = at.getTime()
  return { n, derivedNumber: 0, topic, key, type, bytes, at_ms, content, unfinished: 1, onFinished }
}

/**
 * The message with its payload checked; throws when it cannot be read. A payload from memory is not
 * checked again.
 */
export function open(
  { content }: Delivery,
  read: (type: string, json: unknown) => unknown,
): Message {
  if (content.from === 'memory') return content.message
  const message = restore(content.stored)
  return { ...message, payload: read(message.type, message.payload) }
}
