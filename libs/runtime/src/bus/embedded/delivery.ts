/** A message on its way to groups: from memory as it was given, or from a table as it was stored. */
import type { Message } from '../event-bus.ts'
import { restore, type StoredMessage } from './envelope.ts'
import type { LogRow, StoredLetter } from './store.ts'

export interface Delivery {
  /** 0 for a dead letter that is replayed: it has no place in the log. */
  readonly n: number
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly bytes: number
  /** Neither it nor what lies behind it in the log was announced before, in ms since 1970. */
  readonly at_ms: number
  readonly content: InMemory | FromTable | Replayed
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
  readonly from: 'letter'
  readonly id: string
  readonly stored: StoredMessage
}

export function inMemory(n: number, message: Message, bytes: number, at_ms: number): Delivery {
  const { topic, key, type } = message
  return { n, topic, key, type, bytes, at_ms, content: { from: 'memory', message } }
}

export function fromTable(row: LogRow): Delivery {
  return stored(row.n, row, { from: 'table', stored: row })
}

export function replayed(letter: StoredLetter): Delivery {
  return stored(0, letter, { from: 'letter', id: letter.id, stored: letter })
}

function stored(
  n: number,
  row: StoredMessage & { readonly at: Date },
  content: FromTable | Replayed,
): Delivery {
  const { topic, key, type, headers, value, at } = row
  const bytes = headers.length + value.length
  return { n, topic, key, type, bytes, at_ms: at.getTime(), content }
}

/** The message with its payload checked; throws when it cannot be read. From memory nothing is read. */
export function open(
  { content }: Delivery,
  read: (type: string, json: unknown) => unknown,
): Message {
  if (content.from === 'memory') return content.message
  const message = restore(content.stored)
  return { ...message, payload: read(message.type, message.payload) }
}
