/**
 * This process as a member of one group: one consumer for all subscriptions. Fetching only fills their
 * bounded queues, since kafkajs waits for every batch of a broker before it sends that broker the next
 * fetch. After a rebalance, partitions that stay continue at their positions, and queued messages of a
 * lost partition are not processed.
 */
import type { Logger } from '@causeway/process'
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Alarm } from '../../alarms.ts'
import type { PublishDerived, Subscription } from '../../event-bus.ts'
import type { Administration, OffsetOf, OfPartitions } from '../administration.ts'
import type { Brokers } from '../brokers.ts'
import { openCommits, type Commits } from './commits.ts'
import { openConsumption, type Consumption } from './consumption.ts'
import { deadLetterHeaders, type DeadLetterTopic, type Owner } from '../dead-letter-topic.ts'
import { openMember, type IntakeBounds, type Member } from './member.ts'
import { within } from '../deadline.ts'
import {
  finishedBefore,
  fitOf,
  nameOf,
  noteFetched,
  openAssignedPartitions,
  type AssignedPartition,
  type AssignedPartitions,
} from './assigned-partitions.ts'
import { attributes, headerText } from '../record.ts'
import type { Turns } from '../../turns.ts'
import type { Topics } from '../topics.ts'

export interface ReaderOptions {
  readonly group: string
  readonly brokers: Brokers
  readonly topics: Topics
  readonly bounds: IntakeBounds
  readonly session_ms: number
  readonly log: Logger
  readonly alarm: Alarm
  readonly deadLetters: DeadLetterTopic
  readonly administration: Administration
  readonly publishDerived: PublishDerived
  readonly turns: Turns
}

/** A subscription that is read. */
export interface ActiveSubscription {
  readonly group: string
  readonly topics: readonly string[]
  /** Messages queued or in work. */
  unfinished(): number
  /** Age of the oldest message that is not finished; 0 when there is none. */
  lag_ms(): number
  /** By `nameOf` the partition: everything before that offset is finished. */
  finished(): ReadonlyMap<string, number>
  /** Milliseconds since anything was finished or, without work, since Kafka last sent anything. */
  progress(): number | undefined
  /** Starts no further work, waits for what is in flight, commits; the last one leaves the group. */
  stop(): Promise<void>
}

export interface Reader {
  add(subscription: Subscription): ActiveSubscription
  /** Whether it has joined the group with all its subscriptions. */
  readonly isJoined: boolean
  /** Whether it has no subscriptions left. */
  readonly isIdle: boolean
  /** Why it has left a topic to processes of a newer release; undefined while it has not. */
  heldBy(): string | undefined
  /** The subscription that reads a topic of the catalogue in this process. */
  ownerOf(topic: string): Owner | undefined
  /** Like a kill of the process, the brokers being closed; resolves when nothing is retried any more. */
  crash(): Promise<void>
}

/** Several times the longest silence of an idle consumer. */
const silence_ms_max = 10_000
const commit_ms_max = 2_000
const fetchWait_ms = 500

/** What a reader consists of, for its functions. */
interface ReaderParts extends ReaderOptions {
  readonly consumption: Consumption
  readonly assignedPartitions: AssignedPartitions
  readonly commits: Commits
  /** The member that reads each topic of the catalogue. */
  readonly members: Map<string, Member>
  /** Partitions that the consumer does not fetch, and the member whose queue has no room. */
  readonly paused: Map<AssignedPartition, Member | undefined>
  /** Topics with a message that this release does not understand, by their names at the brokers. */
  readonly left: Set<string>
}

export function openReader(options: ReaderOptions): Reader {
  const { group, topics, session_ms, brokers, log } = options
  const assignedPartitions = openAssignedPartitions()
  const commits = openCommits({ assignedPartitions, log })
  const paused: ReaderParts['paused'] = new Map()
  const consumption = openConsumption({
    brokers,
    groupId: topics.groupName(group),
    begins: 'oldest',
    session_ms,
    fetchWait_ms,
    log,
    onJoined(assignment) {
      const begun = assignedPartitions.assign(assignment, performance.now())
      void lookForDeleted(parts, begun)
    },
    // The next owner of the partitions does not process again what is finished now.
    onLeaving: () => commitNow(parts),
    take: (payload) => take(parts, payload),
    onBegun() {
      paused.clear()
      commits.use(undefined)
    },
  })
  const members: ReaderParts['members'] = new Map()
  const left = new Set<string>()
  const parts: ReaderParts = {
    ...options,
    consumption,
    assignedPartitions,
    commits,
    members,
    paused,
    left,
  }
  return {
    add: (subscription) => add(parts, subscription),
    get isJoined() {
      return consumption.isJoined
    },
    get isIdle() {
      return parts.members.size === 0
    },
    heldBy() {
      if (left.size === 0) return undefined
      return `${group} does not understand a message of ${[...left].join(', ')}`
    },
    ownerOf: (topic) => members.get(topic)?.subscription,
    async crash() {
      commits.stop()
      for (const member of new Set(parts.members.values())) void member.stop()
      await consumption.crash()
    },
  }
}

function add(parts: ReaderParts, subscription: Subscription): ActiveSubscription {
  const {
    topics,
    bounds,
    deadLetters,
    log,
    alarm,
    members,
    assignedPartitions,
    commits,
    consumption,
  } = parts
  const member = openMember({
    subscription,
    publishDerived: parts.publishDerived,
    turns: parts.turns,
    bounds,
    log,
    alarm,
    deadLetters,
    onHeld: (assigned) => leaveTopic(parts, assigned),
    onFinished() {
      commits.moved()
      resume(parts)
    },
  })
  for (const topic of subscription.topics) members.set(topic, member)
  const names = subscription.topics.map((topic) => topics.nameOf(topic))
  const own = () => [...assignedPartitions.all()].filter(({ topic }) => names.includes(topic))
  consumption.add([...names, topics.nameOf(replaysOf(parts))])
  return {
    group: subscription.group,
    topics: subscription.topics,
    unfinished: () => member.unfinished(),
    lag_ms() {
      const oldest = own().map(({ mark }) => mark.lowest_ms() ?? Infinity)
      return Math.max(Date.now() - Math.min(Infinity, ...oldest), 0)
    },
    finished: () =>
      new Map(
        own().map((assigned) => [
          nameOf(assigned.topic, assigned.partition),
          finishedBefore(assigned) ?? -1,
        ]),
      ),
    progress() {
      const silent_ms = consumption.silent_ms()
      return member.progress() ?? (silent_ms > silence_ms_max ? silent_ms : undefined)
    },
    stop: () => remove(parts, member, names),
  }
}

/** The topic of dead letters that are delivered to this group again, and to others of its service. */
function replaysOf({ topics, group }: Pick<ReaderParts, 'topics' | 'group'>): string {
  return topics.ownOf(group).replays
}

/** Fills the queues, and stops fetching partitions for which there is no room. */
function take(parts: ReaderParts, payload: EachBatchPayload): void {
  const { batch } = payload
  const { assignedPartitions, commits } = parts
  const assigned = assignedPartitions.of(batch.topic, batch.partition)
  if (assigned === undefined) return
  commits.use((offsets) => payload.commitOffsetsIfNecessary(offsets))
  const { fetchedOffset } = batch as typeof batch & { readonly fetchedOffset: string }
  noteFetched(assigned, Number(fetchedOffset))
  const from = beginAt(parts, assigned, Number(fetchedOffset))
  if (from === undefined) return
  assigned.next = from
  let last: string | undefined
  for (const record of batch.messages) {
    if (Number(record.offset) >= assigned.next) {
      if (!push(parts, assigned, record)) {
        payload.pause()
        break
      }
      assigned.next = Number(record.offset) + 1
    }
    last = record.offset
  }
  if (last !== undefined) payload.resolveOffset(last)
  if (last === batch.messages.at(-1)?.offset) {
    assigned.next = Math.max(assigned.next, Number(batch.lastOffset()) + 1)
  }
  commits.moved()
}

/** The first offset of the fetch to take; undefined when it leaves out messages and is repeated. */
function beginAt(
  { consumption, log }: ReaderParts,
  assigned: AssignedPartition,
  fetched: number,
): number | undefined {
  const fit = fitOf(assigned, fetched)
  const { topic, partition, next = fetched } = assigned
  if (fit === 'leaves out') {
    assigned.refetchedFrom = assigned.next
    consumption.consumer?.seek({ topic, partition, offset: String(next) })
    return undefined
  }
  assigned.refetchedFrom = undefined
  if (fit === 'fits') return next
  log.error({ topic, partition, from: next, to: fetched }, 'messages were deleted unread')
  return fetched
}

/** Whether the record was taken; if there is no room or no subscription, its partition is paused. */
function push(parts: ReaderParts, assigned: AssignedPartition, record: KafkaMessage): boolean {
  const { topics, members, paused } = parts
  const plain = topics.plainName(assigned.topic)
  const isReplay = plain === replaysOf(parts)
  const topic = isReplay ? (headerText(record.headers, deadLetterHeaders.topic) ?? '') : plain
  const member = members.get(topic)
  // No subscription reads that topic here, so the message remains a dead letter.
  if (member === undefined && isReplay) return true
  if (member === undefined || !member.isFree(assigned, 0)) {
    paused.set(assigned, member)
    return false
  }
  const handling = member.take(assigned, topic, record)
  if (handling !== 'unknown') return true
  const type = headerText(record.headers, attributes.type)
  parts.alarm('NEWER_RELEASE', { topic, type, offset: record.offset })
  paused.set(assigned, undefined)
  leaveTopic(parts, assigned)
  return false
}

/**
 * Another process of the group may understand the message: this one leaves the topic to the others until
 * it starts again.
 */
function leaveTopic(parts: ReaderParts, { topic }: AssignedPartition): void {
  const { left, consumption, topics, log } = parts
  if (left.has(topic) || topics.plainName(topic) === replaysOf(parts)) return
  left.add(topic)
  log.error({ topic }, 'the topic is left to processes of a newer release')
  void consumption.remove([topic])
}

/** Raises an alarm for messages that the log has deleted before the group had read them. */
async function lookForDeleted(
  { administration, topics, group, alarm, log }: ReaderParts,
  assignedPartitions: readonly AssignedPartition[],
): Promise<void> {
  if (assignedPartitions.length === 0) return
  const names = [...new Set(assignedPartitions.map(({ topic }) => topic))]
  try {
    const committed = offsetsOf(await administration.committed(topics.groupName(group), names))
    for (const { topic, partitions } of await administration.ends(names)) {
      for (const { partition, low } of partitions) {
        const next = committed.get(nameOf(topic, partition)) ?? -1
        const isOurs = assignedPartitions.some(
          (one) => one.topic === topic && one.partition === partition,
        )
        if (!isOurs || next < 0 || next >= low) continue
        alarm('DELETED_UNREAD', { topic, partition, from: next, to: low })
      }
    }
  } catch (error) {
    log.warn({ err: error }, 'could not check for messages that were deleted unread')
  }
}

function offsetsOf(found: readonly OfPartitions<OffsetOf>[]): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>()
  for (const { topic, partitions } of found) {
    for (const { partition, offset } of partitions) offsets.set(nameOf(topic, partition), offset)
  }
  return offsets
}

function resume({ paused, consumption, log }: ReaderParts): void {
  if (paused.size === 0) return
  const free = [...paused].filter(
    ([assigned, member]) =>
      member !== undefined && (assigned.isLost || member.isFree(assigned, 0.5)),
  )
  if (free.length === 0) return
  for (const [assigned] of free) paused.delete(assigned)
  try {
    consumption.consumer?.resume(
      free.map(([{ topic, partition }]) => ({ topic, partitions: [partition] })),
    )
  } catch (error) {
    // A new consumer has nothing paused.
    log.debug({ err: error }, 'nothing to resume')
  }
}

async function remove(parts: ReaderParts, member: Member, own: readonly string[]): Promise<void> {
  const { members, consumption, topics, deadLetters, assignedPartitions, log } = parts
  const ofReplays = topics.nameOf(replaysOf(parts))
  try {
    consumption.consumer?.pause([...own, ofReplays].map((topic) => ({ topic })))
  } catch (error) {
    log.debug({ err: error }, 'nothing to pause')
  }
  await member.stop()
  await within(deadLetters.settled(), commit_ms_max, 'dead letters were not removed').catch(
    (error: unknown) => log.warn({ err: error }, 'replayed dead letters are still stored'),
  )
  await commitNow(parts)
  for (const topic of member.subscription.topics) members.delete(topic)
  // Messages in its queue are delivered again from the committed offset.
  assignedPartitions.forget([...own, ofReplays])
  await consumption.remove(members.size === 0 ? [...own, ofReplays] : own)
}

async function commitNow({ commits, log }: ReaderParts): Promise<void> {
  const committing = commits.commit()
  await within(committing, commit_ms_max, 'the offsets were not committed').catch(
    (error: unknown) => {
      log.warn({ err: error }, 'offset not committed: messages are delivered again')
    },
  )
}
