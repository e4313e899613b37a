/**
 * The event bus of a process in a distributed hub: Kafka is the log. Events that a transaction announces
 * are sent from an outbox in its own database; `publish` resolves when all in-sync replicas have the
 * messages.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '@causeway/postgres'
import { type Logger, type Metrics, Outage, StartError } from '@causeway/process'
import { Gauge } from 'prom-client'
import { openAlarms, type Alarm } from '../alarms.ts'
import type { EventBus, OutgoingMessage, Subscribed, Subscription } from '../event-bus.ts'
import { claim, longest, measure, release } from '../subscriptions.ts'
import { openAdministration, type Administration } from './administration.ts'
import type { Brokers } from './brokers.ts'
import { openDeadLetterTopic, type DeadLetterTopic } from './dead-letter-topic.ts'
import { openBroadcastConsumer, type BroadcastConsumer } from './members/broadcast-consumer.ts'
import type { IntakeBounds } from './members/member.ts'
import { within } from './deadline.ts'
import { openPump, type Pump } from './outbox/outbox.ts'
import { toRecord } from './record.ts'
import { openProducer, type Compression } from './outbox/producer.ts'
import { openReader, type Reader, type ActiveSubscription } from './members/reader.ts'
import { openSender, type Sender } from './outbox/sender.ts'
import { openStallDetector } from './members/stall-detector.ts'
import { ensureTopics, type Topics, type TopicsOptions } from './topics.ts'
import { inTurn, openTurns, type Turns } from '../turns.ts'
import { lowWatermark_ms } from './members/low-watermark.ts'

export interface KafkaBusOptions {
  /** Closed with the bus. */
  readonly brokers: Brokers
  readonly topics: TopicsOptions
  readonly compression: Compression
  /** A publish is acknowledged within this time, or fails for its publisher. */
  readonly publish_ms_max: number
  /** After this silence a member counts as dead. */
  readonly session_ms: number
  readonly bounds?: Partial<IntakeBounds>
  readonly log: Logger
  readonly metrics: Metrics
}

export interface KafkaBus {
  readonly bus: EventBus
  /** For a database of this process: two connections of the pump's own to its schema. */
  pump(db: Database, schema: string): Pump
  /**
   * The longest stall: milliseconds since a part with work advanced; undefined without work and while
   * the brokers are away.
   */
  progress(): number | undefined
  /** Rejects when the brokers do not answer. */
  answers(): Promise<void>
  /** Finishes what is in flight, commits the offsets of each group, leaves the groups. */
  stop(): Promise<void>
  /**
   * Like a kill of the process: commits nothing, leaves no group, finishes nothing. Resolves when
   * nothing is retried any more.
   */
  crash(): Promise<void>
}

const bounds_default: IntakeBounds = { queued_max: 10_000, queued_bytes_max: 64 * 2 ** 20 }
const stop_ms_max = 2_000
const start_retry_ms = 500
/** Greatest difference between the clocks of the processes and the brokers. */
const clocks_ms_max = 1_000

/** The parts of the engine, for its functions. */
interface Engine extends KafkaBusOptions {
  readonly administration: Administration
  readonly known: Topics
  readonly sender: Sender
  readonly turns: Turns
  readonly deadLetters: DeadLetterTopic
  readonly alarmOf: (group: string, log: Logger) => Alarm
  readonly readings: Set<ActiveSubscription>
  /** By group. */
  readonly readers: Map<string, Reader>
  readonly broadcasts: BroadcastConsumer
  /** Subscriptions, also those that are about to be read, as `group topic`. */
  readonly claimed: Set<string>
  readonly pumps: Set<Pump>
  /** Calls of `publish` that Kafka has not settled, the oldest first. */
  readonly publishing: Set<{ readonly since_ms: number }>
}

/** Waits for the brokers. Throws StartError when they refuse its identity or the topics. */
export async function openKafkaBus(options: KafkaBusOptions): Promise<KafkaBus> {
  const stopping = new AbortController()
  const engine = await openEngine(options, stopping.signal)
  const { brokers, administration, sender, broadcasts, readings, readers, pumps, log } = engine
  const outboxAge = new Gauge({
    name: 'bus_outbox_seconds',
    help: 'Age of the oldest announcement that is not sent',
    labelNames: ['schema'],
    registers: [options.metrics],
  })

  const standstill = openStallDetector()
  return {
    bus: busOf(engine),
    pump(db, schema) {
      const onAge = (age_s: number) => outboxAge.set({ schema }, age_s)
      const pump = openPump({ db, sender, log: log.child({ schema }), onAge })
      pumps.add(pump)
      return pump
    },
    progress() {
      const moving = [sender, broadcasts, ...pumps, ...readings]
      return standstill(longest(moving.map((part) => part.progress())), brokers.silent_ms())
    },
    async answers() {
      await administration.ask((admin) => admin.describeCluster())
      const all = [...readers.values()]
      const held = all.map((reader) => reader.heldBy()).find((why) => why !== undefined)
      if (held !== undefined) throw new Error(held)
      const isReading = all.every((reader) => reader.isIdle || reader.isJoined)
      if (!isReading || !broadcasts.isJoined) throw new Outage('events are not read yet')
    },
    async stop() {
      if (stopping.signal.aborted) return
      await Promise.all([
        broadcasts.stop(),
        ...[...readings].map((reading) => leave(engine, reading)),
      ])
      await Promise.all([...pumps].map((pump) => pump.stop()))
      stopping.abort()
      await within(sender.stop(), stop_ms_max, 'some events were not sent').catch(
        (error: unknown) => {
          log.warn({ err: error }, 'Kafka has not acknowledged all events')
        },
      )
      await administration.stop()
      brokers.close()
    },
    async crash() {
      stopping.abort()
      brokers.close()
      for (const pump of pumps) pump.crash()
      await Promise.all([broadcasts, ...readers.values()].map((part) => part.crash()))
      await sender.stop().catch(() => undefined)
      await administration.stop().catch(() => undefined)
    },
  }
}

async function openEngine(options: KafkaBusOptions, stopping: AbortSignal): Promise<Engine> {
  const { brokers, metrics, compression } = options
  const log = options.log.child({ part: 'bus' })
  const known = await makeTopics(brokers, options.topics, log)
  const administration = openAdministration(brokers, log)
  const sender = openSender(openProducer({ brokers, topics: known, compression, log }))
  const parts = { ...options, administration, topics: known, sender, log, stopping }
  const readings = new Set<ActiveSubscription>()
  measure(metrics, readings)
  return {
    ...options,
    log,
    administration,
    known,
    sender,
    turns: openTurns(),
    deadLetters: openDeadLetterTopic(parts),
    alarmOf: openAlarms(metrics),
    broadcasts: openBroadcastConsumer(parts),
    readings,
    readers: new Map(),
    claimed: new Set(),
    pumps: new Set(),
    publishing: new Set(),
  }
}

/** Waits for brokers that start later. What they refuse for good is reported at once. */
async function makeTopics(brokers: Brokers, options: TopicsOptions, log: Logger): Promise<Topics> {
  for (;;) {
    try {
      return await makeTopicsOnce(brokers, options)
    } catch (error) {
      if (!isForGood(error)) {
        log.warn({ err: error }, 'waiting for Kafka: no answer, tried again')
        await wait(start_retry_ms)
        continue
      }
      brokers.close()
      if (error instanceof StartError) throw error
      throw new StartError(`Kafka refuses a request: ${(error as Error).message}.`)
    }
  }
}

function isForGood(error: unknown): boolean {
  if (error instanceof StartError) return true
  const { name, message } = error as Error
  return /Authentication|Authorization/i.test(`${name} ${message}`)
}

async function makeTopicsOnce(brokers: Brokers, options: TopicsOptions): Promise<Topics> {
  const retry = { initialRetryTime: 100, maxRetryTime: 2_000, retries: 16 }
  const admin = brokers.client(retry).admin({ retry })
  try {
    await admin.connect()
    return await ensureTopics(admin, options)
  } finally {
    admin.disconnect().catch(() => undefined)
  }
}

function busOf(engine: Engine): EventBus {
  const { administration, known, deadLetters } = engine
  return {
    announce(tx, messages) {
      for (const { topic } of messages) known.nameOf(topic)
      tx.announced.push(...messages)
    },
    publish: (messages) => inTurn(engine.turns, {}, () => publish(engine, messages)),
    subscribe: (subscription) => new Promise((resolve) => resolve(subscribe(engine, subscription))),
    subscribeBroadcast: (listening) => engine.broadcasts.subscribe(listening),
    async answers() {
      await administration.ask((admin) => admin.describeCluster())
    },
    deadLetters: (limit) => deadLetters.newest(limit),
    replay: (group, id) => deadLetters.replay(group, id),
    discard: (group, id) =>
      deadLetters.discard(group, id, (topic) => engine.readers.get(group)?.ownerOf(topic)),
  }
}

async function publish(engine: Engine, messages: readonly OutgoingMessage[]): Promise<void> {
  const { known, sender, publishing, publish_ms_max } = engine
  const call = { since_ms: Date.now() }
  const time = new Date(call.since_ms).toISOString()
  const records = messages.map((message) => {
    known.nameOf(message.topic)
    return toRecord({ ...message, time })
  })
  publishing.add(call)
  const sending = sender.send(records)
  // A publication may still be in progress after its publisher's deadline.
  const unsettled = sending.settled.finally(() => publishing.delete(call))
  const late = setTimeout(() => sending.withdraw(), publish_ms_max)
  try {
    await within(unsettled, publish_ms_max + 1, 'Kafka did not acknowledge')
  } finally {
    clearTimeout(late)
    unsettled.catch(() => undefined)
  }
}

function subscribe(engine: Engine, subscription: Subscription): Subscribed {
  const { administration, known, readings } = engine
  const { group, topics } = subscription
  const names = topics.map((topic) => known.nameOf(topic))
  claim(engine.claimed, group, topics)
  const reading = readerOf(engine, group).add(subscription)
  readings.add(reading)
  return {
    lowWatermark: async () =>
      new Date(
        await lowWatermark_ms({
          administration,
          group: known.groupName(group),
          topics: names,
          finished: () => reading.finished(),
          since_ms: () => since_ms(engine),
          underWay_ms_max: engine.publish_ms_max + clocks_ms_max,
        }),
      ),
    stop: () => leave(engine, reading),
  }
}

/** All subscriptions of a group share one consumer. */
function readerOf(engine: Engine, group: string): Reader {
  const { readers, brokers, known, session_ms, deadLetters } = engine
  const there = readers.get(group)
  if (there !== undefined) return there
  const reader = openReader({
    group,
    brokers,
    topics: known,
    bounds: { ...bounds_default, ...engine.bounds },
    session_ms,
    log: engine.log.child({ group }),
    alarm: engine.alarmOf(group, engine.log),
    deadLetters,
    administration: engine.administration,
    publishDerived: (messages) => publish(engine, messages),
    turns: engine.turns,
  })
  readers.set(group, reader)
  return reader
}

/** No publication in progress in this process was announced before, in ms since 1970. */
function since_ms({ publishing, pumps }: Engine): number {
  const published = publishing.values().next().value?.since_ms ?? Infinity
  return Math.min(published, ...[...pumps].map((pump) => pump.since_ms()))
}

async function leave({ readings, claimed }: Engine, reading: ActiveSubscription): Promise<void> {
  if (!readings.delete(reading)) return
  await reading.stop()
  release(claimed, reading.group, reading.topics)
}
