/**
 * The contract of the event bus: delivery at least once, order per key within one topic, and nothing
 * announced that was not committed. Two engines implement it, `embedded` for a hub in one process and
 * `kafka` for services in processes of their own. Both pass the same tests.
 */
import type { Transaction, MessageHeaders, OutgoingMessage } from '@causeway/postgres'

export type { MessageHeaders, OutgoingMessage }

/** A message as the log stores it. */
export interface AnnouncedMessage extends OutgoingMessage {
  /**
   * When it was announced, ISO 8601 UTC with milliseconds: between the call of `publish` (or the work
   * of its transaction) and the commit.
   */
  readonly time: string
}

/** A message as its consumer receives it. */
export interface Message extends AnnouncedMessage {
  /**
   * Whether this message, or one with the same id, may have been delivered before. False only when this
   * is certainly its first delivery; an engine that cannot know sets true.
   */
  readonly maybeDuplicate: boolean
}

/**
 * Publishes messages that a handler without storage derives from its batch; their ids derive from those
 * of the batch. Resolves when the messages can no longer be lost: either they are durable, or the batch
 * remains unfinished until every consumer of them has finished, and a crash delivers the batch again. A
 * group that reads the topic for the first time may not receive messages that were published in this
 * way before.
 */
export type PublishDerived = (messages: readonly OutgoingMessage[]) => Promise<void>

/** What a handler can do while it processes a batch. */
export interface BatchContext {
  readonly publishDerived: PublishDerived
  /**
   * The batch also remains unfinished until this promise resolves; a crash before that delivers the
   * batch again. Later messages of the same keys do not wait for it. If it rejects with an outage, the
   * batch is delivered again, at the latest after the next start; if it rejects with any other error,
   * its messages become dead letters.
   */
  readonly until: (work: Promise<void>) => void
  /**
   * Called before a piece of a large batch: resolves when it may begin, for all pieces of a batch within
   * a bounded time. Resolves at once unless the subscription has `givesWay`.
   */
  readonly giveWay: () => Promise<void>
}

export interface Subscription {
  /**
   * The consumer group: each group receives every message of its topics, distributed over its members.
   * A new group begins with the oldest message that is still retained.
   */
  readonly group: string
  /** A group can subscribe to a topic once per process; a second subscription is rejected. */
  readonly topics: readonly string[]
  /** Messages of other types are skipped without being read. */
  readonly types: ReadonlySet<string>
  /**
   * Every type that this release knows; omitted where all types are known. A message of any other type
   * comes from a newer release: it remains unfinished, and nothing after it is read in this process.
   * With Kafka the process leaves that topic to the members of the group that know the type.
   */
  readonly known?: ReadonlySet<string>
  /**
   * Turns parsed JSON into the payload. If it throws, the message becomes a dead letter at once, unless
   * the error is a `FromNewerRelease`: then the message waits for a process that understands it. If
   * publisher and consumer share a process, the payload may be passed as the object that was published,
   * without JSON.
   */
  readonly read: (type: string, json: unknown) => unknown
  /**
   * Processes a batch; the batch is finished when the promise resolves. Messages of one key are in
   * order. Any message may be delivered again, in another batch. An error that is not an outage halves
   * the batch until the failing message is alone; after three attempts it becomes a dead letter. If more
   * than three messages fail with the same error and none of the batch succeeds, all are tried again and
   * an alarm is raised. A `FromNewerRelease` makes the message wait for a process that understands it.
   */
  readonly handleBatch: (messages: readonly Message[], batch: BatchContext) => Promise<void>
  readonly deadLetterObserver?: DeadLetterObserver
  /** At most this many messages in a batch (100). */
  readonly batch_max?: number
  /** How many batches are processed in parallel (1); no two of them contain the same topic and key. */
  readonly batches_in_flight_max?: number
  /**
   * For large work that can wait: its batches wait, for a bounded time, while other subscriptions of
   * this process have work or messages are being published, and one of them is processed at a time.
   * 'between pieces': only what follows a call of `giveWay` waits, so that a batch with little work is
   * done at once; no two calls of one batch wait at the same time.
   */
  readonly givesWay?: boolean | 'between pieces'
}

/** A message that a group could not process. */
export interface DeadLetterEvent {
  /** Of the dead letter. */
  readonly id: string
  readonly topic: string
  readonly key: string
  /** Empty if the message has none. */
  readonly type: string
  readonly reason: string
}

/** Called for the dead letters of a group, possibly more than once each. */
export interface DeadLetterObserver {
  /** Before the dead letter is stored, and so before its message counts as finished. */
  readonly onStored: (letter: DeadLetterEvent) => Promise<void>
  /** Before the dead letter is removed: its replay is finished, or an operator has discarded it. */
  readonly onRemoved: (
    letter: Pick<DeadLetterEvent, 'id' | 'topic' | 'key' | 'type'>,
  ) => Promise<void>
}

export interface Subscribed {
  /**
   * A moment before which everything is processed: each message of the subscription's topics with an
   * earlier `time` has been finished by some member of the group, or is a dead letter. If nothing is
   * unfinished, it is about the moment of the call, and never later. A value that was returned once
   * remains true. Shortly after a start it may be far in the past, until the group knows its offsets.
   * Rejects if the log does not answer.
   *
   * Publishes in progress count as well. An engine that cannot see those of other processes returns an
   * earlier moment: by the time within which each of them is durable or has failed for its publisher. A
   * message that becomes durable even later is not covered until then.
   */
  lowWatermark(): Promise<Date>
  /** Takes no further work, waits for what is in flight, stores the offset. */
  stop(): Promise<void>
}

/** Messages that every process receives, also if its service has several processes. */
export interface BroadcastSubscription {
  /** The service that subscribes, for log lines and for rights at the brokers. */
  readonly group: string
  readonly topics: readonly string[]
  /** Messages of other types are skipped without being read. */
  readonly types: ReadonlySet<string>
  /** As for a subscription; a message of an unknown type is reported by `onMissed`. */
  readonly known?: ReadonlySet<string>
  /** As for a subscription. */
  readonly read: (type: string, json: unknown) => unknown
  /**
   * Receives the messages that were published after `subscribeBroadcast` resolved, at least once, those
   * of one key in order. Must return without waiting. If it throws, `onMissed` is called.
   */
  readonly onMessages: (messages: readonly Message[]) => void
  /** Messages may have been missed: discard any state that depends on having received all of them. */
  readonly onMissed: () => void
}

export interface Listener {
  stop(): Promise<void>
}

export interface DeadLetter {
  readonly id: string
  readonly group: string
  readonly topic: string
  readonly key: string
  readonly type: string
  readonly reason: string
  /** When it became a dead letter, ISO 8601 UTC with milliseconds. */
  readonly time: string
}

export type Discarded = 'DISCARDED' | 'UNKNOWN' | 'ELSEWHERE'

export interface EventBus {
  /** Adds the messages to the transaction: they are published if and only if it commits. */
  announce(tx: Transaction, messages: readonly OutgoingMessage[]): void
  /**
   * Resolves when the messages are durable. Messages of one call keep their order. The same id is
   * published twice only by work that is repeated.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>
  /** Delivery begins soon after; messages that were unfinished before come first. */
  subscribe(subscription: Subscription): Promise<Subscribed>
  /**
   * Receives every message of some topics in this process, for caches in memory: within a group each
   * process receives only a part of them. No offset is stored: messages that are published while the
   * process does not run are not received, and none are retained for it.
   */
  subscribeBroadcast(listening: BroadcastSubscription): Promise<Listener>
  /** Rejects when the log does not answer. It costs one small request and reads no messages. */
  answers(): Promise<void>
  /** Newest first, at most `limit`. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>
  /**
   * Delivers a dead letter to its group again; false if the group has none with that id. It remains a
   * dead letter until the group has finished it.
   */
  replay(group: string, id: string): Promise<boolean>
  /**
   * Removes a dead letter without processing it. ELSEWHERE: this process has no subscription of the
   * group; ask a process that has.
   */
  discard(group: string, id: string): Promise<Discarded>
}
