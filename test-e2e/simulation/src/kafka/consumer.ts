/** A consumer as kafkajs makes it, at the simulated brokers. */
import type { EachBatchHandler, EachBatchPayload, KafkaMessage, PartitionAssigner } from 'kafkajs'
import { chance, ownerNow, rest, thawed, type Owner } from '../virtual/world.ts'
import { assignBy } from './assign.ts'
import type { Cluster } from './cluster.ts'
import type { Assignment, Group, Member } from './group.ts'
import { nameOf, type LogRecord } from './log.ts'

export interface ConsumerOptions {
  readonly groupId: string
  readonly partitionAssigners?: PartitionAssigner[]
  readonly sessionTimeout?: number
}

interface PartitionsOf {
  readonly topic: string
  readonly partitions?: readonly number[]
}

type Listener = (event: { readonly payload: unknown }) => void

const events = {
  GROUP_JOIN: 'consumer.group_join',
  REBALANCING: 'consumer.rebalancing',
  FETCH: 'consumer.fetch',
  CRASH: 'consumer.crash',
} as const
const session_ms_default = 30_000
/** An idle consumer asks seldom: nothing comes of its asking. */
const idle_ms = 2_000
const fetch_ms_max = 5
const records_max = 100

export class SimulatedConsumer implements Member {
  readonly events = events
  readonly session_ms: number
  readonly owner: Owner | undefined = ownerNow()
  readonly #cluster: Cluster
  readonly #groupId: string
  readonly #assigner: PartitionAssigner | undefined
  readonly #areConnected: () => boolean
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #topics = new Set<string>()
  readonly #paused = new Set<string>()
  readonly #positions = new Map<string, number>()
  #assigned: readonly { readonly topic: string; readonly partition: number }[] = []
  #fromBeginning = false
  #generation = 0
  #eachBatch: EachBatchHandler | undefined
  #onFirst: (() => void) | undefined
  #isOver = false

  constructor(
    cluster: Cluster,
    { groupId, partitionAssigners, sessionTimeout = session_ms_default }: ConsumerOptions,
    areConnected: () => boolean,
  ) {
    this.#cluster = cluster
    this.#groupId = groupId
    this.#assigner = partitionAssigners?.[0]
    this.session_ms = sessionTimeout
    this.#areConnected = areConnected
  }

  get topics(): readonly string[] {
    return [...this.#topics]
  }

  isOpen(): boolean {
    return !this.#isOver && this.#areConnected()
  }

  on(event: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  connect(): Promise<void> {
    return this.#ask(() => undefined)
  }

  subscribe({ topics, fromBeginning = false }: { topics: string[]; fromBeginning?: boolean }) {
    for (const topic of topics) this.#topics.add(topic)
    this.#fromBeginning = fromBeginning
    return this.#ask(() => undefined)
  }

  /** Resolves when it has its partitions. */
  async run({ eachBatch }: { eachBatch: EachBatchHandler }): Promise<void> {
    this.#eachBatch = eachBatch
    const first = new Promise<void>((resolve) => (this.#onFirst = resolve))
    await this.#ask(() => this.#group().join(this))
    await first
  }

  seek({ topic, partition, offset }: { topic: string; partition: number; offset: string }): void {
    this.#positions.set(nameOf(topic, partition), Number(offset))
  }

  pause(all: readonly PartitionsOf[]): void {
    for (const name of this.#namesOf(all)) this.#paused.add(name)
  }

  resume(all: readonly PartitionsOf[]): void {
    for (const name of this.#namesOf(all)) this.#paused.delete(name)
  }

  async disconnect(): Promise<void> {
    if (!this.isOpen()) return
    await this.#ask(() => this.#group().leave(this)).finally(() => (this.#isOver = true))
  }

  onRebalance(): void {
    this.#emit(events.REBALANCING)
  }

  onJoined(generation: number, assignment: Assignment): void {
    this.#generation = generation
    this.#assigned = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    )
    this.#positions.clear()
    for (const { topic, partition } of this.#assigned) {
      const committed = this.#cluster.committed(this.#groupId, topic, partition)
      const { low = 0, high = 0 } = this.#cluster.partition(topic, partition) ?? {}
      const begins = this.#fromBeginning ? low : high
      this.#positions.set(nameOf(topic, partition), Math.max(committed ?? begins, low))
    }
    this.#emit(events.GROUP_JOIN, { memberAssignment: assignment })
    this.#onFirst?.()
    void this.#fetchAll(generation)
  }

  #group(): Group {
    return this.#cluster.group(this.#groupId, assignBy(this.#cluster, this.#assigner))
  }

  #ask<T>(answer: () => T): Promise<T> {
    return this.#cluster.ask(() => this.isOpen(), answer)
  }

  #emit(event: string, payload: unknown = {}): void {
    for (const listener of this.#listeners.get(event) ?? []) listener({ payload })
  }

  #namesOf(all: readonly PartitionsOf[]): readonly string[] {
    return all.flatMap(({ topic, partitions }) => {
      const numbers = partitions ?? this.#cluster.partitions(topic).map(({ number }) => number)
      return numbers.map((number) => nameOf(topic, number))
    })
  }

  async #fetchAll(generation: number): Promise<void> {
    while (await this.#isReady(generation)) {
      const [topic, records] = this.#next() ?? []
      if (topic === undefined || records === undefined) {
        await this.#cluster.appended(idle_ms)
        if (await this.#isReady(generation)) this.#emit(events.FETCH)
        continue
      }
      // What arrives meanwhile is in the next one.
      await rest(chance().below(fetch_ms_max))
      if (await this.#isReady(generation)) await this.#deliver(topic, records)
    }
  }

  /** Whether it may go on; it waits for a frozen process and for brokers that are away. */
  async #isReady(generation: number): Promise<boolean> {
    await thawed(this.owner)
    await this.#cluster.back()
    return this.#generation === generation && this.isOpen() && this.owner?.isDead() !== true
  }

  /** Of a partition with records that is not paused, chosen by chance. */
  #next(): readonly [{ topic: string; partition: number }, readonly LogRecord[]] | undefined {
    const ready = this.#assigned.filter(({ topic, partition }) => {
      const name = nameOf(topic, partition)
      const { high = 0 } = this.#cluster.partition(topic, partition) ?? {}
      return !this.#paused.has(name) && (this.#positions.get(name) ?? 0) < high
    })
    if (ready.length === 0) return undefined
    const next = ready.length === 1 ? ready[0] : chance().oneOf(ready)
    if (next === undefined) return undefined
    const from = this.#positions.get(nameOf(next.topic, next.partition)) ?? 0
    const records = this.#cluster.partition(next.topic, next.partition)?.read(from, records_max)
    return [next, records ?? []]
  }

  async #deliver(
    { topic, partition }: { topic: string; partition: number },
    records: readonly LogRecord[],
  ): Promise<void> {
    const name = nameOf(topic, partition)
    const position = this.#positions.get(name) ?? 0
    const [first] = records
    // It was sought or paused meanwhile.
    if (first === undefined || first.offset > position || this.#paused.has(name)) return
    const messages = records.filter(({ offset }) => offset >= position).map(messageOf)
    const last = String(records.at(-1)?.offset)
    this.#emit(events.FETCH)
    const payload = {
      batch: {
        topic,
        partition,
        fetchedOffset: String(position),
        messages,
        lastOffset: () => last,
      },
      resolveOffset: (offset: string) => {
        this.#positions.set(name, Number(offset) + 1)
      },
      pause: () => {
        this.#paused.add(name)
        return () => void this.#paused.delete(name)
      },
      commitOffsetsIfNecessary: (offsets) => this.#commit(offsets),
    } as Pick<
      EachBatchPayload,
      'resolveOffset' | 'pause' | 'commitOffsetsIfNecessary'
    > as EachBatchPayload
    await this.#eachBatch?.(payload)
    // kafkajs asks for it again, after a while.
    if (this.#positions.get(name) === position) await rest(idle_ms / 4)
  }

  #commit(offsets: Parameters<EachBatchPayload['commitOffsetsIfNecessary']>[0]): Promise<void> {
    const all = (offsets?.topics ?? []).flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
    )
    return this.#ask(() => this.#group().commit(this, this.#generation, all))
  }
}

function messageOf({ offset, at_ms, key, value, headers }: LogRecord): KafkaMessage {
  return {
    offset: String(offset),
    timestamp: String(at_ms),
    key,
    value,
    headers: { ...headers },
    attributes: 0,
  }
}
