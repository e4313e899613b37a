/**
 * The event bus of a process that runs every service. PostgreSQL is the log; delivery is in memory.
 * Each announced event is a row of the log, and is delivered as soon as its commit is known.
 */
import { setMaxListeners } from 'node:events'
import type { Database, Outbox, DatabaseOptions } from '@causeway/postgres'
import { type Logger, type Metrics, periodically } from '@causeway/process'
import type {
  EventBus,
  Listener,
  BroadcastSubscription,
  Subscribed,
  Subscription,
} from '../event-bus.ts'
import { openAlarms, type Alarm } from '../alarms.ts'
import { claim, longest, measure, release } from '../subscriptions.ts'
import { openDeadLetters, type DeadLetters } from './dead-letters.ts'
import { inMemory } from './delivery.ts'
import { openRedeliveryWindow, type RedeliveryWindow } from './redelivery-window.ts'
import type { Prepared } from './envelope.ts'
import { openDerivedEvents, type DerivedEvents } from './derived-events.ts'
import type { InFlightBounds } from './in-flight-window.ts'
import { openListener, type Reader } from './listener.ts'
import { openMember, type Member } from './member.ts'
import { openOffsets, type Offsets } from './offsets.ts'
import { openRetention } from './retention.ts'
import * as store from './store.ts'
import { inTurn, openTurns, type Turns } from '../turns.ts'
import { openWriter, type Publication, type Writer } from './writer.ts'

export interface EmbeddedBusOptions {
  /** Opens the schema `bus` with its own role; services may insert into its table `log`. */
  readonly openDatabase: (options: DatabaseOptions, outbox: Outbox) => Promise<Database>
  readonly log: Logger
  readonly metrics: Metrics
  /** LOG_RETENTION_H: the least time for which a row is retained, finished or not (24). */
  readonly retention_h?: number
  readonly bounds?: Partial<InFlightBounds>
}

export interface EmbeddedBus {
  readonly bus: EventBus
  /** For the databases of the services. */
  readonly outbox: Outbox
  /** The longest stall: milliseconds since a group with work advanced; undefined without work. */
  progress(): number | undefined
  /** Rejects while a group waits for a newer release. */
  answers(): Promise<void>
  /** Finishes what is in flight, stores the offset of each group, closes the database. */
  stop(): Promise<void>
  /** Like a kill of the process: stores nothing and does not wait; the database stays open. */
  crash(): void
}

const migrations = new URL('../../migrations/', import.meta.url)

/** The log of events: services may add to it. */
export const sharedLog = { schema: 'bus', table: 'log' } as const
const connections_max = 4
const retention_h_default = 24
const bounds_default: InFlightBounds = { queued_max: 10_000, queued_bytes_max: 64 * 2 ** 20 }
const sweep_every_ms = 60_000
const replayed_max = 1_000

/** The parts of the engine, for its functions. */
interface Engine {
  readonly db: Database
  readonly log: Logger
  readonly bounds: InFlightBounds
  readonly members: Set<Member>
  /** The readers of each topic. */
  readonly readers: Map<string, Reader[]>
  /** Subscriptions, also those that are about to be read, as `group topic`. */
  readonly claimed: Set<string>
  /** The groups that read a topic or once did. */
  readonly known: Map<string, Set<string>>
  readonly derivedEvents: DerivedEvents
  readonly turns: Turns
  readonly writer: Writer
  readonly deadLetters: DeadLetters
  readonly offsets: Offsets
  readonly redeliveryWindow: RedeliveryWindow
  readonly alarmOf: (group: string, log: Logger) => Alarm
}

/**
 * No backend of an earlier process may be left on the database. In an outage every write and every
 * dead letter waits for its end or for `stopping`, however many there are.
 */
export async function openEmbeddedBus(options: EmbeddedBusOptions): Promise<EmbeddedBus> {
  const { metrics, retention_h = retention_h_default } = options
  const log = options.log.child({ part: 'bus' })
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const db = await options.openDatabase(
    { url: '', schema: sharedLog.schema, migrations, connections_max },
    { write: (tx, messages) => writer.outbox.write(tx, messages) },
  )
  const members = new Set<Member>()
  const readers = new Map<string, Reader[]>()
  const read = () => [...members].flatMap((member) => member.offsets())
  const offsets = openOffsets({ db, log, read })
  const highest = await store.highest(db)
  const redeliveryWindow = openRedeliveryWindow(highest)
  const mayBeDuplicate = () => redeliveryWindow.isOpen
  const writer = openWriter({
    db,
    log,
    highest,
    handOver: (first, publication) => handOver(readers, offsets, first, publication),
    mayBeDuplicate,
    onFailed: () => redeliveryWindow.begin(writer.sequence.used),
    stopping: stopping.signal,
  })
  const deadLetters = openDeadLetters({ db, log, metrics, stopping: stopping.signal })
  const bounds = { ...bounds_default, ...options.bounds }
  const known = await store.readersKnown(db)
  const derivedEvents = openDerivedEvents({ writer, readers, known, mayBeDuplicate })
  const queues = { members, readers, claimed: new Set<string>(), bounds, known }
  const logging = { writer, offsets, derivedEvents, deadLetters, redeliveryWindow }
  const turns = openTurns()
  const engine: Engine = { db, log, alarmOf: openAlarms(metrics), turns, ...queues, ...logging }
  const retention = openRetention({ db, log, metrics, retention_h, stopping: stopping.signal })
  const sweep = periodically(sweep_every_ms, () => retention.sweep(), {
    log,
    name: 'deleting old events',
  })
  measure(metrics, members)

  return {
    bus: busOf(engine),
    outbox: writer.outbox,
    progress: () =>
      longest([writer.sequence.oldest_ms(), ...[...members].map((m) => m.progress())]),
    answers() {
      const held = [...members].map((member) => member.heldBy()).find((why) => why !== undefined)
      return held === undefined ? Promise.resolve() : Promise.reject(new Error(held))
    },
    async stop() {
      if (stopping.signal.aborted) return
      await Promise.all([...members].map((member) => leave(engine, member)))
      stopping.abort()
      offsets.stop()
      await sweep.stop()
      await deadLetters.settled()
      await db.close()
    },
    crash() {
      stopping.abort()
      offsets.stop()
      void sweep.stop()
      for (const member of members) void member.stop()
      readers.clear()
    },
  }
}

function busOf(engine: Engine): EventBus {
  const { db, members, writer, deadLetters, turns } = engine
  return {
    announce: (tx, messages) => void tx.announced.push(...messages),
    publish: (messages) => inTurn(turns, {}, () => writer.publish(messages)),
    subscribe: (subscription) => subscribe(engine, subscription),
    subscribeBroadcast: (subscription) => Promise.resolve(listen(engine, subscription)),
    answers: () => store.answers(db),
    deadLetters: (limit) => store.newestDeadLetters(db, limit),
    async replay(group, id) {
      const deadLetter = await store.markReplayed(db, group, id)
      if (deadLetter === undefined) return false
      for (const member of members) {
        if (member.group === group && member.topics.includes(deadLetter.topic))
          member.replay(deadLetter)
      }
      return true
    },
    async discard(group, id) {
      const deadLetter = await store.findDeadLetter(db, group, id)
      if (deadLetter === undefined) return 'UNKNOWN'
      const ofGroup = [...members].filter((member) => member.group === group)
      const owner = ofGroup.find(({ topics }) => topics.includes(deadLetter.topic))
      if (owner === undefined) return 'ELSEWHERE'
      return (await deadLetters.discard(owner.subscription, id)) ? 'DISCARDED' : 'UNKNOWN'
    },
  }
}

function handOver(
  readers: ReadonlyMap<string, readonly Reader[]>,
  offsets: Offsets,
  first: number,
  { batch, since_ms }: Publication,
): void {
  for (let at = 0; at < batch.length; at++) {
    const { message, json_bytes, headers_bytes } = batch[at] as Prepared
    const of = readers.get(message.topic)
    if (of === undefined) continue
    const bytes = json_bytes + headers_bytes
    for (const member of of) member.take(inMemory(first + at, message, bytes, since_ms))
  }
  offsets.moved(0)
}

async function subscribe(engine: Engine, subscription: Subscription): Promise<Subscribed> {
  const {
    db,
    log,
    bounds,
    members,
    readers,
    writer,
    deadLetters,
    offsets,
    redeliveryWindow,
    alarmOf,
  } = engine
  const { group, topics } = subscription
  claim(engine.claimed, group, topics)
  for (const topic of topics) {
    engine.known.set(topic, (engine.known.get(topic) ?? new Set()).add(group))
  }
  try {
    const { sequence } = writer
    redeliveryWindow.begin(sequence.used)
    const starts = await store.join(db, group, topics, sequence.handedOver)
    const replayed = await store.replayedDeadLetters(db, group, topics, replayed_max)
    const member = openMember({
      subscription,
      starts,
      bounds,
      db,
      log: log.child({ group }),
      alarm: alarmOf(group, log),
      deadLetters,
      derivedEvents: engine.derivedEvents,
      turns: engine.turns,
      handedOver: () => sequence.handedOver,
      onMoved(finished) {
        offsets.moved(finished)
        settleRedelivery(engine)
      },
      onRepeat: () => redeliveryWindow.begin(sequence.used),
    })
    members.add(member)
    addReader(readers, topics, member)
    for (const deadLetter of replayed) member.replay(deadLetter)
    settleRedelivery(engine)
    return {
      lowWatermark: async () => new Date(await member.lowWatermark_ms(writer.since_ms())),
      stop: () => leave(engine, member),
    }
  } catch (error) {
    release(engine.claimed, group, topics)
    throw error
  }
}

/** While a group has not subscribed again, its unfinished messages remain unfinished. */
function settleRedelivery({ redeliveryWindow, members, known, writer }: Engine): void {
  if (!redeliveryWindow.isOpen) return
  const present = new Set<string>()
  let finished = writer.sequence.handedOver
  for (const member of members) {
    for (const topic of member.topics) present.add(`${member.group} ${topic}`)
    finished = Math.min(finished, member.finishedUpTo())
  }
  for (const [topic, groups] of known) {
    for (const group of groups) if (!present.has(`${group} ${topic}`)) return
  }
  redeliveryWindow.settle(finished, writer.sequence.used)
}

function listen({ readers, log }: Engine, subscription: BroadcastSubscription): Listener {
  const { topics, group } = subscription
  const listener = openListener(subscription, log.child({ group }))
  addReader(readers, topics, listener)
  return {
    stop: () => Promise.resolve(removeReader(readers, topics, listener)),
  }
}

function addReader(
  readers: Map<string, Reader[]>,
  topics: readonly string[],
  reader: Reader,
): void {
  for (const topic of topics) readers.set(topic, [...(readers.get(topic) ?? []), reader])
}

function removeReader(
  readers: Map<string, Reader[]>,
  topics: readonly string[],
  reader: Reader,
): void {
  for (const topic of topics) {
    const others = (readers.get(topic) ?? []).filter((other) => other !== reader)
    if (others.length === 0) readers.delete(topic)
    else readers.set(topic, others)
  }
}

async function leave(engine: Engine, member: Member): Promise<void> {
  const { log, members, readers, claimed, deadLetters, offsets } = engine
  if (!members.has(member)) return
  await member.stop()
  try {
    await deadLetters.settled()
    await offsets.store()
  } catch (error) {
    log.warn({ err: error, group: member.group }, 'offset not stored: messages are delivered again')
  }
  members.delete(member)
  removeReader(readers, member.topics, member)
  release(claimed, member.group, member.topics)
}
