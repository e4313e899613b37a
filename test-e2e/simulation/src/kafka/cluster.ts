/** The brokers of a simulated Kafka: topics and groups, for as many processes as there are. */
import { chance, now_ms, ownedBy, ownerNow, rest, thawed, type Owner } from '../virtual/world.ts'
import { Group, refused, type Assign } from './group.ts'
import { nameOf, Partition, type UnloggedRecord, type LogRecord } from './log.ts'

/** What may befall a send. */
export type SendFate = 'ACKNOWLEDGED' | { readonly isStored: boolean; readonly type: string }

export interface BrokerLine {
  /** What becomes at the brokers of what a process is about to send. */
  beforeSend(owner: Owner | undefined): SendFate
  /** It has arrived, and its answer has not. */
  afterSend(owner: Owner | undefined): void
}

export interface OutgoingRecord {
  readonly topic: string
  readonly partition: number
  readonly sent: UnloggedRecord
}

const beat_ms = 1_000
/** From a process to a broker, or back. */
const way_ms_max = 4

export class Cluster {
  readonly #line: BrokerLine
  readonly #topics = new Map<string, readonly Partition[]>()
  readonly #groups = new Map<string, Group>()
  readonly #onAppended = new Set<() => void>()
  #away = { from_ms: 0, until_ms: 0 }
  #isOver = false

  constructor(line: BrokerLine) {
    this.#line = line
    void ownedBy(undefined, () => this.#beat())
  }

  end(): void {
    this.#isOver = true
  }

  /** No broker answers for so long. */
  leave(lasts_ms: number): void {
    this.#away = { from_ms: now_ms(), until_ms: now_ms() + lasts_ms }
  }

  /** How long no broker has answered. */
  silent_ms(): number {
    const { from_ms, until_ms } = this.#away
    return now_ms() < until_ms ? now_ms() - from_ms : 0
  }

  /** Until the brokers are back. */
  async back(): Promise<void> {
    while (now_ms() < this.#away.until_ms) await rest(this.#away.until_ms - now_ms())
  }

  /**
   * A request of a process on its way to the brokers, which they answer once they are back; the answer of a
   * dead process never comes, that of a frozen one later.
   */
  async ask<T>(isOpen: () => boolean, answer: () => T): Promise<T> {
    const owner = ownerNow()
    await rest(chance().below(way_ms_max))
    await thawed(owner)
    await this.back()
    if (owner?.isDead() === true) return new Promise(() => {})
    if (!isOpen()) throw new Error('the connection is closed')
    const outcome = outcomeOf(answer)
    await rest(chance().below(way_ms_max))
    await thawed(owner)
    if (owner?.isDead() === true) return new Promise(() => {})
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  topics(): readonly string[] {
    return [...this.#topics.keys()]
  }

  create(topic: string, partitions: number): void {
    if (this.#topics.has(topic)) throw refused('TOPIC_ALREADY_EXISTS')
    const numbers = Array.from({ length: partitions }, (_, number) => number)
    this.#topics.set(
      topic,
      numbers.map((number) => new Partition(topic, number)),
    )
  }

  partitions(topic: string): readonly Partition[] {
    return this.#topics.get(topic) ?? []
  }

  partition(topic: string, number: number): Partition | undefined {
    return this.#topics.get(topic)?.[number]
  }

  /** Rejects with what a producer is answered when the brokers refuse it. */
  send(isOpen: () => boolean, records: readonly OutgoingRecord[]): Promise<void> {
    const owner = ownerNow()
    const fate = this.#line.beforeSend(owner)
    return this.ask(isOpen, () => {
      try {
        this.#append(records, fate)
      } finally {
        this.#line.afterSend(owner)
      }
    })
  }

  #append(records: readonly OutgoingRecord[], fate: SendFate): void {
    if (fate === 'ACKNOWLEDGED' || fate.isStored) {
      for (const { topic, partition, sent } of records) {
        this.partition(topic, partition)?.append(sent)
      }
      for (const wake of this.#onAppended) wake()
    }
    if (fate !== 'ACKNOWLEDGED') throw refused(fate.type)
  }

  /** Until something is appended, and no longer than this. */
  appended(longest_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#onAppended.delete(wake)
        resolve()
      }
      this.#onAppended.add(wake)
      void rest(longest_ms).then(wake)
    })
  }

  group(id: string, assign: Assign): Group {
    const there = this.#groups.get(id)
    if (there !== undefined) return there
    const group = new Group(assign)
    this.#groups.set(id, group)
    return group
  }

  /** What a group has committed of a partition; undefined: nothing. */
  committed(groupId: string, topic: string, partition: number): number | undefined {
    return this.#groups.get(groupId)?.committed.get(nameOf(topic, partition))
  }

  forget(groupId: string): void {
    this.#groups.delete(groupId)
  }

  /** All that is stored of a topic. */
  read(topic: string): readonly LogRecord[] {
    return this.partitions(topic).flatMap((partition) =>
      partition.read(partition.low, partition.high - partition.low),
    )
  }

  /** The partitions that a group has read before and not to the end. */
  behind(): readonly string[] {
    return [...this.#groups].flatMap(([id, { committed }]) =>
      [...committed].flatMap(([name, offset]) => {
        const at = name.lastIndexOf(' ')
        const high = this.partition(name.slice(0, at), Number(name.slice(at + 1)))?.high ?? 0
        return offset < high ? [`${id} has read ${name} to ${offset} of ${high}`] : []
      }),
    )
  }

  /** Deletes what is older; topics of dead letters are compacted instead. */
  tidy(older_ms: number): void {
    for (const [topic, partitions] of this.#topics) {
      if (topic.startsWith('dead-letters')) continue
      for (const partition of partitions) partition.deleteBefore(now_ms() - older_ms)
    }
  }

  async #beat(): Promise<void> {
    while (!this.#isOver) {
      await rest(beat_ms)
      if (now_ms() < this.#away.until_ms) continue
      for (const [id, group] of this.#groups) {
        group.beat()
        if (group.isForgotten()) this.#groups.delete(id)
      }
    }
  }
}

type CallOutcome<T> = { readonly value: T } | { readonly error: unknown }

function outcomeOf<T>(answer: () => T): CallOutcome<T> {
  try {
    return { value: answer() }
  } catch (error) {
    return { error }
  }
}
