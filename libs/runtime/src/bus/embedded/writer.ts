/**
 * Everything that is said goes into the log under a number of its own, and is handed over as soon as
 * it is known to be committed: from memory, in the order of the numbers.
 */
import { gather } from '../../gather.ts'
import type { Logger } from '../../log.ts'
import type { Database, Outbox } from '../../postgres/database.ts'
import { sqlState } from '../../postgres/outage.ts'
import type { OutgoingMessage } from '../event-bus.ts'
import { delayAfter, pause } from '../pause.ts'
import { prepare, type Prepared } from './envelope.ts'
import { openSequence, type Sequence, type Span } from './sequence.ts'
import { insert, wasWritten } from './store.ts'

export interface WriterOptions {
  readonly db: Database
  readonly log: Logger
  /** The highest number ever used. */
  readonly highest: number
  readonly handOver: (first: number, batch: readonly Prepared[]) => void
  /** Aborted when fates need not be found out any more. */
  readonly stopping: AbortSignal
}

export interface Writer {
  readonly outbox: Outbox
  readonly sequence: Pick<Sequence<unknown>, 'handedOver' | 'oldest_ms'>
  publish(messages: readonly OutgoingMessage[]): Promise<void>
}

const publish_batch_max = 100

export function openWriter({ db, log, highest, handOver, stopping }: WriterOptions): Writer {
  const sequence = openSequence<readonly Prepared[]>(highest, handOver)

  /** The answer of a commit was lost: the numbers stay open until the database knows their fate. */
  async function findOut(span: Span): Promise<void> {
    let written: boolean | undefined
    for (let tries = 1; written === undefined && !stopping.aborted; tries++) {
      try {
        written = await wasWritten(db, span.first)
      } catch (error) {
        log.warn({ err: error, n: span.first, tries }, 'fate of a commit unknown: asked again')
        await pause(delayAfter(tries), stopping)
      }
    }
    if (written === true) span.committed()
    if (written === false) span.rolledBack()
  }

  const insertAlone = gather<Prepared, Prepared>(
    async (batch) => {
      const span = sequence.open(batch.length, batch)
      try {
        await insert(db, span.first, batch)
      } catch (error) {
        if (wasRefused(error)) span.rolledBack()
        else void findOut(span)
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
        const batch = prepareAll(messages)
        const span = sequence.open(batch.length, batch)
        try {
          await insert(tx, span.first, batch)
        } catch (error) {
          // COMMIT is not sent after this, so whatever became of the statement, it is undone.
          span.rolledBack()
          throw error
        }
        return {
          committed: () => span.committed(),
          rolledBack: () => span.rolledBack(),
          unknown: () => void findOut(span),
        }
      },
    },
    async publish(messages) {
      await insertAlone(prepareAll(messages))
    },
  }
}

/** Throws for a message that cannot be carried, before it can spoil the batch of others. */
function prepareAll(messages: readonly OutgoingMessage[]): readonly Prepared[] {
  const time = new Date().toISOString()
  return messages.map(({ id, topic, key, type, source, payload, headers }) =>
    prepare({ id, topic, key, type, source, time, payload, headers }),
  )
}

/** An ERROR undoes its statement for certain; a FATAL ends the connection and may come after it. */
function wasRefused(error: unknown): boolean {
  return sqlState(error) !== undefined && (error as { severity?: unknown }).severity === 'ERROR'
}
