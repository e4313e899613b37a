/**
 * The contract of the event bus: at least once, order per key within one topic, nothing announced
 * that was not committed. Two engines keep it (embedded here, Kafka where the hub runs on many
 * machines) and pass the same tests.
 */
import type { Transaction, MessageHeaders, OutgoingMessage } from '@causeway/postgres'

export type { MessageHeaders, OutgoingMessage }

/** A message that was announced. */
export interface AnnouncedMessage extends OutgoingMessage {
  /**
   * When it was announced, ISO 8601 UTC with milliseconds: no earlier than the call of `publish` or
   * the work of its transaction, no later than the commit.
   */
  readonly time: string
}

/** A message as its consumer gets it. */
export interface Message extends AnnouncedMessage {
  /**
   * It may have come before: the same message, or one with the same id. False when it surely comes for
   * the first time; an engine that cannot tell says true.
   */
  readonly maybeDuplicate: boolean
}

/**
 * Says what follows from the batch that is being worked on, by a step that stores nothing; the ids are
 * derived from those of the batch. Resolves when it will be said whatever happens: it is durable, or
 * the batch counts as unfinished until all that it led to is finished by those who read it, so that a
 * crash begins with the batch again. A group that reads the topic for the first time may not get what
 * was said in this way before.
 */
export type PublishDerived = (messages: readonly OutgoingMessage[]) => Promise<void>

/** What the work on a batch may do with it. */
export interface BatchContext {
  readonly publishDerived: PublishDerived
  /**
   * The batch counts as unfinished until this has resolved, too: a crash before that hands it over
   * again. What comes for its keys does not wait for it. If it rejects by an outage, the batch comes
   * again, with the next start at the latest; by anything else, its messages are dead letters.
   */
  readonly until: (work: Promise<void>) => void
  /**
   * Between two pieces of a large batch whose subscription gives way: resolves when the next one may
   * begin. Of any other batch it resolves at once.
   */
  readonly giveWay: () => Promise<void>
}

export interface Subscription {
  /**
   * The consumer group: each group sees every message of its topics, spread over its members. A new
   * one begins with the oldest message that is still kept.
   */
  readonly group: string
  /** In one process a group reads a topic once; the call rejects for a topic that it reads already. */
  readonly topics: readonly string[]
  /** Messages of other types are finished unread. */
  readonly types: ReadonlySet<string>
  /**
   * Every type that this release knows; left out where that is all there are. A message of any other
   * type is of a newer release: it is not finished, and nothing behind it is read in this process. Over
   * Kafka the process leaves that topic to the members of the group that know the type.
   */
  readonly known?: ReadonlySet<string>
  /**
   * Turns parsed JSON into the payload; a throw sends the message to the dead letters at once, unless it
   * is a `FromNewerRelease`: then the message waits for a process that understands it. Where publisher
   * and consumer share a process the payload may come as it was given, without JSON.
   */
  readonly read: (type: string, json: unknown) => unknown
  /**
   * Works on a batch; the batch is finished when the promise resolves. Messages come in the order of
   * their keys and may come again, in any other split. A throw that is no outage halves the batch
   * until the failing message stands alone; after three tries it is a dead letter. Where more than three
   * messages fail alike and none of the batch succeeds, all are tried again, with an alarm. A
   * `FromNewerRelease` makes the message wait for a process that understands it.
   */
  readonly handleBatch: (messages: readonly Message[], batch: BatchContext) => Promise<void>
  readonly deadLetterObserver?: DeadLetterObserver
  /** At most this many messages in a batch (100). */
  readonly batch_max?: number
  /** Batches worked on side by side (1); no two of them hold the same topic and key. */
  readonly batches_in_flight_max?: number
  /**
   * Its batches wait while other subscriptions of this process are at work or messages are being
   * published, but not for ever, and one of them is worked on at a time: for what is large and can wait.
   */
  readonly givesWay?: boolean
}

/** A message that a group gives up. */
export interface DeadLetterEvent {
  /** Of the dead letter. */
  readonly id: string
  readonly topic: string
  readonly key: string
  /** '' when the message does not say. */
  readonly type: string
  readonly reason: string
}

/** What a group does about its dead letters, beside that they are kept. Both may be called again. */
export interface DeadLetterObserver {
  /** Before the letter is stored, and so before its message counts as finished. */
  readonly onStored: (letter: DeadLetterEvent) => Promise<void>
  /** Before the letter is removed: its replay is finished, or an operator has discarded it. */
  readonly onRemoved: (
    letter: Pick<DeadLetterEvent, 'id' | 'topic' | 'key' | 'type'>,
  ) => Promise<void>
}

export interface Subscribed {
  /**
   * A moment before which all is worked off: whatever of the subscription's topics has an earlier
   * `time` is finished by the group, whichever of its members had it, or is a dead letter. It is about
   * the moment of the call when nothing is unfinished, and never after it; what it was once is true
   * for good. Just after a start it may lie far back, until the group knows where it is. Rejects when
   * the log does not answer.
   *
   * A publish that is under way counts as well. An engine that cannot see those of other processes
   * answers a moment that lies back by the time within which each of them is durable or has failed
   * for its publisher; what becomes durable even later is not covered before it is.
   */
  lowWatermark(): Promise<Date>
  /** Takes no further work, waits for what is in flight, stores the offset. */
  stop(): Promise<void>
}

/** What a process hears for itself, whatever other processes of its service hear. */
export interface BroadcastSubscription {
  /** The service that listens, for the log and the rights of the process. */
  readonly group: string
  readonly topics: readonly string[]
  /** Messages of other types are passed over unread. */
  readonly types: ReadonlySet<string>
  /** As of a subscription; a message of a type that is not known is told as missed. */
  readonly known?: ReadonlySet<string>
  /** As of a subscription. */
  readonly read: (type: string, json: unknown) => unknown
  /**
   * Told of what was announced or published after `listen` resolved, at least once, in the order of the
   * keys. At once and from memory: it waits for nothing. What it throws is told as missed.
   */
  readonly onMessages: (messages: readonly Message[]) => void
  /** Something may not have been heard: whatever rests on hearing everything is to be forgotten. */
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
  /** When the group gave it up, ISO 8601 UTC with milliseconds. */
  readonly time: string
}

export type Discarded = 'DISCARDED' | 'UNKNOWN' | 'ELSEWHERE'

export interface EventBus {
  /** Adds the messages to the transaction: they leave if and only if it commits. */
  announce(tx: Transaction, messages: readonly OutgoingMessage[]): void
  /**
   * Resolves when the messages are durable. Messages of one call keep their order. An id is said twice
   * only by work that is done again.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>
  /** The group reads soon after; what it has not finished before comes first. */
  subscribe(subscription: Subscription): Promise<Subscribed>
  /**
   * Hears every message of some topics in this process, for what it keeps in memory: of a group each
   * process gets a share alone. Nothing of it outlives the process: it hears nothing that was said while
   * it was away, and nothing is kept for its sake.
   */
  subscribeBroadcast(listening: BroadcastSubscription): Promise<Listener>
  /** The newest first, at most `limit`. */
  deadLetters(limit: number): Promise<readonly DeadLetter[]>
  /**
   * Hands a dead letter to its group again; false if there is none of that id in that group. It stays
   * among the dead letters until the group has finished it.
   */
  replay(group: string, id: string): Promise<boolean>
  /**
   * Removes a dead letter that nobody wants to have worked off any more. ELSEWHERE: no subscription of
   * this process is of the group, so a process of the group has to be asked.
   */
  discard(group: string, id: string): Promise<Discarded>
}
