/**
 * Writes each published message to the log under a number of its own, and delivers it as soon as its
 * commit is known: from memory, in the order of the numbers.
 */
import { type Database, type Outbox, wasRefused } from '@causeway/postgres'
import { gather, type Logger } from '@causeway/process'
import type { OutgoingMessage } from '../event-bus.ts'
import { delayAfter, pause } from '../pause.ts'
import { prepare, type Prepared } from './envelope.ts'
import { openSequence, type Sequence, type Span } from './sequence.ts'
import { insert, wasWritten } from './store.ts'

/** Messages that one statement writes to the log. */
export interface Publication {
  readonly batch: readonly Prepared[]
  /** Neither these nor any of a higher number were announced before, in ms since 1970. */
  readonly since_ms: number
}

export interface WriterOptions {
  readonly db: Database
  readonly log: Logger
  /** The highest number ever used. */
  readonly highest: number
  readonly handOver: (first: number, publication: Publication) => void
  /** Whether what is published now may have been published before. */
  readonly mayBeDuplicate: () => boolean
  /** A failed publication may be repeated, and it may have been committed. */
  readonly onFailed: () => void
  /** Aborted when outcomes no longer need to be found out. */
  readonly stopping: AbortSignal
}

export interface Writer {
  readonly outbox: Outbox
  readonly sequence: Pick<Sequence<unknown>, 'handedOver' | 'oldest_ms' | 'used'>
  publish(messages: readonly OutgoingMessage[]): Promise<void>
  /** No message that is not delivered yet was announced before, in ms since 1970; now at most. */
  since_ms(): number
}

/** A call of `publish` that is not settled. */
interface Publishing {
  readonly since_ms: number
}

const publish_batch_max = 100

export function openWriter(options: WriterOptions): Writer {
  const { db, highest, handOver, mayBeDuplicate, onFailed } = options
  const sequence = openSequence<Publication>(highest, handOver)
  const publishing = new Set<Publishing>()

  /**
   * Messages without a number will be published later than now, or are in a call of `publish` and
   * wait for one. So these moments never decrease from one number to the next.
   */
  function unnumbered_ms(now_ms: number): number {
    return Math.min(now_ms, publishing.values().next().value?.since_ms ?? Infinity)
  }

  function open(batch: readonly Prepared[], now_ms: number): Span & Publication {
    const publication = { batch, since_ms: unnumbered_ms(now_ms) }
    return { ...publication, ...sequence.open(batch.length, publication) }
  }

  const insertAlone = gather<Prepared, Prepared>(
    async (batch) => {
      const span = open(batch, Date.now())
      try {
        await insert(db, span.first, span)
      } catch (error) {
        if (wasRefused(error)) span.rolledBack()
        else void findOut(options, span)
        onFailed()
        throw error
      }
      span.committed()
      return batch
    },
    { batch_max: publish_batch_max },
  )

  return {
    sequence,
    outbox: {
      async write(tx, messages) {
        const now_ms = Date.now()
        const span = open(prepareAll(messages, now_ms, mayBeDuplicate()), now_ms)
        try {
          await insert(tx, span.first, span)
        } catch (error) {
          // COMMIT is not sent after this, so the transaction is rolled back in any case.
          span.rolledBack()
          throw error
        }
        return {
          committed: () => span.committed(),
          rolledBack: () => span.rolledBack(),
          unknown() {
            void findOut(options, span)
            onFailed()
          },
        }
      },
    },
    async publish(messages) {
      const call = { since_ms: Date.now() }
      publishing.add(call)
      try {
        await insertAlone(prepareAll(messages, call.since_ms, mayBeDuplicate()))
      } finally {
        publishing.delete(call)
      }
    },
    since_ms: () => Math.min(unnumbered_ms(Date.now()), sequence.oldest()?.since_ms ?? Infinity),
  }
}

/** The response to a commit was lost: the numbers stay open until the database knows its outcome. */
async function findOut(
  { db, log, stopping }: WriterOptions,
  span: Span & Publication,
): Promise<void> {
  let written: boolean | undefined
  for (let tries = 1; written === undefined && !stopping.aborted; tries++) {
    try {
      written = await wasWritten(db, span.first, span.since_ms)
    } catch (error) {
      log.warn({ err: error, n: span.first, tries }, 'outcome of a commit is unknown: tried again')
      await pause(delayAfter(tries), stopping)
    }
  }
  if (written === true) span.committed()
  if (written === false) span.rolledBack()
}

/** Throws for a message that cannot be carried, before it can fail a batch with other messages. */
function prepareAll(
  messages: readonly OutgoingMessage[],
  now_ms: number,
  maybeDuplicate: boolean,
): readonly Prepared[] {
  const time = new Date(now_ms).toISOString()
  return messages.map(({ id, topic, key, type, source, payload, headers }) =>
    prepare({ id, topic, key, type, source, time, payload, headers, maybeDuplicate }),
  )
}
