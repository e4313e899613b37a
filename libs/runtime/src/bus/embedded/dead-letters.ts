/**
 * What a group gave up stays here, whole and with its reason, until somebody has it replayed and the
 * group has finished it. A replay that a crash cut short begins again at the next start.
 */
import { Counter } from 'prom-client'
import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics.ts'
import type { Database } from '../../postgres/database.ts'
import { retrying } from '../../retrying.ts'
import type { Message } from '../event-bus.ts'
import { idOf, prepare, stored, type StoredMessage } from './envelope.ts'
import type { Delivery } from './delivery.ts'
import { removeLetters, storeLetter } from './store.ts'

export interface Letters {
  /** Stores what a group gives up, and raises the alarm. */
  store(group: string, delivery: Delivery, reason: string): Promise<void>
  /** A delivery is finished: a letter that was replayed goes, unless it was stored anew. */
  finished(group: string, delivery: Delivery): void
  /** Resolves when every letter that was finished is removed. */
  settled(): Promise<void>
}

export interface LettersOptions {
  readonly db: Database
  readonly log: Logger
  readonly metrics: Metrics
  readonly stopping: AbortSignal
}

export function openLetters({ db, log, metrics, stopping }: LettersOptions): Letters {
  const storedAnew = new WeakSet<Delivery>()
  let removing = Promise.resolve()
  const counter = new Counter({
    name: 'bus_dead_letters_total',
    help: 'Messages that a group gave up',
    labelNames: ['group'],
    registers: [metrics],
  })

  async function remove(group: string, id: string): Promise<void> {
    try {
      const what = 'remove a replayed dead letter'
      await retrying(() => removeLetters(db, group, [id]), { log, what, signal: stopping })
    } catch (error) {
      log.error({ err: error, group, id }, 'dead letter not removed: it is replayed once more')
    }
  }

  return {
    async store(group, delivery, reason) {
      const { n, content } = delivery
      const row = content.from === 'memory' ? written(content.message) : content.stored
      const id = content.from === 'letter' ? content.id : (idOf(row) ?? `n${n}`)
      await storeLetter(db, { ...rowOf(row), group, id, reason })
      storedAnew.add(delivery)
      counter.inc({ group })
      const { topic, key, type } = delivery
      log.error({ group, topic, key, type, id, reason }, 'dead letter')
    },
    finished(group, delivery) {
      const { content } = delivery
      if (content.from !== 'letter' || storedAnew.has(delivery)) return
      removing = removing.then(() => remove(group, content.id))
    },
    settled: () => removing,
  }
}

/** A message that the log cannot carry is kept without its payload: it must not stop its group. */
function written(message: Message): StoredMessage {
  try {
    return stored(prepare(message))
  } catch {
    const text = (name: string) => name.replaceAll('\0', '')
    const { topic, key, type } = message
    const names = { topic: text(topic), key: text(key), type: text(type) }
    return stored(prepare({ ...message, ...names, payload: null, headers: {} }))
  }
}

function rowOf({ topic, key, type, headers, value }: StoredMessage): StoredMessage {
  return { topic, key, type, headers, value }
}
