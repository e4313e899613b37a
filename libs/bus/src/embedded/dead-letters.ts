/**
 * A dead letter is stored whole and with its reason until an operator replays it and its group has
 * finished it, or until it is discarded. A replay that a crash interrupted starts again.
 */
import type { Database } from '@causeway/postgres'
import { type Logger, type Metrics, retrying } from '@causeway/process'
import { Counter } from 'prom-client'
import type { Message, Subscription } from '../event-bus.ts'
import { idOf, prepare, stored, type StoredMessage } from './envelope.ts'
import type { Delivery } from './delivery.ts'
import { findDeadLetter, removeDeadLetter, removeReplayed, storeDeadLetter } from './store.ts'
import { loggableKey } from '../loggable-key.ts'

export interface DeadLetters {
  /** Stores a message that a group failed to process, and logs it as an error. */
  store(owner: Owner, delivery: Delivery, reason: string): Promise<void>
  /** A delivery is finished: a replayed dead letter is removed, unless it was stored again. */
  finished(owner: Owner, delivery: Delivery): void
  /** Whether there was a dead letter with that id. */
  discard(owner: Owner, id: string): Promise<boolean>
  /** Resolves when every finished dead letter is removed. */
  settled(): Promise<void>
}

/** The group that a dead letter belongs to. */
export type Owner = Pick<Subscription, 'group' | 'deadLetterObserver'>

export interface DeadLettersOptions {
  readonly db: Database
  readonly log: Logger
  readonly metrics: Metrics
  readonly stopping: AbortSignal
}

export function openDeadLetters({ db, log, metrics, stopping }: DeadLettersOptions): DeadLetters {
  const storedAgain = new WeakSet<Delivery>()
  let removing = Promise.resolve()
  const counter = new Counter({
    name: 'bus_dead_letters_total',
    help: 'Messages that a group failed to process and stored as dead letters',
    labelNames: ['group'],
    registers: [metrics],
  })

  async function remove(
    { group, deadLetterObserver }: Owner,
    delivery: Delivery,
    id: string,
  ): Promise<void> {
    const { topic, key, type } = delivery
    const removeNow = async () => {
      await deadLetterObserver?.onRemoved({ id, topic, key, type })
      await removeReplayed(db, group, id)
    }
    try {
      await retrying(removeNow, { log, what: 'remove a replayed dead letter', signal: stopping })
    } catch (error) {
      log.error({ err: error, group, id }, 'dead letter not removed: it is replayed once more')
    }
  }

  return {
    async store({ group, deadLetterObserver }, delivery, reason) {
      const { n, content, topic, key, type } = delivery
      const row = content.from === 'memory' ? written(content.message) : content.stored
      const id = content.from === 'dead letter' ? content.id : (idOf(row) ?? `n${n}`)
      await deadLetterObserver?.onStored({ id, topic, key, type, reason })
      await storeDeadLetter(db, { ...rowOf(row), group, id, reason })
      storedAgain.add(delivery)
      counter.inc({ group })
      log.error({ group, topic, key: loggableKey(key), type, id, reason }, 'dead letter')
    },
    finished(owner, delivery) {
      const { content } = delivery
      if (content.from !== 'dead letter' || storedAgain.has(delivery)) return
      removing = removing.then(() => remove(owner, delivery, content.id))
    },
    async discard({ group, deadLetterObserver }, id) {
      const deadLetter = await findDeadLetter(db, group, id)
      if (deadLetter === undefined) return false
      const { topic, key, type } = deadLetter
      await deadLetterObserver?.onRemoved({ id, topic, key, type })
      await removeDeadLetter(db, group, id)
      log.warn({ group, topic, key: loggableKey(key), type, id }, 'dead letter discarded')
      return true
    },
    settled: () => removing,
  }
}

/**
 * A message that the log cannot carry is stored without its payload: it must not stop its group.
 */
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
