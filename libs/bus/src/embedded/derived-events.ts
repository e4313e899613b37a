/**
 * What a step that stores nothing derives from a batch goes from memory to memory: the log has the
 * source messages, and they stay unfinished until the derived ones are finished. After a crash the
 * derived ones are published again.
 *
 * Where a reader could miss them, because it does not keep up with the log, they are written
 * instead.
 */
import type { PublishDerived, OutgoingMessage } from '../event-bus.ts'
import { following } from './delivery.ts'
import type { Reader } from './listener.ts'
import type { Writer } from './writer.ts'

export interface DerivedEventsOptions {
  readonly writer: Pick<Writer, 'publish' | 'sequence'>
  /** The current readers of each topic. */
  readonly readers: ReadonlyMap<string, readonly Reader[]>
  /** Which groups read a topic or did once. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether what is published now may have been published before. */
  readonly mayBeDuplicate: () => boolean
}

/** Keeps the messages of a batch unfinished until the release that it returns is called. */
export type Hold = () => () => void

/** Without a hold everything is written. */
export type DerivedEvents = (hold: Hold | undefined) => PublishDerived

export function openDerivedEvents(options: DerivedEventsOptions): DerivedEvents {
  const { writer, readers, known, mayBeDuplicate } = options
  /** What was written instead and is not handed over yet may not be overtaken. */
  let writtenUpTo = 0

  function isOpen(topic: string): boolean {
    const present = readers.get(topic) ?? []
    const groups = present.filter(({ group }) => group !== undefined).length
    return groups === (known.get(topic)?.size ?? 0) && present.every((each) => each.keepsUp())
  }

  return (hold) => async (messages) => {
    const { sequence } = writer
    const topics = new Set(messages.map(({ topic }) => topic))
    if (hold !== undefined && writtenUpTo <= sequence.handedOver && [...topics].every(isOpen)) {
      handOn(messages, { readers, release: hold(), maybeDuplicate: mayBeDuplicate() })
    } else {
      try {
        await writer.publish(messages)
      } finally {
        // Also where it is not known whether they were written: a repeat comes behind them.
        writtenUpTo = sequence.used
      }
    }
  }
}

interface HandingOn {
  readonly readers: ReadonlyMap<string, readonly Reader[]>
  readonly release: () => void
  readonly maybeDuplicate: boolean
}

function handOn(
  messages: readonly OutgoingMessage[],
  { readers, release, maybeDuplicate }: HandingOn,
): void {
  const said_ms = Date.now()
  const time = new Date(said_ms).toISOString()
  let unfinished = 1
  const finish = () => {
    unfinished -= 1
    if (unfinished === 0) release()
  }
  for (const message of messages) {
    for (const reader of readers.get(message.topic) ?? []) {
      if (!reader.reads(message.type)) continue
      unfinished += 1
      reader.push(following({ ...message, time, maybeDuplicate }, said_ms, finish))
    }
  }
  finish()
}
