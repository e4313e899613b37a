/**
 * A message on its way to groups: from memory as it was given, or from a table as it was stored.
 */
import type { Message } from '../event-bus.ts'
import { restore, type StoredMessage } from './envelope.ts'
import type { LogRow, StoredDeadLetter } from './store.ts'

/** So much memory is counted for a payload that was never written out. */
const payload_bytes = 1_024

export interface Delivery {
  /** 0 for what has no number in the log: a replayed dead letter, or a derived message. */
  readonly n: number
  /**
   * The position of such a message among those that its group took; 0 before and for all others.
   */
  follower: number
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly bytes: number
  /** Neither it nor what lies behind it in the log was announced before, in ms since 1970. */
  readonly at_ms: number
  readonly content: InMemory | FromTable | Replayed
  /** Its own work, and each thing it led to that others have not finished yet. */
  unfinished: number
  /** Called once all that is finished. */
  readonly onFinished: (() => void) | undefined
}

interface InMemory {
  readonly from: 'memory'
  /** As its publisher gave it: never written out and read again. */
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
    follower: 0,
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

/** What follows from another and is not in the log. */
export function following(message: Message, at_ms: number, onFinished: () => void): Delivery {
  let bytes = payload_bytes
  for (const value of Object.values(message.headers)) bytes += value.length
  return { ...inMemory(0, message, bytes, at_ms), onFinished }
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
  return { n, follower: 0, topic, key, type, bytes, at_ms, content, unfinished: 1, onFinished }
}

/**
 * The message with its payload checked; throws when it cannot be read. From memory nothing is read.
 */
export function open(
  { content }: Delivery,
  read: (type: string, json: unknown) => unknown,
): Message {
  if (content.from === 'memory') return content.message
  const message = restore(content.stored)
  return { ...message, payload: read(message.type, message.payload) }
}
