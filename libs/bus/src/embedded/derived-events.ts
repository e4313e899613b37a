/**
 * Derived events are delivered from memory and not written: the log has their source messages, and
 * these stay unfinished until the derived events are finished. After a crash the source messages are
 * processed again and the derived events are published again.
 *
 * If a reader is away or behind, and could miss them, the derived events are written to the log.
 */
import type { PublishDerived, OutgoingMessage } from '../event-bus.ts'
import { checkSize } from '../message-size.ts'
import { bytesOf, derived } from './delivery.ts'
import type { Reader } from './listener.ts'
import type { Writer } from './writer.ts'

export interface DerivedEventsOptions {
  readonly writer: Pick<Writer, 'publish' | 'sequence'>
  /** The current readers of each topic. */
  readonly readers: ReadonlyMap<string, readonly Reader[]>
  /** The groups that read a topic or once did. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether what is published now may have been published before. */
  readonly mayBeDuplicate: () => boolean
}

/** Holds the messages of a batch unfinished until the returned release is called. */
export type Hold = () => () => void

/** Without a hold everything is written. */
export type DerivedEvents = (hold: Hold | undefined) => PublishDerived

export function openDerivedEvents(options: DerivedEventsOptions): DerivedEvents {
  const { writer, readers, known, mayBeDuplicate } = options
  /** Derived events that were written and are not delivered yet must not be overtaken. */
  let writtenUpTo = 0

  function isOpen(topic: string): boolean {
    const present = readers.get(topic) ?? []
    const groups = present.filter(({ group }) => group !== undefined).length
    return groups === (known.get(topic)?.size ?? 0) && present.every((each) => each.isCaughtUp())
  }

  return (hold) => async (messages) => {
    const { sequence } = writer
    // Payloads are not serialized here; a body that is relayed is a header.
    for (const { topic, headers } of messages) checkSize(topic, bytesOf(headers))
    const topics = new Set(messages.map(({ topic }) => topic))
    if (hold !== undefined && writtenUpTo <= sequence.handedOver && [...topics].every(isOpen)) {
      deliver(messages, { readers, release: hold(), maybeDuplicate: mayBeDuplicate() })
    } else {
      try {
        await writer.publish(messages)
      } finally {
        // Also when the outcome of the write is unknown: a repeat must come after them.
        writtenUpTo = sequence.used
      }
    }
  }
}

interface DerivedDelivery {
  readonly readers: ReadonlyMap<string, readonly Reader[]>
  readonly release: () => void
  readonly maybeDuplicate: boolean
}

function deliver(
  messages: readonly OutgoingMessage[],
  { readers, release, maybeDuplicate }: DerivedDelivery,
): void {
  const now_ms = Date.now()
  const time = new Date(now_ms).toISOString()
  let unfinished = 1
  const finish = () => {
    unfinished -= 1
    if (unfinished === 0) release()
  }
  for (const message of messages) {
    for (const reader of readers.get(message.topic) ?? []) {
      if (!reader.reads(message.type)) continue
      unfinished += 1
      reader.push(derived({ ...message, time, maybeDuplicate }, now_ms, finish))
    }
  }
  finish()
}
